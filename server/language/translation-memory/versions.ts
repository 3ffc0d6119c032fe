import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { memoryVersions } from '#db/schema/translation-memory.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';

/** The version of a set to which segments and index rows belong. */
export interface SetVersion {
  tenantId: string;
  versionId: string;
}

/** Inserts a staged version: no set serves it before `activateVersion`. */
export async function insertVersion(
  tx: Tx,
  version: SetVersion & { fileName: string | null },
): Promise<void> {
  await tx.insert(memoryVersions).values(version);
}

/**
 * Deletes a version with its segments, index and vectors. If it is the active version of a set, deletes the set too.
 */
export async function deleteVersion(tx: Tx, { tenantId, versionId }: SetVersion): Promise<void> {
  await tx
    .delete(memoryVersions)
    .where(and(eq(memoryVersions.tenantId, tenantId), eq(memoryVersions.versionId, versionId)));
}

/**
 * Returns some versions, of all tenants, that are neither active nor staged by an import in progress. Needs platform
 * scope.
 */
async function selectUnusedVersions(tx: Tx): Promise<SetVersion[]> {
  const rows = await tx.execute<{ tenant_id: string; content_id: string }>(sql`
    select tenant_id, content_id from memory_contents c
    where not exists (select from memory_sets s where s.tenant_id = c.tenant_id and s.content_id = c.content_id)
      and not exists (select from memory_imports i
        where i.tenant_id = c.tenant_id and i.content_id = c.content_id and i.status = 'running')
    limit 100`);
  return rows.map(({ tenant_id, content_id }) => ({ tenantId: tenant_id, versionId: content_id }));
}

/**
 * Deletes the version that an upload has replaced. Uses a separate transaction, so that it delays no request. If the
 * deletion fails, the sweep deletes the version.
 */
export async function deleteReplacedVersion(
  { database, log }: Pick<Services, 'database' | 'log'>,
  replaced: SetVersion | undefined,
): Promise<void> {
  if (!replaced) return;
  await database
    .inTenant(replaced.tenantId, (tx) => deleteVersion(tx, replaced))
    .catch((error: unknown) =>
      log.warn(
        { error: describeForLog(error) },
        'could not delete the replaced segments of a translation memory',
      ),
    );
}

/** Maximum milliseconds of a sweep. There may be thousands of versions to delete; the next sweep continues. */
const maxSweepMs = 60_000;

/**
 * Deletes the unused versions of all tenants. A version is left over if a process ended after replacing it and before
 * deleting it.
 */
export async function sweepUnusedVersions(services: Pick<Services, 'database' | 'log'>): Promise<void> {
  const end = performance.now() + maxSweepMs;
  for (let before: string | undefined; ; ) {
    const found = await services.database.inPlatform(selectUnusedVersions);
    const page = JSON.stringify(found);
    // Stop if the same versions are found again: they cannot be deleted now; the next sweep tries again.
    if (found.length === 0 || page === before) return;
    before = page;
    for (const version of found) {
      if (performance.now() > end) return;
      await deleteReplacedVersion(services, version);
    }
  }
}
