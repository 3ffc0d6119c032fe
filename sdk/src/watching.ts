import { Expired, withDeadline } from './deadline.ts';
import { TimeoutError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { isInProgress, TranslationFailedError, TranslationPendingError } from './outcome-errors.ts';
import { createPolling, maxPollIntervalMs, usualPolling } from './polling.ts';
import type { Backoff } from './retry.ts';
import type { TranslationJob } from './types.ts';

/** Options to wait for a job. `signal` ends only the wait, never the job. */
export interface WatchOptions<Job> extends CallOptions {
  /**
   * Called with each new state of the job while a caller waits, starting with the current one. `progress` is the
   * completed share, from 0 to 1. If the callback throws, the wait throws the same error.
   */
  onProgress?: ((job: Job, progress: number) => void) | undefined;
  /** The time between two polls. */
  pollEvery?: Backoff | undefined;
}

/** The functions for a kind of job. */
export interface Watched<Job, Result> {
  /** Reads the state of the job with one request, without retries. */
  look(stop: AbortSignal): Promise<Job>;
  /** Returns the result of a state; undefined while the job is in progress. Throws if the job has failed. */
  resultOf(job: Job): Result | undefined;
  /** The completed share of a job, from 0 to 1. */
  shareOf(job: Job): number;
}

/** The highest progress that is reported as long as there is no result. */
const almostDone = 0.99;

/** Returns a poller for a job. All callers share its polls. */
export function watch<Job, Result>(
  first: Job,
  { look, resultOf, shareOf }: Watched<Job, Result>,
  { onProgress, pollEvery, signal }: WatchOptions<Job> & { pollEvery: Backoff },
): Omit<Poller<Job, Result>, 'toString'> & { readonly job: Job } {
  let job = first;
  let reported: Job | undefined;
  let progress = 0;
  let end: 'none' | 'result' | 'failure' = 'none';
  const take = (state: Job) => {
    job = state;
    try {
      end = resultOf(job) === undefined ? 'none' : 'result';
    } catch {
      end = 'failure';
    }
    progress = end === 'result' ? 1 : Math.max(progress, Math.min(shareOf(job), almostDone));
  };
  const poll = createPolling(
    async (stop) => {
      const found = await look(stop);
      if (JSON.stringify(found) !== JSON.stringify(job)) take(found);
    },
    pollEvery,
    signal,
  );
  const report = () => {
    if (reported === job) return;
    reported = job;
    onProgress?.(job, progress);
  };
  take(first);

  return {
    get job() {
      return job;
    },
    get isDone() {
      return end !== 'none';
    },
    get progress() {
      return progress;
    },
    async pollUntilDone(options) {
      for (;;) {
        report();
        const result = resultOf(job);
        if (result !== undefined) return result;
        await poll(options?.signal);
      }
    },
    async *[Symbol.asyncIterator]() {
      for (let seen: { job: Job } | undefined; ; ) {
        report();
        if (seen?.job !== job) {
          seen = { job };
          yield job;
        } else if (resultOf(job) !== undefined) return;
        else await poll();
      }
    },
  };
}

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

/** Options to wait for a translation. `signal` ends only the wait, never the job. */
export interface WaitForOptions extends Omit<WatchOptions<TranslationJob>, 'onProgress' | 'maxRetries'> {
  /**
   * Milliseconds for the whole wait. Default: 600,000. After a timeout, send the text again with its idempotency key.
   */
  timeout?: number | undefined;
}

/**
 * Milliseconds after which a pending job counts as stale. If it is sent again with its idempotency key, the service
 * then starts it again.
 */
const staleAfter = 600_000;

/**
 * Waits until a job is no longer in progress.
 * @param read reads the job
 * @param patience timeout of one attempt, in milliseconds
 * @throws TranslationPendingError if the job is still in progress after `timeout`
 */
export async function waitForJob(
  call: string,
  read: (options: CallOptions) => Promise<TranslationJob>,
  patience: number,
  { signal, timeout = staleAfter, requestId, headers, pollEvery = usualPolling }: WaitForOptions = {},
): Promise<TranslationJob> {
  const each = { requestId, headers, timeout: Math.min(patience, maxPollIntervalMs) };
  let last: TranslationJob | undefined;
  const wait = async (stop: AbortSignal) => {
    last = await read({ ...each, signal: stop });
    const look = async (ended: AbortSignal) => {
      last = await read({ ...each, signal: ended, maxRetries: 0 });
      return last;
    };
    return watch(last, { look, resultOf, shareOf: () => 0 }, { pollEvery, signal: stop }).pollUntilDone();
  };
  try {
    return await withDeadline(wait, timeout, signal);
  } catch (thrown) {
    if (!(thrown instanceof Expired)) throw thrown;
    throw last ? new TranslationPendingError(call, timeout, [last]) : new TimeoutError(call, timeout);
  }
}

/**
 * Returns the jobs of a call when all have ended. A call gets jobs in progress if an earlier request with its idempotency
 * key is still in progress.
 * @param wait returns a job when it has ended
 * @param timeout milliseconds for all jobs together
 * @throws TranslationPendingError with all jobs, in their latest state, if one is still in progress after `timeout`
 */
export async function waitForAll(
  call: string,
  jobs: readonly TranslationJob[],
  wait: (jobId: string, options: WaitForOptions) => Promise<TranslationJob>,
  { timeout, ...options }: WaitForOptions & { timeout: number },
): Promise<TranslationJob[]> {
  const end = Date.now() + timeout;
  const latest = [...jobs];
  for (const [index, job] of jobs.entries()) {
    if (!isInProgress(job)) continue;
    try {
      latest[index] = await wait(job.id, { ...options, timeout: Math.max(end - Date.now(), 0) });
    } catch (thrown) {
      if (!(thrown instanceof TimeoutError)) throw thrown;
      if (thrown instanceof TranslationPendingError) latest[index] = thrown.job;
      throw new TranslationPendingError(call, timeout, latest);
    }
  }
  return latest;
}

function resultOf(job: TranslationJob): TranslationJob | undefined {
  if (job.status === 'failed') throw new TranslationFailedError(job);
  return isInProgress(job) ? undefined : job;
}
