import { AppError } from '#server/errors.ts';

/** The time limit of an API request, from the moment that its work begins. */
interface RequestDeadline extends Disposable {
  /** Aborts at the deadline. The reason is the error that the caller gets. */
  readonly signal: AbortSignal;
}

/**
 * Starts a deadline, which ends with the work that declares it (`using`). If a model does not respond, the caller must
 * get a response before proxies in between time out. Every call that the work makes must end when the signal aborts.
 * @param seconds for a request, REQUEST_DEADLINE_SECONDS
 */
export function startDeadline(seconds: number): RequestDeadline {
  const controller = new AbortController();
  // AbortSignal.timeout would keep its timer after the work has ended.
  const timer = setTimeout(() => controller.abort(deadlineError(seconds)), seconds * 1000);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
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
