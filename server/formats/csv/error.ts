/** A file that is no table. Its message is meant for whoever sent the file, and names the line where there is one. */
export class CsvError extends Error {
  override name = 'CsvError';
  /** Physical, from 1: the first of the row; null where the trouble is with the file as a whole. */
  readonly line: number | null;

  constructor(message: string, line: number | null = null) {
    super(line === null ? message : `line ${line}: ${message}`);
    this.line = line;
  }
}
