import { parse } from 'csv-parse/sync';

/** What can stand between the cells of a row. */
export type Delimiter = ',' | '\t' | '|' | ';';

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
export function eachRow(text: string, delimiter: Delimiter, take: (written: string[]) => void): void {
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
export function rowOf(written: readonly string[], line: number): CsvRow | undefined {
  const multiline = written.flatMap((cell, place) => (cell.includes('\n') ? [place] : []));
  const row = { line, cells: written.map((cell) => cell.trim()), multiline };
  return multiline.length > 0 || row.cells.some((cell) => cell !== '') ? row : undefined;
}
