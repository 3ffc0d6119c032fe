import { CsvError as ParserError, parse } from 'csv-parse/sync';
import { decodeText, TextEncodingError } from '../text/index.ts';
import { sniffDelimiter } from './delimiter.ts';
import { CsvError } from './error.ts';

/** A row that is not blank. */
export interface CsvRow {
  /** The physical line that it starts on, from 1. */
  line: number;
  /** Without the whitespace around them. */
  cells: string[];
  /** Places of the cells that run across lines. */
  multiline: number[];
}

/** Far above what a table for this service holds. */
const limits = { rows: 100_000, columns: 1000 } as const;

/**
 * The rows of a delimited file (B 4.4 "CSV rules"): UTF-8 or UTF-16 with a byte order mark, any line end, the delimiter
 * sniffed. A quoted cell may hold delimiters, line ends and doubled quotes; a quote within a cell that does not start
 * with one is itself (`5" pipe`). Rows may differ in length; those whose cells are all blank are skipped.
 *
 * @throws {CsvError} for other encodings, quotes that do not close where their cell ends, and a file past its limits
 */
export function readCsv(bytes: Uint8Array): CsvRow[] {
  const text = decode(bytes);
  const rows: CsvRow[] = [];
  let line = 1;
  const take = (written: string[]): void => {
    if (written.length > limits.columns) throw overLimit('columns', line);
    const multiline = written.flatMap((cell, place) => (cell.includes('\n') ? [place] : []));
    const row = { line, cells: written.map((cell) => cell.trim()), multiline };
    if (multiline.length > 0 || row.cells.some((cell) => cell !== '')) rows.push(row);
    if (rows.length > limits.rows) throw overLimit('rows', line);
    // All line ends of a row but its last are within its cells.
    line += 1 + multiline.reduce((ends, place) => ends + written[place]!.split('\n').length - 1, 0);
  };
  try {
    parse(text, {
      delimiter: sniffDelimiter(text),
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
