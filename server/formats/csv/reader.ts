import { CsvError as ParserError, parse } from 'csv-parse/sync';
import { decodeText, TextEncodingError } from '../text.ts';

/**
 * The delimiters that the reader can detect. The comma is the default. The others are in order of preference: those
 * that are rarer in texts come first.
 */
const delimiters: readonly Delimiter[] = [',', '\t', '|', ';'];

/** The length of the sample from which the reader detects the delimiter, in UTF-16 units. */
const sampleLength = 4096;

/** Returns whether the trimmed cells of a row are column names. */
type IsHeader = (cells: readonly string[]) => boolean;

/**
 * Finds the delimiter of a file from its first 4096 characters:
 *
 * 1. If the first non-blank row is a header with exactly one of the delimiters: this delimiter.
 * 2. Otherwise: the delimiter that occurs equally often on the most lines. Occurrences in quoted cells do not count.
 * 3. If several delimiters tie: the one that occurs at least once other than as punctuation. A comma or semicolon
 *   before a space is punctuation, and so is a comma between two digits.
 * 4. If several delimiters remain, or if the sample has none: the first of comma, tab, pipe and semicolon.
 *
 * @param text with `\n` as line end
 */
function sniffDelimiter(text: string, isHeader: IsHeader): Delimiter {
  const sample = text.slice(0, sampleLength);
  const [named, ...others] = delimiters.filter((delimiter) => isHeader(firstRow(sample, delimiter)));
  if (named !== undefined && others.length === 0) return named;
  const lines = countDelimiters(sample);
  // The sample of a longer file has an incomplete last line.
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

/** Returns the cells of the first row that is not blank; an empty array if the row cannot be parsed. */
function firstRow(sample: string, delimiter: Delimiter): string[] {
  let cells: string[] | undefined;
  try {
    eachRow(sample, delimiter, (written) => {
      cells ??= rowOf(written, 1)?.cells;
    });
  } catch (error) {
    // This is expected: the sample may cut off a later row, or a later row may not parse with this delimiter.
    if (!(error instanceof ParserError)) throw error;
  }
  return cells ?? [];
}

/** The number of occurrences of a delimiter on a line: all of them, and those that are not punctuation. */
interface Count {
  all: number;
  separating: number;
}

/** Counts each delimiter on each line. A line end within quotes does not end the line. */
function countDelimiters(sample: string): Count[][] {
  const emptyLine = () => delimiters.map((): Count => ({ all: 0, separating: 0 }));
  const lines = [emptyLine()];
  let inQuotes = false;
  let atCellStart = true;
  for (let at = 0; at < sample.length; at++) {
    const character = sample[at]!;
    const place = delimiters.indexOf(character as Delimiter);
    // An escaped quote (`""`) ends the quoted text and starts it again, so it needs no special case.
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

/** Whether a delimiter is used like a comma or semicolon in a sentence, or like a comma in a number. */
function isPunctuation(sample: string, at: number): boolean {
  const around = sample.slice(Math.max(0, at - 1), at + 2);
  return /[,;] $/.test(around) || /^\d,\d$/.test(around);
}

/** Returns how many lines have the most common count of the delimiter. Lines without the delimiter are ignored. */
function countAgreeing(counts: readonly Count[]): number {
  const linesOf = new Map<number, number>();
  for (const { all } of counts) if (all > 0) linesOf.set(all, (linesOf.get(all) ?? 0) + 1);
  return Math.max(0, ...linesOf.values());
}

/**
 * The error for a file that cannot be read as a table. The message is for the sender of the file and names the line, if
 * known.
 */
export class CsvError extends Error {
  override name = 'CsvError';
  /** The first physical line of the invalid row, from 1; null if the error concerns the whole file. */
  readonly line: number | null;

  constructor(message: string, line: number | null = null, options?: ErrorOptions) {
    super(line === null ? message : `line ${line}: ${message}`, options);
    this.line = line;
  }
}

/** The limits are far above the size of real tables. */
const limits = { rows: 100_000, columns: 1000 } as const;

/**
 * Reads the rows of a delimited file. Accepts UTF-8, UTF-16 with a byte order mark, and any line end. Detects the
 * delimiter, which the first line may name (`sep=;`). A quoted cell may contain delimiters, line ends and doubled quotes. In a cell that does not start with a
 * quote, a quote is an ordinary character (`5" pipe`); in a file with tabs that is invalid otherwise, each quote is. Rows may differ in length. Blank rows are skipped.
 *
 * @param isHeader returns whether cells are column names; helps to detect the delimiter
 * @throws {CsvError} if the encoding is another one, if a quote does not close at the end of its cell, or if the file
 *   exceeds a limit
 */
export function readCsv(bytes: Uint8Array, isHeader: IsHeader = () => false): CsvRow[] {
  const { text, delimiter: named } = readSeparator(decode(bytes));
  const delimiter = named ?? sniffDelimiter(text, isHeader);
  try {
    return readRows(text, delimiter, true);
  } catch (error) {
    // Many programs write files with tabs without quoting cells.
    if (delimiter === '\t' && error instanceof CsvError && error.cause)
      return readRows(text, delimiter, false);
    throw error;
  }
}

function readRows(text: string, delimiter: Delimiter, hasQuotes: boolean): CsvRow[] {
  const rows: CsvRow[] = [];
  let line = 1;
  const take = (written: string[]): void => {
    if (written.length > limits.columns) throw overLimit('columns', line);
    const row = rowOf(written, line);
    if (row) rows.push(row);
    if (rows.length > limits.rows) throw overLimit('rows', line);
    // A row contributes one line end, and also the line ends inside its cells.
    line +=
      1 + (row?.multiline ?? []).reduce((ends, place) => ends + written[place]!.split('\n').length - 1, 0);
  };
  try {
    eachRow(text, delimiter, take, hasQuotes);
  } catch (error) {
    if (!(error instanceof ParserError)) throw error;
    throw new CsvError(explain(error), line, { cause: error });
  }
  return rows;
}

/** Reads the line with which Excel names the delimiter, `sep=;`. The line stays as a blank one, so that lines keep their numbers. */
function readSeparator(text: string): { text: string; delimiter: Delimiter | undefined } {
  const [line, separator] = /^"?sep=([^\n])"?[ \t]*(?=\n|$)/i.exec(text) ?? [];
  const delimiter = delimiters.find((one) => one === separator);
  return delimiter === undefined ? { text, delimiter } : { text: text.slice(line!.length), delimiter };
}

function decode(bytes: Uint8Array): string {
  try {
    return decodeText(bytes);
  } catch (error) {
    if (error instanceof TextEncodingError) throw new CsvError(error.message);
    throw error;
  }
}

function overLimit(what: keyof typeof limits, line: number): CsvError {
  return new CsvError(`the file has more than ${limits[what].toLocaleString('en-US')} ${what}`, line);
}

function explain({ code }: ParserError): string {
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'a quoted cell of this row is never closed'
    : 'a quoted cell of this row has text after its closing quote';
}

/**
 * Matches a cell that spreadsheets could run as a formula. An exported CSV file has an apostrophe before it, which makes it
 * a text, and also before such a cell with apostrophes, so that the first apostrophe can be removed again.
 */
export const formulaLike = /^'*[=+\-@\t\r＝＋－＠]/u;

/** A character that separates cells. */
type Delimiter = ',' | '\t' | '|' | ';';

/** A row that is not blank. */
export interface CsvRow {
  /** The physical line on which the row starts, from 1. */
  line: number;
  /** The cells of the row, without spaces at their edges. */
  cells: string[];
  /** The indices of the cells that span several lines. */
  multiline: number[];
  /** The indices of the quoted cells that had spaces at their edges. */
  trimmed: number[];
}

/**
 * Calls `take` with the cells of each row of a text, including blank rows. The cells are passed without surrounding
 * spaces and quotes.
 *
 * @param text with `\n` as line end
 * @throws {ParserError} of csv-parse if a quote does not close at the end of its cell. `take` has then received the
 *   previous rows
 */
function eachRow(
  text: string,
  delimiter: Delimiter,
  take: (written: string[]) => void,
  hasQuotes = true,
): void {
  parse(text, {
    delimiter,
    quote: hasQuotes ? '"' : null,
    record_delimiter: '\n',
    relax_column_count: true,
    relax_quotes: true,
    trim: true,
    // The callback returns null, so that the parser does not collect the rows.
    on_record: (cells: string[]) => {
      take(cells);
      return null;
    },
  });
}

/** Returns the row; undefined if all its cells are blank and none of them spans several lines. */
function rowOf(written: readonly string[], line: number): CsvRow | undefined {
  const multiline = written.flatMap((cell, place) => (cell.includes('\n') ? [place] : []));
  const cells = written.map((cell) => cell.trim());
  // The parser has removed the spaces around cells, so the others were within quotes.
  const trimmed = written.flatMap((cell, place) => (cell === cells[place] ? [] : [place]));
  const row = { line, cells, multiline, trimmed };
  return multiline.length > 0 || row.cells.some((cell) => cell !== '') ? row : undefined;
}
