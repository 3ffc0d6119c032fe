/** Returns the minimum. Unlike Math.min with a spread, it accepts any number of values. Infinity for an empty list. */
export function least(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

/** Returns the maximum; minus infinity for an empty list. */
export function greatest(values: readonly number[]): number {
  return values.reduce((greatest, value) => Math.max(greatest, value), Number.NEGATIVE_INFINITY);
}

/** Returns the median; the greater of two middle values; 0 for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? 0;
}
