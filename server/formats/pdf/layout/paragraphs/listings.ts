import { runsOf } from '../../statistics.ts';
import type { TextLine } from './text-lines.ts';

/** The maximum distance between the baselines of neighboring lines in a listing, as a factor of the font size. */
const maxLeading = 2.6;
/** The minimum share of a listing's lines that must be statements. The others are comments, names and brackets. */
const minShare = 0.3;
/** The minimum number of statements of a listing with several lines. */
const minStatements = 2;
/**
 * The minimum share of lines with signs of code, and the maximum share of lines of prose, in a listing without
 * statements that are certain.
 */
const minSigned = 0.5;
const maxProse = 0.25;
/** The same two numbers for a program in a font that is not of fixed width. */
const [minStatementsOfOther, minShareOfOther] = [4, 0.5];
/** The minimum number of entries of data in a font that is not of fixed width. */
const minEntries = 3;
/** The maximum share of letters in fonts that are not of fixed width, in a line with signs of code. */
const maxOtherLetters = 0.05;
const address = /\shttps?:\/\/\S/u;
const endOfSentence = /\p{Ll}{2}[.!?]$/u;
/** The minimum share of its parts that must be signs of code in a single line. */
const minSignsOfLine = 0.4;

/** The lines at one height that may be parts of one line of a program, which is split at its wide gaps. */
interface CodeRow {
  lines: TextLine[];
  text: string;
}

/**
 * Finds program listings. In a fixed-width font, these are neighboring lines that are statements of a program, commands
 * or lines with signs of code. Other lines in a fixed-width font, such as letters and receipts, are translated. In other
 * fonts, only commands, entries of data and programs without a line of prose are listings, because prose may contain
 * names from programs.
 *
 * @param lines the lines of the page by rows, from the top
 */
export function findListings(lines: readonly TextLine[]): TextLine[][] {
  const fonts = new Set(lines.filter(({ isMono, isUniform }) => isMono && isUniform).map(fontOf));
  // A line is also accepted if its font has a fixed width in other lines, because a short line has too few letters to
  // determine this.
  const isFixed = (line: TextLine) => line.isMono || (line.isUniform && fonts.has(fontOf(line)));
  const programs = groupsOf(lines.filter(isFixed)).filter(isProgram);
  const inPrograms = new Set(programs.flatMap((rows) => rows.flatMap(({ lines }) => lines)));
  const code = groupsOf(
    lines.filter((line) => isFixed(line) && !inPrograms.has(line) && isWhollyFixed(line)),
  ).filter(isCode);
  const unfixed = lines.filter((line) => !isFixed(line));
  const set = groupsOf(unfixed).flatMap(programsWithoutProse);
  const inSet = new Set(set.flatMap((rows) => rows.flatMap(({ lines }) => lines)));
  const others = unfixed.filter((line) => !inSet.has(line) && isCertain(line));
  const listings = [...programs, ...code, ...set, ...groupsOf(others).filter(isCommandsOrData)];
  return listings.map((rows) => rows.flatMap(({ lines }) => lines));
}

/** Groups lines into rows, and rows into groups whose baselines have the distance of lines of one text. */
function groupsOf(lines: readonly TextLine[]): CodeRow[][] {
  const rows = runsOf(lines, ([first], line) => first!.row === line.row);
  return runsOf(
    rows.map((lines) => ({ lines, text: lines.map(({ text }) => text).join(' ') })),
    (group, { lines: [line] }) =>
      group.at(-1)!.lines.at(-1)!.baseline - line!.baseline <= maxLeading * line!.size,
  );
}

/** Whether rows in a fixed-width font are a program. */
function isProgram(rows: readonly CodeRow[]): boolean {
  const found = rows.filter(hasStatement).length;
  if (rows.length === 1 && isCompleteStatement(rows[0]!.text)) return true;
  const others = rows.filter((row) => !hasStatement(row) && !isComment(row.text)).length;
  return found >= minStatements && found >= minShare * (found + others);
}

/** The spaces between single letters, and next to signs: the letters of a program may be set at equal distances. */
const looseSpaces = /(?<=\b\p{L}) (?=\p{L}\b)| (?=[^\p{L}\p{N}])|(?<=[^\p{L}\p{N}]) /gu;

/** Returns the programs in rows of any font. */
function programsWithoutProse(rows: readonly CodeRow[]): CodeRow[][] {
  const runs: { row: CodeRow; text: string }[][] = [[]];
  for (const row of rows) {
    const text = row.text.replace(looseSpaces, '');
    if (isProse(text)) runs.push([]);
    else runs.at(-1)!.push({ row, text });
  }
  return runs.flatMap((run) => {
    const isPart = ({ text }: { text: string }) => isStatement(text) || countSigns(text).signs > 0;
    const own = run.slice(run.findIndex(isPart), run.findLastIndex(isPart) + 1);
    const found = own.filter(({ text }) => isStatement(text)).length;
    const isProgram = found >= minStatementsOfOther && found >= minShareOfOther * own.length;
    return isProgram ? [own.map(({ row }) => row)] : [];
  });
}

