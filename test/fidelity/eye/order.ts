/**
 * Kendall's tau between the numbers and their sorted order: 1 if they rise, -1 if they fall. Fewer than two numbers
 * have no order, so null.
 */
export function kendallTau(values: readonly number[]): number | null {
  const pairs = (values.length * (values.length - 1)) / 2;
  if (pairs === 0) return null;
  let difference = 0;
  for (const [index, one] of values.entries())
    for (let next = index + 1; next < values.length; next++) difference += Math.sign(values[next]! - one);
  return difference / pairs;
}

/** NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
