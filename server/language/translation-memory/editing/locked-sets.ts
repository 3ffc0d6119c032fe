import { and, eq, type SQL } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { memorySets } from '#db/schema/translation-memory.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { withTenantLock } from '#server/platform/tenant-lock.ts';
import { isImporting } from '../imports/import-jobs.ts';
import { isReceiving } from '../imports/start-import.ts';
import { isListed, requireSet, type SetRow } from '../sets.ts';
import type { Editor } from './store-changes.ts';

/**
 * Runs a change of a tenant's segments. Uses the same lock as an import: so no import is accepted during the change,
 * and two changes must not both use the same free capacity.
 */
export async function changeMemory<R>(
  { database }: Pick<Services, 'database'>,
  withTenant: WithTenant,
  origin: Origin,
  change: (tx: Tx, editor: Editor) => Promise<R>,
): Promise<R> {
  const principal = await withTenant(async (_tx, principal) => principal);
  return withTenantLock(database, principal.tenant.id, 'memory', (tx) => change(tx, { principal, origin }));
}

/**
 * Locks the sets of a condition, so that their versions and their index do not change. Jobs can still add segments.
 * @throws AppError 409 while an import into one of the sets is in progress: it would replace the change
 */
export async function lockSets(tx: Tx, tenantId: string, condition: SQL | undefined): Promise<SetRow[]> {
  const sets = await tx
    .select()
    .from(memorySets)
    .where(and(eq(memorySets.tenantId, tenantId), isListed, condition))
    .orderBy(memorySets.setId)
    .for('no key update');
  for (const set of sets)
    if (isReceiving(set) || (await isImporting(tx, tenantId, set.name)))
      throw new AppError(
        'conflict',
        'tm_import_in_progress: an import into this translation memory is running; change it when the import has ended',
      );
  return sets;
}

/** @throws AppError 404 for a set that is unknown or belongs to another tenant; 409 as for `lockSets` */
export async function lockSet(tx: Tx, tenantId: string, setId: string): Promise<SetRow> {
  const [set] = await lockSets(tx, tenantId, eq(memorySets.setId, setId));
  return requireSet(set);
}
