/** Marks that an attempt's time was up. */
export class Expired {}

/** setTimeout counts in 32 bits, and fires at once where they do not suffice. */
const longestTimer = 2 ** 31 - 1;

/**
 * Runs `work` until it settles, `timeoutMs` pass (rejects with Expired) or `signal` aborts (rejects with its
 * reason). `work` is told to stop through the signal it is given; whether it listens is its own affair. Timer
 * and listener are gone when the promise settles.
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
    const timer = timeoutMs <= longestTimer ? setTimeout(() => stop(new Expired()), timeoutMs) : undefined;
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

/** Waits; an abort of `signal` ends the wait, and rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return withDeadline(() => new Promise<never>(() => {}), ms, signal).catch((reason) => {
    if (!(reason instanceof Expired)) throw reason;
  });
}
