import type { CallOptions } from './options.ts';
import { createPolling } from './polling.ts';
import type { Backoff } from './retry.ts';

/** How a job at the service is watched. `signal` ends the waiting, never the job. */
export interface WatchOptions<Job> extends CallOptions {
  /** Receives each new state while somebody waits, the first one included. What it throws, the waiting throws. */
  onProgress?: ((job: Job) => void) | undefined;
  /** Waits between two polls. */
  pollEvery?: Backoff | undefined;
}

/** A job at the service that is polled while somebody waits for it. */
export interface Watched<Job, Result> {
  /** As of the last poll. */
  readonly job: Job;
  /** Waits for the end. */
  done(): Promise<Result>;
  /** Each new state, the one at hand first. */
  states(): AsyncGenerator<Job, void, undefined>;
}

/**
 * Watches a job. However many wait, they share the polls.
 * @param look reads the state of the job, in one attempt
 * @param resultOf the result of a state; undefined while the job runs. Throws if the job failed.
 */
export function watch<Job, Result>(
  first: Job,
  look: () => Promise<Job>,
  resultOf: (job: Job) => Result | undefined,
  { onProgress, pollEvery, signal }: WatchOptions<Job> & { pollEvery: Backoff },
): Watched<Job, Result> {
  let job = first;
  let reported: Job | undefined;
  const poll = createPolling(
    async () => {
      const found = await look();
      if (JSON.stringify(found) !== JSON.stringify(job)) job = found;
    },
    pollEvery,
    signal,
  );
  const report = () => {
    if (reported === job) return;
    reported = job;
    onProgress?.(job);
  };

  return {
    get job() {
      return job;
    },
    async done() {
      for (;;) {
        report();
        const result = resultOf(job);
        if (result !== undefined) return result;
        await poll();
      }
    },
    async *states() {
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
