import type { Services } from '#server/context.ts';
import { runDocument } from '#server/documents/run-document.ts';
import type { TaskName, TaskPayloads } from '#server/job-queue.ts';
import { embedSet } from '#server/translation-memory/embed-golden-sets.ts';
import { runImport } from '#server/translation-memory/imports/run-import.ts';
import { indexPair } from '#server/translation-memory/index-pair.ts';
import { indexSet } from '#server/translation-memory/index-set.ts';
import { checkGoldenRecords } from '#server/translations/golden/check.ts';
import { publishUnpersistedJobs } from '#server/translations/golden/pending-persistence.ts';
import { removeGoldenRecords } from '#server/translations/removal.ts';
import { failStaleJobsOfTenant } from '#server/translations/stale-sweep.ts';
import { pruneExpired } from './prune-expired.ts';
import { sweepStaleJobs } from './sweep-stale-jobs.ts';

export type TaskHandler<N extends TaskName> = (services: Services, payload: TaskPayloads[N]) => Promise<void>;

/** All tasks and their handlers. A handler may run twice for one job, so it first checks what is already done. */
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
  run_document: async (services, { tenantId, documentId }) =>
    void (await runDocument(services, tenantId, documentId)),
  remove_golden_records: async (services, removed) => void (await removeGoldenRecords(services, removed)),
};

/** Tasks that share a pool of workers. */
export interface WorkerPool {
  name: string;
  tasks: readonly TaskName[];
  /** Maximum concurrent tasks of the pool in one process. */
  concurrency(services: Services): number;
}

/** Tasks that use only the database and therefore end soon. */
const housekeeping: readonly TaskName[] = ['sweep_stale_jobs', 'fail_stale_jobs', 'prune_expired'];
const documents: readonly TaskName[] = ['run_document'];
const separate = [...housekeeping, ...documents];

/**
 * Housekeeping has a pool of its own: it frees what dead processes hold, and must not wait for workers that slow models
 * or stores keep busy. Documents have one too: they may take minutes, and an import must not wait for them.
 */
export const workerPools: readonly WorkerPool[] = [
  { name: 'housekeeping', tasks: housekeeping, concurrency: () => 2 },
  { name: 'documents', tasks: documents, concurrency: ({ settings }) => settings.WORKER_CONCURRENCY },
  {
    name: 'work',
    tasks: (Object.keys(tasks) as TaskName[]).filter((name) => !separate.includes(name)),
    concurrency: ({ settings }) => settings.WORKER_CONCURRENCY,
  },
];

/** Compares the golden records with the jobs of all tenants. */
export async function checkGolden(services: Services): Promise<void> {
  const { removed, rewritten } = await checkGoldenRecords(services);
  if (removed + rewritten > 0) services.log.info({ removed, rewritten }, 'golden records checked');
}

/** Computes the missing vectors of a golden set's pairs. */
export async function embedMemory(
  services: Services,
  { tenantId, setId }: { tenantId: string; setId: string },
): Promise<void> {
  await embedSet(services, tenantId, setId);
}

/** Marks one tenant's stale pending jobs failed (B 8 "Stale pending job"). */
export async function failStaleJobs(
  { database, settings, log }: Services,
  { tenantId }: { tenantId: string },
): Promise<void> {
  const failed = await failStaleJobsOfTenant(database, tenantId, settings.STALE_PENDING_SECONDS);
  if (failed > 0) log.warn({ tenant_id: tenantId, jobs: failed }, 'stale pending jobs marked failed');
}

/** Stores the segments that a large memory import has read (B 4.5). */
export async function importMemory(
  services: Services,
  { tenantId, importId }: { tenantId: string; importId: string },
): Promise<void> {
  await runImport(services, tenantId, importId);
}

/** Adds a set's segments to the fuzzy index. */
export async function indexMemory(
  services: Services,
  { tenantId, setId }: { tenantId: string; setId: string },
): Promise<void> {
  await indexSet(services, tenantId, setId);
}

/** Publishes the jobs of one tenant whose golden record could not be written (B 3.1 persistence_failed). */
export async function publishUnpersisted(
  services: Services,
  { tenantId }: { tenantId: string },
): Promise<void> {
  const replay = await publishUnpersistedJobs(services, tenantId);
  services.log.info({ tenant_id: tenantId, ...replay }, 'unpersisted jobs tried again');
}
