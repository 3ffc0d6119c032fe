import type { Services } from '#server/context.ts';
import type { TaskName, TaskPayloads } from '#server/job-queue.ts';
import { indexPair } from '#server/translation-memory/service.ts';
import { removeGoldenRecords } from '#server/translations/removal.ts';
import { checkGolden } from './check-golden-records.ts';
import { embedMemory } from './embed-memory.ts';
import { failStaleJobs } from './fail-stale-jobs.ts';
import { importMemory } from './import-memory.ts';
import { indexMemory } from './index-memory.ts';
import { pruneExpired } from './prune-expired.ts';
import { publishUnpersisted } from './publish-unpersisted-jobs.ts';
import { sweepStaleJobs } from './sweep-stale-jobs.ts';

export type TaskHandler<N extends TaskName> = (services: Services, payload: TaskPayloads[N]) => Promise<void>;

/** Every task and what runs it. A handler may run twice for one job: each asks first what is done already. */
export const tasks: { [N in TaskName]: TaskHandler<N> } = {
  sweep_stale_jobs: sweepStaleJobs,
  fail_stale_jobs: failStaleJobs,
  prune_expired: pruneExpired,
  publish_unpersisted_jobs: publishUnpersisted,
  check_golden_records: checkGolden,
  import_memory: importMemory,
  index_memory: indexMemory,
  index_memory_pair: indexPair,
  embed_memory: embedMemory,
  remove_golden_records: async (services, removed) => void (await removeGoldenRecords(services, removed)),
};

/** Tasks that share workers of their own. */
export interface WorkerPool {
  name: string;
  tasks: readonly TaskName[];
  /** How many of them run at a time in one process. */
  concurrency(services: Services): number;
}

/** What asks nothing but the database, and so ends soon. */
const housekeeping: readonly TaskName[] = ['sweep_stale_jobs', 'fail_stale_jobs', 'prune_expired'];

/**
 * The housekeeping frees what dead processes hold: it must not wait for workers that a model's or a store's slow
 * answers keep busy.
 */
export const workerPools: readonly WorkerPool[] = [
  { name: 'housekeeping', tasks: housekeeping, concurrency: () => 2 },
  {
    name: 'work',
    tasks: (Object.keys(tasks) as TaskName[]).filter((name) => !housekeeping.includes(name)),
    concurrency: ({ settings }) => settings.WORKER_CONCURRENCY,
  },
];
