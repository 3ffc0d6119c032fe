import { CsvError as ParserError } from 'csv-parse/sync';
import { decodeText, TextEncodingError } from '../text/decode.ts';
import { type IsHeader, sniffDelimiter } from './delimiter.ts';
import { CsvError } from './error.ts';
import { type CsvRow, eachRow, rowOf } from './rows.ts';

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
