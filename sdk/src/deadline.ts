/** Thrown when an attempt has timed out. */
export class Expired {}

/** setTimeout has 32 bits for the time; with longer times it fires immediately. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Runs `work` until it settles, `timeoutMs` milliseconds have passed (rejects with Expired), or `signal` aborts
 * (rejects with the signal's reason). In the last two cases, the signal that `work` has received aborts, too; `work`
 * may ignore it. Timer and listener are removed when the returned promise settles.
 */
export function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const controller = new AbortController();
    const stop = (reason: unknown) => {
      settle();
      reject(reason);
      controller.abort(reason);
    };
    const onAbort = () => stop(signal?.reason);
    const timer = timeoutMs <= maxTimerMs ? setTimeout(() => stop(new Expired()), timeoutMs) : undefined;
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    work(controller.signal).then(
      (value) => {
        settle();
        resolve(value);
      },
      (reason) => {
        settle();
        reject(reason);
      },
    );
  });
}

/** Waits for some milliseconds. If `signal` aborts, the promise rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return withDeadline(() => new Promise<never>(() => {}), ms, signal).catch((reason) => {
    if (!(reason instanceof Expired)) throw reason;
  });
}
