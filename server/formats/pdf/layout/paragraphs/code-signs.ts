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
export function isStatement(text: string): boolean {
  if (text.length > maxLength) return false;
  const statement = text.replace(lineNumber, '');
  return statements.some((pattern) => pattern.test(statement));
}

/** A comment up to the end of its line. Programs may have more comments than statements. */
const comment = /^\s*(?:#|\/\/|--(?!\w)|\*)/u;

export function isComment(text: string): boolean {
  return comment.test(text);
}

/** A line of a program that is a statement for certain, so it needs no others around it. */
const complete =
  /[\w$)\]]\(.*\)\s*;\s*\}?$|^\s*[a-z_]\w*(?:\.\w+)+\(.*\)\s*$|^\s*#include\s*[<"]|;\s*\}$|^\s*(?:var|let|const|int|long|float|double|char|bool|auto)\s+\w+\s*=.*;$/u;

export function isCompleteStatement(text: string): boolean {
  return isStatement(text) && complete.test(text);
}

const brackets = /^[\s()[\]{},;]+$/u;
const key = /^\s*"[\w.-]+"\s*:\s*\S/u;

/** Whether a line is an entry of JSON data, or consists of its brackets. */
export function isData(text: string): { isKey: boolean; isBracket: boolean } {
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
export function isProse(text: string): boolean {
  return prose.test(text.slice(0, maxLength).replace(quotedOrComment, ' · '));
}

/** Returns the number of parts of a line, between spaces, that are parts of programs or commands. */
export function countSigns(text: string): { signs: number; parts: number } {
  const parts = text.slice(0, maxLength).trim().split(/\s+/u);
  return { signs: parts.filter((part) => signs.some((sign) => sign.test(part))).length, parts: parts.length };
}

/** Whether a line is a command of a shell, such as `mkdir -p /opt/tools`. */
export function isCommand(text: string): boolean {
  if (text.length > maxLength) return false;
  const rest = program.exec(text)?.[1];
  const others = rest ?? (word.exec(text) ?? local.exec(text))?.[1];
  if (others === undefined || isProse(text)) return false;
  if (rest !== undefined) return !afterName.test(rest) && !/\p{L}[.!?]$/u.test(rest);
  return countSigns(others).signs > 0;
}

/** Whether a line is only the name of a program, such as `exit`. */
export function isName(text: string): boolean {
  return word.exec(text)?.[1] === '' || program.exec(text)?.[1] === '';
}
