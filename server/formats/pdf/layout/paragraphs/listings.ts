import { runsOf } from '../../statistics.ts';
import {
  countSigns,
  isCommand,
  isComment,
  isCompleteStatement,
  isData,
  isName,
  isProse,
  isStatement,
} from './code-signs.ts';
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
