/** Milliseconds after which a reading without a result counts as failed. */
const patience = 3000;

/**
 * Returns a function that computes a result and caches it, also a failure. Concurrent calls share one computation.
 * Anyone may request readiness at any rate, and several tools may request the metrics.
 */
export function remembered<T>(maximumAgeMs: number, ask: () => Promise<T>): () => Promise<T> {
  let held: { result: Promise<T>; since: number } | undefined;
  return () => {
    if (held && performance.now() - held.since < maximumAgeMs) return held.result;
    const asked = { result: ask(), since: Number.POSITIVE_INFINITY };
    held = asked;
    const settle = () => {
      asked.since = performance.now();
    };
    asked.result.then(settle, settle);
    return asked.result;
  };
}

/** Resolves with the result of `work`. Rejects after three seconds without one; the work continues. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no result within ${patience} ms`)), patience);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
