import type { Services } from '#server/context.ts';
import { describeForLog, toAppError } from '#server/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { activateVersion, createdSetView } from '../sets.ts';
import { deleteReplacedVersion, deleteVersion } from '../versions.ts';
import { beginAttempt, endImport, lockRunningImport, selectIdleImports } from './import-jobs.ts';
import { embedImport } from './import-vectors.ts';
import { updateStatistics } from './planner-statistics.ts';

/** Maximum number of attempts before an import fails. */
const maxAttempts = 5;

/**
 * Completes an accepted import: creates the vectors of its segments and activates its version. Activation is one
 * transaction. If the worker is killed before that, the set does not change, and the next worker continues where the
 * first one stopped. Does nothing if the import has already ended.
 * @throws if the import has not ended; the caller must retry
 */
export async function runImport(
  services: Pick<Services, 'database' | 'embedder' | 'log'>,
  tenantId: string,
  importId: string,
): Promise<void> {
  const { database, log } = services;
  const begun = await database.inTenant(tenantId, (tx) => beginAttempt(tx, tenantId, importId));
  if (!begun) return;
  if (begun.attempts > maxAttempts)
    return failImport(services, tenantId, importId, 'the worker process stopped during each attempt');
  try {
    await embedImport(services, tenantId, importId);
    const active = await activateImport(services, tenantId, importId);
    if (!active) return;
    await updateStatistics(services, tenantId, active.segments);
    await deleteReplacedVersion(services, active.replaced);
  } catch (error) {
    const { code, message } = toAppError(error);
    if (begun.attempts < maxAttempts) throw error;
    log.error(
      { import_id: importId, error: describeForLog(error) },
      'an import failed and will not be retried',
    );
    const because = code === 'transient_error' ? 'the database could not be reached' : 'an internal error';
    await failImport(
      services,
      tenantId,
      importId,
      because,
      code === 'import_backend_unavailable' ? message : undefined,
    );
  }
}

/** Ends an import that has failed too often. Deletes the import's version; the set does not change. */
function failImport(
  { database }: Pick<Services, 'database'>,
  tenantId: string,
  importId: string,
  because: string,
  message = `the import failed after ${maxAttempts} attempts: ${because}; nothing was imported, send the file again`,
): Promise<void> {
  return database.inTenant(tenantId, async (tx) => {
    const job = await lockRunningImport(tx, tenantId, importId);
    if (!job) return;
    await endImport(tx, tenantId, importId, { status: 'failed', error: message });
    await deleteVersion(tx, job);
  });
}

/**
 * Activates the version of an import. Returns the number of its segments and the version that it replaced; undefined if
 * the import has ended.
 */
function activateImport({ database }: Pick<Services, 'database'>, tenantId: string, importId: string) {
  return database.inTenant(tenantId, async (tx) => {
    const job = await lockRunningImport(tx, tenantId, importId);
    if (!job) return undefined;
    const { set, replaced } = await activateVersion(tx, {
      tenantId,
      setId: newId(),
      versionId: job.versionId,
      name: job.setName,
      sourceLang: job.sourceLang,
      targetLang: job.targetLang,
      pairSource: job.pairSource,
      pairTarget: job.pairTarget,
      entryCount: job.dedupedUnits,
      embeddingModel: job.embeddingModel,
    });
    await endImport(tx, tenantId, importId, { status: 'completed', result: createdSetView(set, job) });
    return { segments: job.dedupedUnits, replaced };
  });
}

/**
 * Queues jobs for imports in progress that no worker has updated for a while: their jobs may have been lost with a
 * worker.
 */
export async function resumeImports(
  { database }: Pick<Services, 'database'>,
  idleSeconds: number,
): Promise<void> {
  await database.inPlatform(async (tx) => {
    for (const { tenantId, importId } of await selectIdleImports(tx, idleSeconds))
      await addJob(tx, 'import_memory', { tenantId, importId }, { key: `import_memory:${importId}` });
  });
}
