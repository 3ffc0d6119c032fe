import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';

/** How long a request of the API may take, from the moment that its work begins. */
export interface RequestDeadline {
  /** Aborts at the deadline, with the error that the caller gets. */
  readonly signal: AbortSignal;
  /** Milliseconds that are left; 0 from the deadline on. */
  left(): number;
}

/**
 * Does `work` with one deadline for all of it, REQUEST_DEADLINE_SECONDS from now: a model that hangs must not keep its caller longer than the
 * proxies in between wait. What `work` calls has to end by the signal.
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

/** Seconds after which a caller may send the request again: what held it up has had its time. */
const retryAfter = 5;

/** The error of a request that was not done at its deadline. */
function deadlineError(seconds: number): AppError {
  return new AppError(
    'transient_error',
    `not done within ${seconds} s, the deadline of a request: send it again with the same Idempotency-Key; if it is a long text or a large batch, split it`,
    { retryAfter },
  );
}
