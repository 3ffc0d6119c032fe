import type { Services } from '#server/context.ts';
import { describeForLog, toAppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { addJob } from '#server/job-queue.ts';
import { activateVersion, createdSetView } from '../sets.ts';
import { deleteReplacedVersion, deleteVersion } from '../versions.ts';
import { beginAttempt, endImport, lockRunningImport, selectIdleImports } from './import-jobs.ts';
import { embedImport } from './import-vectors.ts';
import { updateStatistics } from './planner-statistics.ts';

/** Tries of one import before it is given up. */
const mostAttempts = 5;

/**
 * Brings an accepted import to its end: makes the vectors of what it has stored, and has the set show it. That is one
 * transaction; a worker that is killed before leaves the set as it was, and the next one goes on where it stopped. Called
 * again for an import that has ended, it does nothing.
 * @throws where it did not come to an end and is to be tried again
 */
export async function runImport(services: Services, tenantId: string, importId: string): Promise<void> {
  const { database, log } = services;
  const begun = await database.inTenant(tenantId, (tx) => beginAttempt(tx, tenantId, importId));
  if (!begun) return;
  if (begun.attempts > mostAttempts)
    return giveUp(services, tenantId, importId, 'its worker ended each time');
  try {
    await embedImport(services, tenantId, importId);
    const active = await activateImport(services, tenantId, importId);
    if (!active) return;
    await updateStatistics(services, tenantId, active.segments);
    await deleteReplacedVersion(services, active.replaced);
  } catch (error) {
    const { code, message } = toAppError(error);
    if (begun.attempts < mostAttempts) throw error;
    log.error({ import_id: importId, error: describeForLog(error) }, 'an import was given up');
    const because = code === 'transient_error' ? 'the database could not be reached' : 'an internal error';
    await giveUp(
      services,
      tenantId,
      importId,
      because,
      code === 'import_backend_unavailable' ? message : undefined,
    );
  }
}

/** Ends an import that has been tried often enough; the set is what it was, and what was to be its version is gone. */
function giveUp(
  { database }: Services,
  tenantId: string,
  importId: string,
  because: string,
  message = `the import was tried ${mostAttempts} times and given up: ${because}; nothing was imported, send the file again`,
): Promise<void> {
  return database.inTenant(tenantId, async (tx) => {
    const job = await lockRunningImport(tx, tenantId, importId);
    if (!job) return;
    await endImport(tx, tenantId, importId, { status: 'failed', error: message });
    await deleteVersion(tx, job);
  });
}

/** Answers how many segments the set has now, and what it had before; undefined where the import has ended. */
function activateImport({ database }: Services, tenantId: string, importId: string) {
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

/** Adds jobs for imports that nobody is at: theirs may have been lost with a worker. */
export async function resumeImports({ database }: Services, idleSeconds: number): Promise<void> {
  await database.inPlatform(async (tx) => {
    for (const { tenantId, importId } of await selectIdleImports(tx, idleSeconds))
      await addJob(tx, 'import_memory', { tenantId, importId }, { key: `import_memory:${importId}` });
  });
}
