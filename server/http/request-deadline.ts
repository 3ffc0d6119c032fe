import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';

/** The time limit of an API request, from the moment that its work begins. */
export interface RequestDeadline {
  /** Aborts at the deadline. The reason is the error that the caller gets. */
  readonly signal: AbortSignal;
  /** Returns the milliseconds until the deadline; 0 after it. */
  left(): number;
}

/**
 * Runs `work` with one deadline, REQUEST_DEADLINE_SECONDS from now. If a model does not respond, the caller must get
 * a response before proxies in between time out. Every call that `work` makes must end when the signal aborts.
 */
export async function withRequestDeadline<T>(
  { REQUEST_DEADLINE_SECONDS: seconds }: Pick<Settings, 'REQUEST_DEADLINE_SECONDS'>,
  work: (deadline: RequestDeadline) => Promise<T>,
): Promise<T> {
  const until = performance.now() + seconds * 1000;
  const controller = new AbortController();
  // AbortSignal.timeout would keep its timer after the work has ended.
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

/** Seconds after which a caller may send the request again, because the cause of the delay has probably ended. */
const retryAfter = 5;

/** The error of a request that did not complete before its deadline. */
function deadlineError(seconds: number): AppError {
  return new AppError(
    'transient_error',
    `the request exceeded its deadline of ${seconds} s; send it again with the same Idempotency-Key, or split a long text or a large batch`,
    { retryAfter },
  );
}
