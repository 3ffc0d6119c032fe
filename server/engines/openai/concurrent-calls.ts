import type { CallScope } from '../engine.ts';

/** Concurrent calls of one task. */
const atOnce = 4;

/** Makes the calls, four at a time. Returns the results in the order of the calls. The first failure aborts the others, to save their cost. */
export async function callConcurrently<Call, T>(
  calls: readonly Call[],
  scope: CallScope,
  make: (call: Call, scope: CallScope) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  const others = new AbortController();
  const stop = (): void => others.abort();
  if (scope.signal?.aborted) stop();
  scope.signal?.addEventListener('abort', stop, { once: true });

  let failure: { thrown: unknown } | undefined;
  let next = 0;
  const callNext = async (): Promise<void> => {
    while (next < calls.length && !failure) {
      const index = next++;
      results[index] = await make(calls[index]!, { ...scope, signal: others.signal });
    }
  };
  const remember = (thrown: unknown): void => {
    failure ??= { thrown };
    stop();
  };
  try {
    const workers = Array.from({ length: Math.min(atOnce, calls.length) }, callNext);
    await Promise.all(workers.map((worker) => worker.catch(remember)));
  } finally {
    scope.signal?.removeEventListener('abort', stop);
  }
  if (failure) throw failure.thrown;
  return results;
}
