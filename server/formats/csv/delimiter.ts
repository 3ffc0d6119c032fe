import { CsvError as ParserError } from 'csv-parse/sync';
import { type Delimiter, eachRow, rowOf } from './rows.ts';

/** The default first, then those that are rarer in texts first. */
const delimiters: readonly Delimiter[] = [',', '\t', '|', ';'];

/** How much of a file is looked at, in UTF-16 units (B 4.4). */
const sampleLength = 4096;

/** Whether the cells of a row, without the whitespace around them, are names of columns. */
export type IsHeader = (cells: readonly string[]) => boolean;

/**
 * The delimiter of a file, by its first 4096 characters (B 4.4):
 *
 * 1. The one under which the first row that is not blank is a header, where there is just one such.
 * 2. Else the one that stands equally often, quoted cells left out, on the most lines.
 * 3. Of several such, one that somewhere is no punctuation of the texts, where there is one: a comma or semicolon that a
 *    space follows is punctuation, and so is a comma between two digits.
 * 4. Of several left, or where there is no delimiter at all, the comma; else tab, pipe, semicolon in this order.
 *
 * @param text with `\n` as line end
 */
export function sniffDelimiter(text: string, isHeader: IsHeader): Delimiter {
  const sample = text.slice(0, sampleLength);
  const [named, ...others] = delimiters.filter((delimiter) => isHeader(firstRow(sample, delimiter)));
  if (named !== undefined && others.length === 0) return named;
  const lines = countDelimiters(sample);
  // The last line of a longer file is cut.
  if (text.length > sampleLength && lines.length > 1) lines.pop();
  const counts = delimiters.map((delimiter, place) => {
    const column = lines.map((line) => line[place]!);
    return {
      delimiter,
      agreeing: countAgreeing(column),
      separates: column.some((count) => count.separating > 0),
    };
  });
  const most = Math.max(...counts.map(({ agreeing }) => agreeing));
  const best = counts.filter(({ agreeing }) => agreeing === most);
  return (best.find(({ separates }) => separates) ?? best[0]!).delimiter;
}

/** The cells of the first row that is not blank; none where it cannot be read. */
function firstRow(sample: string, delimiter: Delimiter): string[] {
  let cells: string[] | undefined;
  try {
    eachRow(sample, delimiter, (written) => {
      cells ??= rowOf(written, 1)?.cells;
    });
  } catch (error) {
    // A later row may well be cut, or be no row under this delimiter.
    if (!(error instanceof ParserError)) throw error;
  }
  return cells ?? [];
}

/** How often a delimiter stands on a line, and how often of these where it is no punctuation. */
interface Count {
  all: number;
  separating: number;
}

/** The counts of each delimiter on each line. A line end within quotes is none. */
function countDelimiters(sample: string): Count[][] {
  const emptyLine = () => delimiters.map((): Count => ({ all: 0, separating: 0 }));
  const lines = [emptyLine()];
  let inQuotes = false;
  let atCellStart = true;
  for (let at = 0; at < sample.length; at++) {
    const character = sample[at]!;
    const place = delimiters.indexOf(character as Delimiter);
    // An escaped quote, which is two, ends the quoting and begins it again.
    if (character === '"') inQuotes = !inQuotes && atCellStart;
    else if (inQuotes) continue;
    else if (character === '\n') lines.push(emptyLine());
    else if (place >= 0) {
      const count = lines.at(-1)![place]!;
      count.all += 1;
      if (!isPunctuation(sample, at)) count.separating += 1;
    }
    atCellStart = place >= 0 || character === '\n' || (atCellStart && /["\s]/.test(character));
  }
  return lines;
}

/** Whether a delimiter stands as a comma or semicolon does in a sentence, or as a comma does in a number. */
function isPunctuation(sample: string, at: number): boolean {
  const around = sample.slice(Math.max(0, at - 1), at + 2);
  return /[,;] $/.test(around) || /^\d,\d$/.test(around);
}

/** How many lines have the count, other than none, that most of them have. */
function countAgreeing(counts: readonly Count[]): number {
  const linesOf = new Map<number, number>();
  for (const { all } of counts) if (all > 0) linesOf.set(all, (linesOf.get(all) ?? 0) + 1);
  return Math.max(0, ...linesOf.values());
}
