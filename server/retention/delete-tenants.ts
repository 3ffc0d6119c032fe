import { setTimeout as delay } from 'node:timers/promises';
import { and, asc, eq, isNull, lte, sql } from 'drizzle-orm';
import { tenantDeletions, tenantRetention, tenants } from '#db/schema/tenants.ts';
import { describeForLog } from '#server/errors.ts';
import { atTheServer, recordEvent } from '#server/identity/audit/audit-log.ts';
import { addJob, deleteQueuedJobs } from '#server/platform/job-queue.ts';
import { addDoneIn, type DeletionRun, type DeletionServices, type TenantDeletion } from './deletion-run.ts';
import {
  removeAccountManifests,
  removeAccountObjects,
  removePlatformManifests,
  removePlatformObjects,
} from './tenant-objects.ts';
import {
  deleteRowsAt,
  deleteSomeRows,
  selectSomeRows,
  type TenantTable,
  tenantTables,
} from './tenant-tables.ts';

/*
 * The steps are: files in platform storage; queued jobs; rows, and before some of them the files in the tenant's own
 * account to which they refer; the tenant's row; the lines in the manifests that all tenants share. Each step finds in
 * the data what is left of it, so a run may end at any point and the next one continues there.
 */

/** Milliseconds of a run. Then the task is queued again, so that other tasks get their turn. */
const runMs = 10_000;
/** Rows per transaction. */
const rowsPerStep = 1000;

/**
 * Deletes the tenants whose deletion is due. May be interrupted at any point. One tenant's failure does not stop the
 * others; the next run tries again.
 */
export async function deleteDueTenants(services: DeletionServices): Promise<void> {
  const end = Date.now() + runMs;
  const isOver = () => Date.now() > end;
  for (const due of await selectDue(services)) {
    const deletion = await start(services, due);
    if (!deletion) continue;
    try {
      if (!(await continueDeletion({ services, deletion, isOver }))) continue;
      services.log.info({ tenant_id: due.tenantId }, 'tenant deleted');
    } catch (error) {
      services.log.warn(
        { tenant_id: due.tenantId, error: describeForLog(error) },
        'the deletion of a tenant has failed and will be continued',
      );
    }
    if (isOver()) break;
  }
  if (isOver())
    await services.database.inPlatform((tx) =>
      addJob(tx, 'delete_tenants', {}, { key: 'delete_tenants', queue: 'check_golden_records' }),
    );
}

function selectDue({ database }: DeletionServices): Promise<TenantDeletion[]> {
  return database.inPlatform((tx) =>
    tx
      .select()
      .from(tenantDeletions)
      .where(and(isNull(tenantDeletions.finishedAt), lte(tenantDeletions.dueAt, sql`now()`)))
      .orderBy(asc(tenantDeletions.dueAt)),
  );
}

/** Marks a deletion as started. Returns null if it was canceled in the meantime, or while a legal hold forbids it. */
async function start(
  { database }: DeletionServices,
  { tenantId }: TenantDeletion,
): Promise<TenantDeletion | null> {
  const [row] = await database.inTenant(tenantId, (tx) =>
    tx
      .update(tenantDeletions)
      .set({ startedAt: sql`coalesce(${tenantDeletions.startedAt}, now())` })
      .where(
        and(
          eq(tenantDeletions.tenantId, tenantId),
          isNull(tenantDeletions.finishedAt),
          sql`not exists (select from ${tenantRetention} where tenant_id = ${tenantId} and hold)`,
        ),
      )
      .returning(),
  );
  return row ?? null;
}

/** @returns whether the deletion is finished */
async function continueDeletion(run: DeletionRun): Promise<boolean> {
  if (!(await removePlatformObjects(run))) return false;
  await deleteJobs(run);
  for (const table of tenantTables) if (!(await deleteRows(run, table))) return false;
  await deleteTenant(run);
  if (!(await removePlatformManifests(run))) return false;
  return finish(run);
}

async function deleteJobs({ services, deletion }: DeletionRun): Promise<void> {
  await services.database.inPlatform(async (tx) => {
    const queuedJobs = await deleteQueuedJobs(tx, deletion.tenantId);
    if (queuedJobs > 0) await addDoneIn(tx, deletion, { queuedJobs });
  });
}

/** Deletes the tenant's rows of a table, in short transactions with pauses between them. */
async function deleteRows(run: DeletionRun, table: TenantTable): Promise<boolean> {
  // After this table, nothing opens the account.
  if (table.name === 'storage_bindings') await removeAccountManifests(run);
  for (;;) {
    if (run.isOver()) return false;
    const begun = Date.now();
    if ((await deletePage(run, table)) === 0) return true;
    // Leave at least as much time to others.
    await delay(Math.min(Date.now() - begun, 1000));
  }
}

/** Deletes some rows, and before them the objects in the tenant's own account to which only these rows refer. */
async function deletePage(run: DeletionRun, table: TenantTable): Promise<number> {
  const { services, deletion } = run;
  const { tenantId } = deletion;
  const page = table.addresses
    ? await services.database.inTenant(tenantId, (tx) => selectSomeRows(tx, table, tenantId, rowsPerStep))
    : null;
  if (page) await removeAccountObjects(run, page.addresses);
  return services.database.inTenant(tenantId, async (tx) => {
    const count = page
      ? await deleteRowsAt(tx, table, tenantId, page.places)
      : await deleteSomeRows(tx, table, tenantId, rowsPerStep);
    if (count > 0) await addDoneIn(tx, deletion, { rows: { [table.name]: count } });
    return count;
  });
}

async function deleteTenant({ services, deletion }: DeletionRun): Promise<void> {
  const { tenantId } = deletion;
  await services.database.inTenant(tenantId, (tx) =>
    tx.delete(tenants).where(eq(tenants.tenantId, tenantId)),
  );
}

/**
 * Records the end of a deletion, unless a request or job that was running at its start has stored something since. Then
 * the next run also deletes that.
 */
async function finish({ services, deletion }: DeletionRun): Promise<boolean> {
  const { tenantId } = deletion;
  for await (const _path of services.storage.walk(tenantId)) return false;
  return services.database.inPlatform(async (tx) => {
    if ((await deleteQueuedJobs(tx, tenantId)) > 0) return false;
    for (const table of tenantTables) if ((await deleteSomeRows(tx, table, tenantId, 1)) > 0) return false;
    const [row] = await tx
      .update(tenantDeletions)
      .set({ finishedAt: sql`now()` })
      .where(eq(tenantDeletions.tenantId, tenantId))
      .returning();
    const { rows, objects, accountObjects, leftInAccount } = (row as TenantDeletion).progress;
    await recordEvent(tx, atTheServer, {
      action: 'tenant_deleted',
      tenantId: null,
      actor: { kind: 'server' },
      target: tenantId,
      details: {
        rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
        files: objects + accountObjects,
        left_in_account: leftInAccount,
      },
    });
    return true;
  });
}
