import type { FairShare } from '../../fair-share.ts';
import type { CallScope } from '../engine.ts';
import { UpstreamFailure } from './failure.ts';
import { delayBeforeRetry, type Sleep } from './pacing.ts';

/** The manners of calls to an upstream. */
export interface Manners {
  /** How often a question is asked again, for whatever reason. */
  retries: number;
  sleep: Sleep;
  /** A slot is held for an attempt, not between two. */
  fairShare: FairShare;
}

/**
 * Attempts a call until it succeeds, or trying again makes no sense. An attempt fails with an UpstreamFailure.
 * @throws AppError of B 7
 */
export async function attempt<T>(
  { retries, sleep, fairShare }: Manners,
  scope: CallScope,
  call: () => Promise<T>,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      scope.signal?.throwIfAborted();
      return await fairShare.run(scope, call);
    } catch (thrown) {
      if (scope.signal?.aborted) throw new UpstreamFailure('interrupted', 'the run is over').toAppError();
      if (!(thrown instanceof UpstreamFailure)) throw thrown;
      const wait = delayBeforeRetry(retry, thrown.retryAfterMs);
      if (!thrown.worthAsking || retry >= retries || wait === undefined) throw thrown.toAppError();
      await sleep(wait, scope.signal);
    }
  }
}
