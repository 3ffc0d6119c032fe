/** Delimited files: bytes to rows, each with the line that it is on. */
export { CsvError } from './error.ts';
export { readCsv } from './read.ts';
export type { CsvRow } from './rows.ts';
