import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { withTenantLock } from '#server/platform/tenant-lock.ts';
import { isImporting } from './imports/import-jobs.ts';
import { isReceiving } from './imports/start-import.ts';
import { lockSetById, requireSet, selectSetById, sentenceSetName } from './sets.ts';
import { deleteVersion } from './versions.ts';

/**
 * Deletes a set with its segments.
 * @throws AppError 404; 409 tm_import_in_progress while an import into the set is in progress
 */
export async function removeSet(
  { database }: Pick<Services, 'database'>,
  withTenant: WithTenant,
  setId: string,
): Promise<void> {
  const seen = await withTenant(async (tx, { tenant }) => {
    const set = requireSet(await selectSetById(tx, tenant.id, setId));
    // Check for imports before taking the lock. If an import ends before this call gets the lock, the set has a new
    // version, which must not be deleted.
    if (isReceiving(set) || (await isImporting(tx, tenant.id, set.name))) throw inProgress();
    return set;
  });
  const { tenantId, name } = seen;
  const remove = async (tx: Tx) => {
    // Lock the set before its version, in the same order as all transactions. An import that is about to activate
    // another version is blocked until the deletion is committed.
    const set = requireSet(await lockSetById(tx, tenantId, setId));
    if (set.versionId !== seen.versionId || (await isImporting(tx, tenantId, name))) throw inProgress();
    await deleteVersion(tx, set);
    if (set.origin === 'golden_approved')
      await deleteVersion(tx, { tenantId, versionId: sentenceSetName(set) });
  };
  // With the lock, no import with this name can be accepted between the check and the deletion.
  await withTenantLock(database, tenantId, 'memory', remove, { tryLock: { name, refusal: inProgress } });
}

function inProgress(): AppError {
  return new AppError(
    'conflict',
    'tm_import_in_progress: an import into this translation memory is running; delete it when the import has ended',
  );
}
