import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Bench, Run } from './bench.ts';
import { fuzzyCorpus } from './fuzzy-corpus.ts';
import { indexMemories, withTasks } from './growth/background.ts';
import { type Deployment, openDeployment } from './growth/deployment.ts';
import { reportDisk, reportWrites } from './growth/disk.ts';
import { fill, fillGolden, timer } from './growth/fill.ts';
import { measureRequests, measureTogether } from './growth/measure.ts';
import { sizes } from './growth/sizes.ts';
import { requirePremise } from './load.ts';

export const growth: Bench = {
  title: 'Deployments of several sizes: each request, and the disk',
  parts: { sizes: grow },
};

/**
 * Measures medians of requests in deployments of several sizes (`GROWTH_JOBS`), for the biggest workspace and for an
 * average one. The services run next to each other, and the requests alternate between them. Then measures the size of the
 * jobs on disk.
 */
async function grow(run: Run): Promise<void> {
  const progress = timer(run);
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
      run.note(
        `${jobs} jobs of ${workspaces} workspaces. The biggest: ${biggest.jobs} jobs, ${biggest.segments} segments in ${biggest.sets} TMs. The others: ${average.jobs} jobs, ${average.segments} segments each.`,
      );
      const deployment = await openDeployment(deployments, each, segments);
      for (const workspace of [deployment.biggest, deployment.average]) await fillGolden(workspace);
      await indexMemories(deployment);
      progress('TMs of the measured workspaces');
      await fill(deployment, run);
      // In a running service, this task would already have run.
      await withTasks(deployment, async (runTask) => void (await runTask('sweep_stale_jobs', {})));
      // A connection keeps the query plans that it made before ANALYZE.
      await deployment.restart();
      progress('all data');
    }
    const biggest = deployments.map((deployment) => deployment.biggest);
    const good = [await measureRequests(run, 'biggest', biggest), await measureTogether(run, biggest)];
    const average = deployments.map((deployment) => deployment.average);
    const ofMembers = ({ name }: { name: string }) => !name.includes('the operator');
    good.push(await measureRequests(run, 'average', average, ofMembers));
    const reached = good.flat();
    run.figure(
      'kinds of request that reach the target',
      reached.filter(Boolean).length,
      `of ${reached.length}`,
    );
    progress('requests');
    const largest = deployments.at(-1)!;
    await reportWrites(run, largest, await reportDisk(run, largest));
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
