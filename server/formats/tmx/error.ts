/**
 * Why a file is no memory that can be read: its bytes are no text in an accepted encoding; it is not XML, or another
 * kind of XML; it declares or uses entities; it is not well-formed; its elements are nested too deep.
 */
export type TmxReason = 'encoding' | 'not_xml' | 'not_tmx' | 'forbidden' | 'malformed' | 'too_deep';

/** A file that cannot be read. Its message is meant for whoever sent the file, and names the line where there is one. */
export class TmxError extends Error {
  override name = 'TmxError';
  readonly reason: TmxReason;
  /** Physical, from 1; null where the trouble is with the file as a whole. */
  readonly line: number | null;

  constructor(reason: TmxReason, message: string, line: number | null = null) {
    super(line === null ? message : `line ${line}: ${message}`);
    this.reason = reason;
    this.line = line;
  }
}
