/** Thrown when an attempt has timed out. */
export class Expired {}

/** setTimeout uses 32 bits and fires at once for longer times. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Runs `work` until it settles, `timeoutMs` pass (rejects with Expired) or `signal` aborts (rejects with its reason). `work`
 * gets a signal that aborts in the latter two cases, and may ignore it. Timer and listener are removed when the promise settles.
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

/** Waits. If `signal` aborts, the wait ends and the promise rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return withDeadline(() => new Promise<never>(() => {}), ms, signal).catch((reason) => {
    if (!(reason instanceof Expired)) throw reason;
  });
}
