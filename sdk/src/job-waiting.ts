import { Expired, withDeadline } from './deadline.ts';
import { TimeoutError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { TranslationFailedError } from './outcome-errors.ts';
import { maxPollIntervalMs, usualPolling } from './polling.ts';
import type { JobStatus, TranslationJob } from './types.ts';
import { type WatchOptions, watch } from './watching.ts';

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

const inProgress: ReadonlySet<JobStatus> = new Set(['pending', 'translated', 'approved']);

/**
 * Waits until a job is no longer in progress.
 * @param read reads the job
 * @param patience timeout of one attempt, in milliseconds
 */
export async function waitForJob(
  call: string,
  read: (options: CallOptions) => Promise<TranslationJob>,
  patience: number,
  { signal, timeout = staleAfter, requestId, headers, pollEvery = usualPolling }: WaitForOptions = {},
): Promise<TranslationJob> {
  const each = { requestId, headers, timeout: Math.min(patience, maxPollIntervalMs) };
  const wait = async (stop: AbortSignal) => {
    const first = await read({ ...each, signal: stop });
    const look = (ended: AbortSignal) => read({ ...each, signal: ended, maxRetries: 0 });
    return watch(first, { look, resultOf, shareOf: () => 0 }, { pollEvery, signal: stop }).pollUntilDone();
  };
  try {
    return await withDeadline(wait, timeout, signal);
  } catch (thrown) {
    if (thrown instanceof Expired)
      throw new TimeoutError(call, timeout, 'the job is still in progress: no result');
    throw thrown;
  }
}

function resultOf(job: TranslationJob): TranslationJob | undefined {
  if (job.status === 'failed') throw new TranslationFailedError(job);
  return inProgress.has(job.status) ? undefined : job;
}
