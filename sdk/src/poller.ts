/** Options of one wait. */
export interface WaitOptions {
  /** Ends only this wait, with the signal's reason; never the work, and no other wait. */
  signal?: AbortSignal | undefined;
}

/**
 * Work in progress at the service. It is polled only while a caller waits, in `pollUntilDone` or in a loop over its
 * states; several callers share the polls. A poll that fails temporarily (no connection, 503) is repeated, for up to
 * five minutes. Errors and signals end only the waiting: wait again, or resume it.
 */
export interface Poller<Job, Result> extends AsyncIterable<Job> {
  /** Whether it has ended, successfully or not, as of the last poll. */
  readonly isDone: boolean;
  /**
   * The completed share, from 0 to 1, as of the last poll. It never decreases, and is 1 only once there is a result.
   */
  readonly progress: number;
  /** Waits for the end, and returns the result. */
  pollUntilDone(options?: WaitOptions): Promise<Result>;
  /** The text with which another process resumes it. */
  toString(): string;
  /** Each new state, the current one first. A failed one is the last before the error. */
  [Symbol.asyncIterator](): AsyncIterator<Job, void, undefined>;
}
