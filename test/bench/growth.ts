import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fuzzyCorpus } from './fuzzy-corpus.ts';
import { indexMemories, reportIncidents, withTasks } from './growth/background.ts';
import { type Deployment, openDeployment } from './growth/deployment.ts';
import { reportDisk, reportHotUpdates, reportWrites } from './growth/disk.ts';
import { fill, fillGolden, timer } from './growth/fill.ts';
import { heading, type Line, maxRatio, measureRequests, measureTogether, show } from './growth/measure.ts';
import { reportPeriodic } from './growth/periodic.ts';
import { sizes } from './growth/sizes.ts';
import { requirePremise } from './load.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);

/**
 * Measures medians of requests in deployments of several sizes (`GROWTH_JOBS`), for the biggest workspace and for an
 * average one. The services run next to each other, and the requests alternate between them. Then prints the cost of
 * background tasks, and the size of the jobs on disk. The goals are a ratio of at most 1.3 to the smallest deployment,
 * and less than 50 ms.
 */
export async function benchGrowth(print: (line: string) => void): Promise<void> {
  const start = performance.now();
  const progress = timer(print);
  const { segments } = fuzzyCorpus('en', Math.max(...sizes.map(({ biggest }) => biggest.segments)), 0);
  progress('sentences');
  const deployments: Deployment[] = [];
  const stop = () => Promise.all(deployments.map((deployment) => deployment.stop()));
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(1)));
  await requireDisk();
  try {
    for (const each of sizes) {
      const { jobs, workspaces, biggest, average } = each;
      print(
        `${jobs} jobs of ${workspaces} workspaces. The biggest: ${biggest.jobs} jobs, ${biggest.segments} segments in ${biggest.sets} TMs. The others: ${average.jobs} jobs, ${average.segments} segments each.`,
      );
      const deployment = await openDeployment(deployments, each, segments);
      for (const workspace of [deployment.biggest, deployment.average]) await fillGolden(workspace);
      await indexMemories(deployment);
      progress('TMs of the measured workspaces');
      await fill(deployment, print);
      // In a running service, this task would already have run.
      await withTasks(deployment, async (run) => void (await run('sweep_stale_jobs', {})));
      // A connection keeps the query plans that it made before ANALYZE.
      await deployment.restart();
      progress('all data');
    }
    const jobs = sizes.map((each) => each.jobs);
    const lines: Line[] = [];
    print(heading('The biggest workspace', jobs));
    const biggest = deployments.map((deployment) => deployment.biggest);
    lines.push(...(await measureRequests(biggest, print)));
    const together = await measureTogether(biggest, seconds);
    print(show(together));
    lines.push(together);
    print(heading('An average workspace', jobs));
    const average = deployments.map((deployment) => deployment.average);
    lines.push(...(await measureRequests(average, print, ({ name }) => !name.includes('the operator'))));
    const missed = lines.filter(({ medians }) => Math.max(...medians) / medians[0]! > maxRatio);
    print(
      `${lines.length - missed.length} of ${lines.length} at most ${maxRatio} times the smallest deployment`,
    );
    progress('requests');

    await reportPeriodic(deployments, print);
    const largest = deployments.at(-1)!;
    print('\nOn disk, at the largest size');
    await reportHotUpdates(largest, print);
    const rows = await reportDisk(largest, print);
    await reportWrites(largest, rows, print);
    print('\nBackground tasks after an incident, at the largest size');
    await reportIncidents(largest, print);
    print(`\nThe benchmark took ${((performance.now() - start) / 60_000).toFixed(1)} minutes.`);
  } finally {
    await stop();
  }
}

/** Bytes on disk of the database for each job, with its share of all other tables and of the log. */
const bytesPerJob = 5800;

async function requireDisk(): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir());
  const needed = sizes.reduce((sum, { jobs }) => sum + jobs * bytesPerJob, 0);
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  requirePremise(
    bavail * bsize > needed,
    `${tmpdir()} has ${gigabytes(needed)} free; it has ${gigabytes(bavail * bsize)}`,
  );
}
