import type { CallScope } from '../engine.ts';

/** Calls of one task that are under way at a time. */
const atOnce = 4;

/** Makes the calls, four at a time; the answers are in their order. The first failure ends the others: what they would cost is saved. */
export async function callConcurrently<Call, T>(
  calls: readonly Call[],
  scope: CallScope,
  make: (call: Call, scope: CallScope) => Promise<T>,
): Promise<T[]> {
  const answers: T[] = [];
  const others = new AbortController();
  const stop = (): void => others.abort();
  if (scope.signal?.aborted) stop();
  scope.signal?.addEventListener('abort', stop, { once: true });

  let failure: { thrown: unknown } | undefined;
  let next = 0;
  const callInTurn = async (): Promise<void> => {
    while (next < calls.length && !failure) {
      const index = next++;
      answers[index] = await make(calls[index]!, { ...scope, signal: others.signal });
    }
  };
  const remember = (thrown: unknown): void => {
    failure ??= { thrown };
    stop();
  };
  try {
    const lanes = Array.from({ length: Math.min(atOnce, calls.length) }, callInTurn);
    await Promise.all(lanes.map((lane) => lane.catch(remember)));
  } finally {
    scope.signal?.removeEventListener('abort', stop);
  }
  if (failure) throw failure.thrown;
  return answers;
}
