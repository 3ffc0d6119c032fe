import { setImmediate } from 'node:timers/promises';

/** Milliseconds that work runs on the event loop before other requests get a turn. */
const sliceMs = 20;

/**
 * Runs work whose duration depends on the data of a tenant, and lets other requests run between two of its steps.
 * @param steps yields after each step, which must take less than some milliseconds
 */
export async function inSlices<T>(steps: Generator<undefined, T>): Promise<T> {
  let since = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - since < sliceMs) continue;
    await setImmediate();
    since = performance.now();
  }
}

/** Returns a function that lets other work run if its last pause was some milliseconds ago. */
export function pausing(ms: number): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < ms) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}

/** Returns a function that resumes its callers one by one, each in another iteration of the event loop. */
export function takingTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => setImmediate());
    return last;
  };
}

/** As `Map.groupBy`, with a step for each item. */
export function* groupInSteps<T>(
  items: Iterable<T>,
  keyOf: (item: T) => string,
): Generator<undefined, Map<string, T[]>> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
    yield;
  }
  return groups;
}
