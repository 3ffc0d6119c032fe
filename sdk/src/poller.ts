/** What one wait may do otherwise. */
export interface WaitOptions {
  /** Ends this wait alone, with the signal's reason; never the work, and no other wait. */
  signal?: AbortSignal | undefined;
}

/**
 * Work in progress at the service. It is polled only while a caller waits, in `pollUntilDone` or in a loop over its states; however many do,
 * they share the polls. A poll that fails temporarily (no connection, 503) is repeated, for up to five minutes. What ends the waiting, a
 * signal too, ends nothing else: wait again, or resume it.
 */
export interface Poller<Job, Result> extends AsyncIterable<Job> {
  /** Whether it has ended, well or not, as of the last poll. */
  readonly isDone: boolean;
  /** How much of it is done, from 0 to 1, as of the last poll. It never falls, and is 1 once there is a result, not before. */
  readonly progress: number;
  /** Waits for the end, and returns the result. */
  pollUntilDone(options?: WaitOptions): Promise<Result>;
  /** What another process resumes it by. */
  toString(): string;
  /** Each new state, the one at hand first. A failed one is the last before the error. */
  [Symbol.asyncIterator](): AsyncIterator<Job, void, undefined>;
}
