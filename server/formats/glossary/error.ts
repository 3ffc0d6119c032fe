/** A file that is no glossary. Its message is meant for whoever sent the file, and names the line where there is one. */
export class GlossaryFileError extends Error {
  override name = 'GlossaryFileError';
  /** Physical, from 1; null where the trouble is with the file as a whole. */
  readonly line: number | null;

  constructor(message: string, line: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.line = line;
  }

  static at(line: number, message: string): GlossaryFileError {
    return new GlossaryFileError(`line ${line}: ${message}`, line);
  }

  /** For what a file's format says, which names the line already. */
  static from(cause: Error & { line: number | null }): GlossaryFileError {
    return new GlossaryFileError(cause.message, cause.line, { cause });
  }
}