/** Whether most rows have signs of code, and few are prose. */
function isCode(rows: readonly CodeRow[]): boolean {
  const counted = rows.filter(({ text }) => !isComment(text) && !isData(text).isBracket);
  if (counted.length === 1) return isCodeLine(counted[0]!.text);
  const signed = counted.filter(
    (row) => isCommand(row.text) || hasStatement(row) || countSigns(row.text).signs > 0,
  );
  const prose = counted.filter(({ text }) => isProse(text));
  const isSigned = signed.length > 0 && signed.length >= minSigned * counted.length;
  return isSigned && prose.length <= maxProse * counted.length;
}

/** Whether a row of a program, or a part of it next to a wide gap, is a statement. */
function hasStatement({ lines, text }: CodeRow): boolean {
  return isStatement(text) || (lines.length > 1 && lines.some((line) => isStatement(line.text)));
}

/** Whether a line has almost no letters in a font that is not of fixed width, such as those of words before a name. */
function isWhollyFixed({ glyphs }: TextLine): boolean {
  const shown = glyphs.filter(({ isBlank }) => !isBlank);
  const others = shown.filter(({ piece, text }) => piece.style.family !== 'mono' && /\p{L}/u.test(text));
  return others.length <= maxOtherLetters * shown.length || others.length === shown.length;
}

function isCodeLine(text: string): boolean {
  if (isCommand(text)) return true;
  if (endOfSentence.test(text)) return false;
  const { signs, parts } = countSigns(text);
  return signs > 0 && signs >= minSignsOfLine * parts && !isProse(text);
}

/** Whether a line in any font can be a part of commands or data. */
function isCertain({ text }: TextLine): boolean {
  const { isKey, isBracket } = isData(text);
  return isKey || isBracket || isName(text) || isCommand(text);
}

function isCommandsOrData(rows: readonly CodeRow[]): boolean {
  const keys = rows.filter(({ text }) => isData(text).isKey);
  return (
    keys.length >= minEntries ||
    rows.some(({ text }) => isCommand(text) && (countSigns(text).signs > 0 || address.test(text)))
  );
}

/** Returns the name of the font of a line's first letter. */
function fontOf({ glyphs }: TextLine): string | undefined {
  return glyphs.find(({ isBlank }) => !isBlank)?.piece.shown.font.name;
}

/** Signs by which lines of programs, data and commands differ from prose. */

/** The maximum length of a line that is read, in UTF-16 units. The limit bounds the time of the patterns. */
const maxLength = 200;

