/**
 * Returns the minimum; infinity for an empty list. Unlike Math.min with spread arguments, this function accepts lists
 * of any length.
 */
export function least(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

/** Returns the maximum; minus infinity for an empty list. */
export function greatest(values: readonly number[]): number {
  return values.reduce((greatest, value) => Math.max(greatest, value), Number.NEGATIVE_INFINITY);
}

/**
 * Returns the median; 0 for an empty list. If the number of values is even, returns the greater of the two middle
 * values.
 */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? 0;
}

/** Returns the index of the first item of a sorted list that is not before a place; the length if all are before it. */
export function firstFrom<T>(sorted: readonly T[], isBefore: (item: T) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const at = (low + high) >> 1;
    if (isBefore(sorted[at]!)) low = at + 1;
    else high = at;
  }
  return low;
}

/**
 * Divides items into runs of consecutive ones.
 *
 * @param continues whether an item, with its index, belongs to the open run
 */
export function runsOf<T>(
  items: Iterable<T>,
  continues: (run: readonly T[], item: T, index: number) => boolean,
): T[][] {
  const runs: T[][] = [];
  let index = 0;
  for (const item of items) {
    const run = runs.at(-1);
    if (run && continues(run, item, index)) run.push(item);
    else runs.push([item]);
    index++;
  }
  return runs;
}

/** Adds a value to the list of a key. */
export function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const own = lists.get(key);
  if (own) own.push(value);
  else lists.set(key, [value]);
}
