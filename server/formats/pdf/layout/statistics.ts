/** Unlike Math.min with a spread, takes any number of values. Infinity for none. */
export function least(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

/** Minus infinity for none. */
export function greatest(values: readonly number[]): number {
  return values.reduce((greatest, value) => Math.max(greatest, value), Number.NEGATIVE_INFINITY);
}

/** Of two values in the middle the greater one; 0 for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? 0;
}
