import { CsvError as ParserError, parse } from 'csv-parse/sync';
import { decodeText, TextEncodingError } from '../text.ts';

/** The default first, then the others in order of preference: delimiters that are rarer in texts come first. */
const delimiters: readonly Delimiter[] = [',', '\t', '|', ';'];

/** The length of the sample that decides the delimiter, in UTF-16 units. */
const sampleLength = 4096;

/** Whether the trimmed cells of a row are column names. */
type IsHeader = (cells: readonly string[]) => boolean;

/**
 * Finds the delimiter of a file from its first 4096 characters:
 *
 * 1. The one delimiter with which the first row that is not blank is a header.
 * 2. If there is no such delimiter or several: the delimiter that occurs equally often on the most lines, outside quoted cells.
 * 3. If several tie: one that occurs at least once as more than punctuation. A comma or semicolon before a space is
 *   punctuation, and so is a comma between two digits.
 * 4. If several remain, or the sample has no delimiter: the comma, then tab, pipe and semicolon, in this order.
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

/** Returns the cells of the first row that is not blank; an empty array if it cannot be parsed. */
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

/** The occurrences of a delimiter on a line: in total, and other than as punctuation. */
interface Count {
  all: number;
  separating: number;
}

/** Counts each delimiter on each line. A line end within quotes does not end a line. */
function countDelimiters(sample: string): Count[][] {
  const emptyLine = () => delimiters.map((): Count => ({ all: 0, separating: 0 }));
  const lines = [emptyLine()];
  let inQuotes = false;
  let atCellStart = true;
  for (let at = 0; at < sample.length; at++) {
    const character = sample[at]!;
    const place = delimiters.indexOf(character as Delimiter);
    // An escaped quote (`""`) ends the quoting and starts it again.
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

/** Returns how many lines share the most common count. Lines without the delimiter do not count. */
function countAgreeing(counts: readonly Count[]): number {
  const linesOf = new Map<number, number>();
  for (const { all } of counts) if (all > 0) linesOf.set(all, (linesOf.get(all) ?? 0) + 1);
  return Math.max(0, ...linesOf.values());
}

/** A file that cannot be read as a table. The message is for the sender of the file and names the line, if known. */
export class CsvError extends Error {
  override name = 'CsvError';
  /** The row's first physical line, from 1; null if the whole file is the problem. */
  readonly line: number | null;

  constructor(message: string, line: number | null = null) {
    super(line === null ? message : `line ${line}: ${message}`);
    this.line = line;
  }
}

/** Limits far above the size of real tables. */
const limits = { rows: 100_000, columns: 1000 } as const;

/**
 * Reads the rows of a delimited file. Accepts UTF-8, UTF-16 with a byte order mark, and any line end; detects the delimiter. A
 * quoted cell may contain delimiters, line ends and doubled quotes. In a cell that does not start with a quote, a quote is an
 * ordinary character (`5" pipe`). Rows may differ in length. Blank rows are skipped.
 *
 * @param isHeader whether cells are column names; helps to detect the delimiter
 * @throws {CsvError} for other encodings, for quotes that do not close at the end of their cell, and above the limits
 */
export function readCsv(bytes: Uint8Array, isHeader: IsHeader = () => false): CsvRow[] {
  const text = decode(bytes);
  const rows: CsvRow[] = [];
  let line = 1;
  const take = (written: string[]): void => {
    if (written.length > limits.columns) throw overLimit('columns', line);
    const row = rowOf(written, line);
    if (row) rows.push(row);
    if (rows.length > limits.rows) throw overLimit('rows', line);
    // All line ends of a row except the last are inside its cells.
    line +=
      1 + (row?.multiline ?? []).reduce((ends, place) => ends + written[place]!.split('\n').length - 1, 0);
  };
  try {
    eachRow(text, sniffDelimiter(text, isHeader), take);
  } catch (error) {
    if (!(error instanceof ParserError)) throw error;
    throw new CsvError(explain(error), line);
  }
  return rows;
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

/** A delimiter between cells. */
type Delimiter = ',' | '\t' | '|' | ';';

/** A row that is not blank. */
export interface CsvRow {
  /** The physical line that it starts on, from 1. */
  line: number;
  /** Trimmed. */
  cells: string[];
  /** Indices of the cells that span several lines. */
  multiline: number[];
}

/**
 * Calls `take` with the cells of each row of a text, including blank rows. Cells have no surrounding spaces or quotes.
 *
 * @param text with `\n` as line end
 * @throws csv-parse's error for quotes that do not close at the end of their cell, after `take` received the previous rows
 */
function eachRow(text: string, delimiter: Delimiter, take: (written: string[]) => void): void {
  parse(text, {
    delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    relax_quotes: true,
    trim: true,
    // Null keeps the parser from collecting the rows.
    on_record: (cells: string[]) => {
      take(cells);
      return null;
    },
  });
}

/** Returns a row, or undefined if all its cells are blank and none spans several lines. */
function rowOf(written: readonly string[], line: number): CsvRow | undefined {
  const multiline = written.flatMap((cell, place) => (cell.includes('\n') ? [place] : []));
  const row = { line, cells: written.map((cell) => cell.trim()), multiline };
  return multiline.length > 0 || row.cells.some((cell) => cell !== '') ? row : undefined;
}
