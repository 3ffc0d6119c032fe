/** Delimited files: bytes to rows, each with the line that it is on. */
export { CsvError } from './error.ts';
export { type CsvRow, readCsv } from './read.ts';
