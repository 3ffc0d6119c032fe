import { UpstreamFailure } from './upstream-failure.ts';

/** The failures that concern the endpoint and not only one text. */
export const endpointFailures: readonly UpstreamFailure['kind'][] = [
  'saturated',
  'outage',
  'misconfigured',
  'unsupported',
];

/** Number of endpoint failures in a row after which the first endpoint is left out. */
const failuresToSkip = 3;
/** Milliseconds until one request tries it again. */
const skipMs = 30_000;

/** Remembers whether an endpoint works, so that no caller is delayed by one that has just failed several times. */
export function createHealth(now: () => number = () => performance.now()) {
  let failures = 0;
  let tryAgainAt = 0;
  return {
    /** Whether to send a request. After a pause, one caller gets true, and the others after another pause. */
    mayTry(): boolean {
      if (failures < failuresToSkip) return true;
      if (now() < tryAgainAt) return false;
      tryAgainAt = now() + skipMs;
      return true;
    },
    works(): void {
      failures = 0;
    },
    failed(): void {
      failures++;
      if (failures === failuresToSkip) tryAgainAt = now() + skipMs;
    },
  };
}

/** The failure that caused the error of a call. */
export function failureOf(thrown: unknown): UpstreamFailure | undefined {
  const { cause } = (thrown ?? {}) as { cause?: unknown };
  return cause instanceof UpstreamFailure ? cause : undefined;
}
