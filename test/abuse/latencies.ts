/** The percentiles of latencies, in milliseconds. */
export function percentiles(latencies: readonly number[]): { p50: number; p99: number; max: number } {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99), max: at(0.999999) };
}
