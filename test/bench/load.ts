/** Calls `work` from `concurrency` loops for `seconds`, and returns how many calls a second were finished. */
export async function measureRate(
  concurrency: number,
  seconds: number,
  work: (loop: number) => Promise<unknown>,
): Promise<{ perSecond: number; calls: number; p50: number; p99: number }> {
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

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

export interface Latency {
  p50: number;
  p99: number;
}

/** Calls `work` for each side alternately, one call at a time, and returns how long the calls of each took, in ms. */
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
  return { p50: at(0.5), p99: at(0.99) };
}
