import type { TextLine } from './text-lines.ts';

/** The maximum distance between the baselines of neighboring lines in a listing, as a factor of the font size. */
const maxLeading = 2.6;
/** The minimum share of a listing's lines that must be statements. The others are comments, names and brackets. */
const minShare = 0.3;
/** The minimum number of statements of a listing with several lines. */
const minStatements = 2;

/** The maximum length of a statement, in UTF-16 units. The limit bounds the time of the patterns. */
const maxStatement = 200;

/** Patterns of lines that only programs have. Prose, forms and receipts in a fixed-width font must not match. */
const statements: readonly RegExp[] = [
  // An assignment or a comparison: `total += 1;`, `layout = model.detect(image)`, `if (a == b)`
  /^\s*(?:(?:var|let|const|int|long|float|double|char|bool|auto|string)\s+)?[A-Za-z_$][\w.$]*(?:\[[^\]]*\])?\s*(?::=|[-+*/%|&^]?=)\s*(?:[^\s=].*;\s*$|["'[{]|[\w.]+[([]|[A-Za-z_$]\w*\.[A-Za-z_])/u,
  /[\w)\]]\s*(?:===?|!==?|&&|<<|::|->|=>)\s*[\w(["'!*&-]/u,
  /\w(?:\+\+|--)\s*[;)]/u,
  // A call: `print(i);`, `run()`, `printf("hello")`
  /^\s*(?:(?:await|return|yield)\s+)?[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*\(.*\)\s*;\s*$/u,
  /^\s*[a-z_$][\w$]*\((?:["'][^"']*["'][^"']*|[\w.]+,[\w., ]+)?\)\s*\{?\s*$/u,
  /^\s*[a-z_$][\w$]*(?:\.[a-zA-Z_$][\w$]*)+\(/u,
  // A control structure or a declaration
  /^\s*\}?\s*(?:if|for|while|switch|catch|else if|elif)\s*\(.*\)\s*\{?\s*$/u,
  /^\s*(?:if|elif|while|except)\s+(?:not\s+)?[\w.]+(?:\(.*\))?:\s*$/u,
  /^\s*(?:else|try|finally)\s*:\s*$|^\s*(?:pass|break|continue)\s*;?\s*$/u,
  /^\s*(?:def|function|func|fn)\s+\w+\s*\(/u,
  /^\s*(?:import|from)\s+[\w.]+\s+(?:as|import)\s+\w/u,
  /^\s*(?:import|using|package|require|include)\s+["'<]?[\w./:]+[">']?\s*;\s*$/u,
  /^\s*(?:public|private|protected|static|final|export|abstract)\s.*[({;]\s*$/u,
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

/** A comment up to the end of its line. Programs may have more comments than statements. */
const comment = /^\s*(?:#|\/\/|--|\*)/u;
/** A line of a program that is a statement for certain, so it needs no others around it. */
const complete = /[\w$)\]]\(.*\)\s*;\s*\}?$|^\s*[a-z_]\w*(?:\.\w+)+\(.*\)\s*$|^\s*#include\s*[<"]|;\s*\}$/u;

/**
 * Finds program listings: neighboring lines in a fixed-width font, at least two of which, and at least 30% without comments,
 * are statements of a program. Other lines in a fixed-width font, such as letters and receipts, are translated.
 *
 * @param lines the lines of the page by rows, from the top
 */
export function findListings(lines: readonly TextLine[]): TextLine[][] {
  const listings: TextLine[][] = [];
  let open: TextLine[] = [];
  const close = () => {
    if (isProgram(open)) listings.push(open);
    open = [];
  };
  const fonts = new Set(lines.filter(({ isMono, isUniform }) => isMono && isUniform).map(fontOf));
  for (const line of lines) {
    // A line is also accepted if its font has a fixed width in other lines, because a short line has too few letters to
    // determine this.
    if (!line.isMono && !(line.isUniform && fonts.has(fontOf(line)))) continue;
    const last = open.at(-1);
    if (last && last.baseline - line.baseline > maxLeading * line.size) close();
    open.push(line);
  }
  close();
  return listings;
}

function isProgram(lines: readonly TextLine[]): boolean {
  const found = lines.filter(({ text }) => isStatement(text)).length;
  if (lines.length === 1) return found === 1 && complete.test(lines[0]!.text);
  const others = lines.filter(({ text }) => !isStatement(text) && !comment.test(text)).length;
  return found >= minStatements && found >= minShare * (found + others);
}

const lineNumber = /^\s*\d{1,4}[:.]?\s+/u;

function isStatement(text: string): boolean {
  if (text.length > maxStatement) return false;
  const statement = text.replace(lineNumber, '');
  return statements.some((pattern) => pattern.test(statement));
}

/** Returns the name of the font of a line's first letter. */
function fontOf({ glyphs }: TextLine): string | undefined {
  return glyphs.find(({ isBlank }) => !isBlank)?.piece.shown.font.name;
}
