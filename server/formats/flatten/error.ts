/**
 * Why a file gives no text: it is corrupt or of another format; it needs a password; there is no text in it; its bytes
 * are not text in an accepted encoding; it is over a limit of B 8.
 */
export type FlattenReason = 'unreadable' | 'protected' | 'empty' | 'not_text' | 'too_large';

/** A file that gives no text. Its message is meant for whoever sent the file, and names the limit where there is one. */
export class FlattenError extends Error {
  override name = 'FlattenError';
  readonly reason: FlattenReason;

  constructor(reason: FlattenReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
