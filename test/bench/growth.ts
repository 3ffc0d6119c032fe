import { fuzzyCorpus } from './fuzzy-corpus.ts';
import { reportTasks, withTasks } from './growth/background.ts';
import { reportDisk, reportWrites } from './growth/disk.ts';
import { fill, fillGolden } from './growth/fill.ts';
import { measureRequests, measureTogether, show } from './growth/measure.ts';
import { letWorkersIndex, openSide, type Side } from './growth/side.ts';
import { large, small } from './growth/sizes.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);

/**
 * Measures medians of requests over one connection for two services, which alternate: in one, the tenant has 100 jobs,
 * in the other `BENCH_JOBS` (1,000,000). Measured before and after the first ANALYZE. Then prints the size of the jobs
 * on disk, and the durations and locks of background tasks. The goals are a ratio of at most 1.3, and less than 50 ms.
 */
export async function benchGrowth(print: (line: string) => void): Promise<void> {
  const { segments } = fuzzyCorpus('en', large.segments, 0);
  const sides: Side[] = [];
  try {
    for (const [name, sizes] of Object.entries({ small, large })) {
      const side = await openSide(name, sizes, segments.slice(0, sizes.segments));
      sides.push(side);
      await fillGolden(side.superuser, side);
      await letWorkersIndex(side);
      await fill(side, print);
      // In a running service, this task would already have run.
      await withTasks(side, async (run) => void (await run('sweep_stale_jobs', {})));
    }
    const title = `${''.padEnd(52)} ${String(small.jobs).padStart(9)}    ${String(large.jobs).padStart(9)}      ratio`;
    print(`\nBefore the first ANALYZE\n${title}`);
    await measureRequests(sides, print);

    for (const side of sides) {
      await side.superuser`vacuum (analyze)`;
      // A connection keeps the query plans that it made before ANALYZE.
      await side.restart();
    }
    print(`\nAnalyzed\n${title}`);
    await measureRequests(sides, print);
    print(show(await measureTogether(sides, seconds)));

    const [, filled] = sides as [Side, Side];
    print('\nOn disk');
    await reportDisk(filled, print);
    await reportWrites(filled, print);
    print('\nBackground tasks');
    await reportTasks(filled, print);
  } finally {
    for (const side of sides) await side.stop();
  }
}
