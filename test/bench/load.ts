/** The number of rounds of each measurement, and the seconds of a load. */
export const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
export const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);

/** Calls `work` in `concurrency` parallel loops for `seconds`. Returns the number of completed calls per second. */
export async function measureRate(
  concurrency: number,
  seconds: number,
  work: (loop: number) => Promise<unknown>,
): Promise<{ perSecond: number; calls: number } & Latency> {
  const start = performance.now();
  const end = start + seconds * 1000;
  const latencies: number[] = [];
  await Promise.all(
    Array.from({ length: concurrency }, async (_, loop) => {
      for (let now = performance.now(); now < end; ) {
        await work(loop);
        const after = performance.now();
        latencies.push(after - now);
        now = after;
      }
    }),
  );
  const elapsed = (performance.now() - start) / 1000;
  return { perSecond: latencies.length / elapsed, calls: latencies.length, ...latencyOf(latencies) };
}

/**
 * Stops a benchmark whose figures would measure something else.
 * @throws Error if `holds` is false
 */
export function requirePremise(holds: boolean, premise: string): asserts holds {
  if (!holds) throw new Error(`the premise does not hold: ${premise}`);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Returns the milliseconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export interface Latency {
  p50: number;
  p95: number;
  p99: number;
}

/**
 * Calls `work` for each side in turn, one call at a time. Returns the durations of the calls of each side, in
 * milliseconds.
 */
export async function measureLatency<S>(
  sides: readonly S[],
  rounds: number,
  work: (side: S, round: number) => Promise<unknown>,
): Promise<Latency[]> {
  const latencies = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, side] of sides.entries()) {
      const start = performance.now();
      await work(side, round);
      latencies[index]?.push(performance.now() - start);
    }
  return latencies.map(latencyOf);
}

export function latencyOf(values: readonly number[]): Latency {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
