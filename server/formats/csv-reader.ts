import { CsvError as ParserError, parse } from 'csv-parse/sync';
import { decodeText, TextEncodingError } from './text.ts';

/** The default first, then those that are rarer in texts first. */
const delimiters: readonly Delimiter[] = [',', '\t', '|', ';'];

/** How much of a file is looked at, in UTF-16 units (B 4.4). */
const sampleLength = 4096;

/** Whether the cells of a row, without the whitespace around them, are names of columns. */
type IsHeader = (cells: readonly string[]) => boolean;

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
function sniffDelimiter(text: string, isHeader: IsHeader): Delimiter {
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

/** A file that cannot be read as a table. The message is for the sender of the file, and names the line if there is one. */
export class CsvError extends Error {
  override name = 'CsvError';
  /** Physical, from 1: the first of the row; null where the trouble is with the file as a whole. */
  readonly line: number | null;

  constructor(message: string, line: number | null = null) {
    super(line === null ? message : `line ${line}: ${message}`);
    this.line = line;
  }
}

/** Far above what a table for this service holds. */
const limits = { rows: 100_000, columns: 1000 } as const;

/**
 * The rows of a delimited file (B 4.4 "CSV rules"): UTF-8 or UTF-16 with a byte order mark, any line end, the delimiter
 * sniffed. A quoted cell may hold delimiters, line ends and doubled quotes; a quote within a cell that does not start
 * with one is itself (`5" pipe`). Rows may differ in length; those whose cells are all blank are skipped.
 *
 * @param isHeader whether the cells of the first row are names of columns, by which the delimiter is known
 * @throws {CsvError} for other encodings, quotes that do not close where their cell ends, and a file past its limits
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
    // All line ends of a row but its last are within its cells.
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
    : 'a quoted cell of this row goes on after its closing quote';
}

/** A delimiter between cells. */
type Delimiter = ',' | '\t' | '|' | ';';

/** A row that is not blank. */
export interface CsvRow {
  /** The physical line that it starts on, from 1. */
  line: number;
  /** Without the whitespace around them. */
  cells: string[];
  /** Places of the cells that run across lines. */
  multiline: number[];
}

/**
 * Calls `take` with each row of a text, blank ones too: its cells without the spaces around them or their quotes.
 *
 * @param text with `\n` as line end
 * @throws csv-parse's own error for quotes that do not close where their cell ends; the rows before were taken
 */
function eachRow(text: string, delimiter: Delimiter, take: (written: string[]) => void): void {
  parse(text, {
    delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    relax_quotes: true,
    trim: true,
    // Nothing is gathered by the parser itself.
    on_record: (cells: string[]) => {
      take(cells);
      return null;
    },
  });
}

/** The row of these cells; undefined where all of them are blank and none runs across lines. */
function rowOf(written: readonly string[], line: number): CsvRow | undefined {
  const multiline = written.flatMap((cell, place) => (cell.includes('\n') ? [place] : []));
  const row = { line, cells: written.map((cell) => cell.trim()), multiline };
  return multiline.length > 0 || row.cells.some((cell) => cell !== '') ? row : undefined;
}
