/** Options of one wait. */
export interface WaitOptions {
  /** Ends only this wait, which rejects with the signal's reason. The work and other waits continue. */
  signal?: AbortSignal | undefined;
}

/**
 * Work in progress at the service. The service is polled only while a caller waits in `pollUntilDone` or loops over
 * the states; several callers share the polls. If a poll fails for a temporary reason (no connection, 503), it is
 * repeated for up to five minutes. An error or a signal ends only this call, which can be repeated.
 */
export interface Poller<Job, Result> extends AsyncIterable<Job> {
  /** Whether the work had ended at the last poll, successfully or not. */
  readonly isDone: boolean;
  /**
   * The completed share of the work at the last poll, from 0 to 1. It never decreases, and it is 1 only if there is a
   * result.
   */
  readonly progress: number;
  /** Waits until the work has ended, and returns the result. */
  pollUntilDone(options?: WaitOptions): Promise<Result>;
  /** Returns a text with which another process can wait for the same work. */
  toString(): string;
  /**
   * Iterates over the states of the work, starting with the current one. If the work fails, its last state is
   * returned before the error is thrown.
   */
  [Symbol.asyncIterator](): AsyncIterator<Job, void, undefined>;
}