/** Patterns of lines that only programs have. Prose, forms and receipts in a fixed-width font must not match. */
const statements: readonly RegExp[] = [
  // An assignment or a comparison: `total += 1;`, `layout = model.detect(image)`, `if (a == b)`
  /^\s*(?:(?:var|let|const|int|long|float|double|char|bool|auto|string)\s+)?[A-Za-z_$][\w.$]*(?:\[[^\]]*\])?\s*(?::=|[-+*/%|&^]?=)\s*(?:[^\s=].*;\s*$|["'[{]|[\w.]+[([]|[A-Za-z_$]\w*\.[A-Za-z_])/u,
  /^\s*[A-Z]\w*(?:<[\w<>, ]*>)?\s+[a-z]\w*\s*=\s*\S.*[;(]\s*$/u,
  /[\w)\]]\s*(?:===?|!==?|&&|<<|::|->|=>)\s*[\w(["'!*&-]/u,
  /\w(?:\+\+|--)\s*[;)]/u,
  // An assignment to a name with an underscore: `ci_lower = mean - margin`; named arguments: `options(width = 14, digits = 3)`
  /^\s*(?=[a-z]{2}\w*_)[a-z][\w.]*\s*(?:=|<-)\s*(?:["'[{(]|[\w.]+(?:\(|\s*[-+*/]\s*[\w(]))/u,
  /^\s*(?:[\w.]+\s*<-\s*)?[a-z_][\w.]*\([a-z_][\w.]*\s*=\s*(?:\w+\(|[^,()]*,\s*[a-z_][\w.]*\s*[=(])/u,
  // A call: `print(i);`, `run()`, `printf("hello")`
  /^\s*print\(f?["'].*\)\s*$/u,
  /^\s*(?:(?:await|return|yield)\s+)?[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*\(.*\)\s*;\s*$/u,
  /^\s*[a-z_$][\w$]*\((?:["'][^"']*["'][^"']*|[\w.]+,[\w., ]+)?\)\s*\{?\s*$/u,
  /^\s*[a-z_$][\w$]*(?:\.[a-zA-Z_$][\w$]*)+\(/u,
  /^\s*\.[a-z]\w*\(/u,
  // A control structure or a declaration
  /^\s*\}?\s*(?:if|for|while|switch|catch|else if|elif)\s*\(.*\)\s*\{?\s*$/u,
  /^\s*(?:if|elif|while|except)\s+(?:not\s+)?[\w.]+(?:\(.*\))?:\s*$/u,
  /^\s*(?:else|try|finally)\s*:\s*$|^\s*(?:pass|break|continue)\s*;?\s*$/u,
  /^\s*(?:def|function|func|fn)\s+\w+\s*\(/u,
  /^\s*(?:import|from)\s+[\w.]+\s+(?:as|import)\s+\w/u,
  /^\s*(?:import(?: static)?|using|package|require|include)\s+["'<]?[\w./:]+[">']?\s*;\s*$/u,
  /^\s*(?:public|private|protected|static|final|export|abstract)\s.*[({;}]\s*$/u,
  /^\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed)\s+)+(?:class|interface|struct|enum)\s+[A-Z]\w*\s*(?:[:{<(]|$|extends\b|implements\b)/u,
  /^\s*namespace\s+\w+(?:\.\w+)*\s*[{;]?\s*$/u,
  /^\s*(?:return|break|continue|throw|goto)\b[^.!?]*;\s*$/u,
  /\)\s*\{\s*$/u,
  /^\s*[})\]]+[;,]\s*$/u,
  // A directive, a comment, a prompt
  /^\s*#\s*(?:include|define|ifdef|ifndef|endif|pragma|undef|!)/u,
  /^\s*(?:\/\*|\*\/|\/\/\s?\w)/u,
  /^\s*(?:\$|>>>|[\w.-]+@[\w.-]+[:~][^ ]*[$#])\s+[a-z./][\w./-]*/u,
  // Markup and data: `<title>`, `"key": value`
  /^\s*<(?:\/[\w:-]+|[A-Za-z][\w:-]*(?:\s+[\w:-]+=["'][^<>]*)?\/?|!--.*|\?xml.*)>/u,
  /^\s*"[\w.-]+"\s*:\s*\S/u,
  // A query
  /\bSELECT\b.*\bFROM\b|^\s*(?:INSERT INTO|DELETE FROM|(?:CREATE|ALTER|DROP)\s+(?:OR REPLACE\s+)?(?:TABLE|VIEW|INDEX|FUNCTION|PROCEDURE|PERMISSION|MASK))\b/u,
  // An instruction of an assembler: `mov eax, 1`
  /^\s*(?:\w+:\s*)?(?:mov\w?|lea|cmp|push|pop|jmp|jne|call|add|sub|xor)\s+(?:[%$]?[a-z]\w{1,3}|\[\w+\])(?:\s*,\s*\S+)?\s*$/u,
];

const lineNumber = /^\s*\d{1,4}[:.]?\s+/u;

/** Whether a line is a statement of a program, a part of markup or data, or a command with a prompt. */
function isStatement(text: string): boolean {
  if (text.length > maxLength) return false;
  const statement = text.replace(lineNumber, '');
  return statements.some((pattern) => pattern.test(statement));
}

/** A comment up to the end of its line. Programs may have more comments than statements. */
const comment = /^\s*(?:#|\/\/|--(?!\w)|\*)/u;

function isComment(text: string): boolean {
  return comment.test(text);
}

/** A line of a program that is a statement for certain, so it needs no others around it. */
const complete =
  /[\w$)\]]\(.*\)\s*;\s*\}?$|^\s*[a-z_]\w*(?:\.\w+)+\(.*\)\s*$|^\s*#include\s*[<"]|;\s*\}$|^\s*(?:var|let|const|int|long|float|double|char|bool|auto)\s+\w+\s*=.*;$/u;

function isCompleteStatement(text: string): boolean {
  return isStatement(text) && complete.test(text);
}

const brackets = /^[\s()[\]{},;]+$/u;
const key = /^\s*"[\w.-]+"\s*:\s*\S/u;

/** Whether a line is an entry of JSON data, or consists of its brackets. */
function isData(text: string): { isKey: boolean; isBracket: boolean } {
  if (text.length > maxLength) return { isKey: false, isBracket: false };
  return { isKey: key.test(text), isBracket: brackets.test(text) };
}

/** Programs whose names are not words of a language. */
const programs =
  'adb apt apt-get awk bash bitbake brew bzip2 cd chmod chown cmake conda cp curl cygpath dd df dnf docker dpkg ' +
  'fdisk g++ gcc git gpg grep gunzip gzip ifconfig insmod ip ipconfig javac jq kubectl ln ls lsusb md5sum mkdir mkfs modprobe ' +
  'msiexec mv mysql nano netsh netstat nginx nmap node npm npx nslookup nvm openssl passwd perl pip pip3 pnpm psql pwd ' +
  'pytest python python3 qemu rm rmdir rpm rsync rustup scp sed sftp snap ssh sudo systemctl tar traceroute umount ' +
  'unzip useradd usermod vi vim wget winget wsl xargs xcopy yarn yum';
/** Programs that are also words. They are commands only with an option, a path or a similar argument. */
const words =
  'ansible cargo cat composer copy diff du echo env exit export find go head helm java kill less make more mount move php ping ps ' +
  'reboot ruby run set sh sort source start tail tee terraform touch which xvic';
const either = (names: string) => names.replaceAll('+', String.raw`\+`).replaceAll(' ', '|');
const prompt = String.raw`^\s*(?:(?:\$|>|%|[a-z][\w-]{0,19}[#$%>]|[A-Z]:\\\S*>)\s+)?(?:sudo\s+(?:-\w+\s+)*)?`;
const program = new RegExp(`${prompt}(?:${either(programs)})(?=\\s|$)(.*)$`, 'u');
const word = new RegExp(`${prompt}(?:${either(words)})(?=\\s|$)(.*)$`, 'u');
/** A program in a folder: `./configure --help`. */
const local = /^\s*(?:[$>%]\s+)?\.\/[\w./-]+(\s.*)?$/u;

/** Arguments of commands and parts of programs: options, paths, variables, calls and names with signs in them. */
const signs: readonly RegExp[] = [
  /^--?[A-Za-z][\w-]*(?:=\S*)?$/u,
  /^["'(]?(?:~|\.{1,2})?\/(?=.*[A-Za-z~$*])[\w.~+<>$-]+[\w./~+<>${}*-]*["')]?$/u,
  /^~$/u,
  /^["']?[A-Z]:\\\S*$/u,
  /^[\w.+-]*[\w+-]\/\S*\.\p{Ll}{1,4}["']?$/u,
  /^["'(]*\$(?:\{|\(|[A-Za-z_])/u,
  /[\p{L}\p{Nd}]_+[\p{L}\p{Nd}]/u,
  /^["'(!@.]*[a-z]{2,}[a-z\d]*[A-Z][a-z]\w*/u,
  /^[A-Z][a-z]+-[A-Z][a-z]*[A-Z]\w*$/u,
  /[A-Za-z]\w*\(\)|[a-z]\w*\(["'[&*]|^[a-z]\w*(?:\.[a-z]\w*)+\(/u,
  /\w(?:::|->|=>|:=|==|!=|&&|\|\|)|^(?:::=?|:=|==|!=|&&|\|\||>>|<<|[|\\])$/u,
  /^[A-Za-z_][\w.-]*=[\w"'$([{./]\S*$/u,
  /^<\/?[A-Za-z_][\w-]*>[,;)]?$/u,
  /[)\]}];$/u,
];

/** Words in a row, as only prose has them. */
const prose = /(?<![-\w/.])(?:\p{L}[\p{Ll}’']*[,;:]?\s+){3}\p{L}[\p{Ll}’']*(?![-\w/=(])/u;
const quotedOrComment = /"[^"]*"|(?<!\p{L})'[^']*'|\s#.*$|\/\/.*$/gu;
/** Verbs and small words that follow the name of a program in prose. */
const afterName =
  /^\s+(?:is|are|was|will|can|has|and|or|the|a|to|for|in|of|on|with|command|commands|tool|file|files)\b/u;

/** Whether a line contains a row of words, outside of quotes and comments. */
function isProse(text: string): boolean {
  return prose.test(text.slice(0, maxLength).replace(quotedOrComment, ' · '));
}

/** Returns the number of parts of a line, between spaces, that are parts of programs or commands. */
function countSigns(text: string): { signs: number; parts: number } {
  const parts = text.slice(0, maxLength).trim().split(/\s+/u);
  return { signs: parts.filter((part) => signs.some((sign) => sign.test(part))).length, parts: parts.length };
}

/** Whether a line is a command of a shell, such as `mkdir -p /opt/tools`. */
function isCommand(text: string): boolean {
  if (text.length > maxLength) return false;
  const rest = program.exec(text)?.[1];
  const others = rest ?? (word.exec(text) ?? local.exec(text))?.[1];
  if (others === undefined || isProse(text)) return false;
  if (rest !== undefined) return !afterName.test(rest) && !/\p{L}[.!?]$/u.test(rest);
  return countSigns(others).signs > 0;
}

/** Whether a line is only the name of a program, such as `exit`. */
function isName(text: string): boolean {
  return word.exec(text)?.[1] === '' || program.exec(text)?.[1] === '';
}
