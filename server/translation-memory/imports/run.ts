import type { Services } from '#server/context.ts';
import { describeForLog, toAppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { addJob } from '#server/jobs.ts';
import {
  beginAttempt,
  endImport,
  lockRunningImport,
  selectIdleImports,
  selectParts,
} from '../queries/imports.ts';
import { insertStoredSegments } from '../queries/rows.ts';
import { replaceSet } from '../queries/sets.ts';
import { createdSetView } from '../set-view.ts';
import { beginIndex, storeIndex } from './build-index.ts';
import { embedImport } from './embed.ts';
import { updateStatistics } from './update-statistics.ts';

/** Tries of one import before it is given up. */
const mostAttempts = 5;

/**
 * Stores what an accepted import has read: one transaction, so that the set changes at one moment and a worker that is
 * killed leaves nothing. Called again for an import that has ended, it does nothing.
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
    const stored = await storeImport(services, tenantId, importId);
    if (stored > 0) await updateStatistics(services, tenantId, stored);
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

/** Ends an import that has been tried often enough; the set is what it was. */
function giveUp(
  { database }: Services,
  tenantId: string,
  importId: string,
  because: string,
  message = `the import was tried ${mostAttempts} times and given up: ${because}; nothing was imported, send the file again`,
): Promise<void> {
  return database.inTenant(tenantId, (tx) =>
    endImport(tx, tenantId, importId, { status: 'failed', error: message }),
  );
}

/**
 * Stores the segments, and their index, which a child process builds meanwhile. Answers how many segments there are; none
 * where the import has ended.
 */
async function storeImport(services: Services, tenantId: string, importId: string): Promise<number> {
  const { database } = services;
  const parts = await database.inTenant(tenantId, (tx) => selectParts(tx, tenantId, importId));
  const segmentRows = Buffer.concat(parts.map(({ rows }) => Buffer.from(rows)));
  const partNos = parts.map(({ partNo }) => partNo);
  parts.length = 0;
  const { built } = await beginIndex(services, tenantId, { segmentRows });
  // Awaited below, unless what stands before it fails.
  built.catch(() => {});
  return database.inTenant(tenantId, async (tx) => {
    const job = await lockRunningImport(tx, tenantId, importId);
    if (!job) return 0;
    const { pairSource, pairTarget } = job;
    const set = await replaceSet(tx, {
      tenantId,
      setId: newId(),
      name: job.setName,
      sourceLang: job.sourceLang,
      targetLang: job.targetLang,
      pairSource,
      pairTarget,
      entryCount: job.dedupedUnits,
      embeddingModel: job.embeddingModel,
    });
    const to = { tenantId, setId: set.setId, pairSource, pairTarget };
    for (const partNo of partNos) await insertStoredSegments(tx, to, { importId, partNo });
    await storeIndex(tx, to, await built);
    await endImport(tx, tenantId, importId, { status: 'completed', result: createdSetView(set, job) });
    return job.dedupedUnits;
  });
}

/** Adds jobs for imports that nobody is at: theirs may have been lost with a worker. */
export async function resumeImports({ database }: Services, idleSeconds: number): Promise<void> {
  await database.inPlatform(async (tx) => {
    for (const { tenantId, importId } of await selectIdleImports(tx, idleSeconds))
      await addJob(tx, 'import_memory', { tenantId, importId }, { key: `import_memory:${importId}` });
  });
}
