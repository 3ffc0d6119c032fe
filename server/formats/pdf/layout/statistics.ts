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
