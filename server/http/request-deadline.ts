import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';

/** The time limit of an API request, from the moment that its work begins. */
export interface RequestDeadline {
  /** Aborts at the deadline, with the error that the caller gets. */
  readonly signal: AbortSignal;
  /** Remaining milliseconds; 0 from the deadline on. */
  left(): number;
}

/**
 * Does `work` with one deadline for all of it, REQUEST_DEADLINE_SECONDS from now: if a model does not respond, the
 * caller must get a response before proxies in between time out. All calls of `work` have to end when the signal
 * aborts.
 */
export async function withRequestDeadline<T>(
  { REQUEST_DEADLINE_SECONDS: seconds }: Pick<Settings, 'REQUEST_DEADLINE_SECONDS'>,
  work: (deadline: RequestDeadline) => Promise<T>,
): Promise<T> {
  const until = performance.now() + seconds * 1000;
  const controller = new AbortController();
  // AbortSignal.timeout would keep its timer beyond the work.
  const timer = setTimeout(() => controller.abort(deadlineError(seconds)), seconds * 1000);
  try {
    return await work({
      signal: controller.signal,
      left: () => Math.max(0, until - performance.now()),
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Seconds after which a caller may send the request again: the delay has probably ended. */
const retryAfter = 5;

/** The error of a request that was not done at its deadline. */
function deadlineError(seconds: number): AppError {
  return new AppError(
    'transient_error',
    `the request exceeded its deadline of ${seconds} s; send it again with the same Idempotency-Key, or split a long text or a large batch`,
    { retryAfter },
  );
}
