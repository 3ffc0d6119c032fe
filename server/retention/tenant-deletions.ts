import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { type DeletionProgress, tenantDeletions, tenantRetention, tenants } from '#db/schema/tenants.ts';
import { readBillingAccount, subscriptionStateOf } from '#server/billing/account.ts';
import { AppError } from '#server/errors.ts';
import { serverAdministrator } from '#server/identity/access/guards/admin.ts';
import { endAllSessions } from '#server/identity/access/sessions.ts';
import { atTheServer, recordAdministration } from '#server/identity/audit/audit-log.ts';
import { lockAccount } from '#server/identity/tenants/operator-commands.ts';
import type { TenantAccount } from '#server/identity/tenants/schema.ts';
import type { TenantDeletion } from './deletion-run.ts';

/*
 * A deletion is scheduled first: the tenant is locked, and until the deletion is due, an operator can cancel it without
 * any loss. Then `deleteDueTenants` deletes everything.
 */

const nothingDone: DeletionProgress = {
  rows: {},
  objects: 0,
  accountObjects: 0,
  leftInAccount: 0,
  queuedJobs: 0,
  manifestLines: 0,
  manifestsThrough: null,
};

/**
 * Schedules the deletion of a tenant, and deactivates the tenant at once.
 * @param days the waiting period in days; with 0, the next run of the task deletes the tenant
 * @throws AppError 404 for an unknown tenant; 409 if the deletion is scheduled already, if a subscription would still be
 *   charged, or for the service key's tenant
 */
export async function scheduleDeletion(
  database: Database,
  tenantId: string,
  days: number,
): Promise<{ account: TenantAccount; dueAt: Date }> {
  return database.inTenant(tenantId, async (tx) => {
    const account = await lockAccount(tx, tenantId);
    const scheduled = await selectUnfinished(tx, tenantId);
    if (scheduled)
      throw new AppError(
        'state_conflict',
        `the deletion of ${tenantId} is scheduled for ${scheduled.dueAt.toISOString()} already`,
      );
    requireNoSubscription(account);
    await requireNoHold(tx, tenantId);
    const [row] = await tx
      .insert(tenantDeletions)
      .values({
        tenantId,
        dueAt: sql`now() + make_interval(days => ${days}::int)`,
        wasActive: account.active,
        tenantCreatedAt: new Date(account.created_at),
        progress: nothingDone,
      })
      .returning();
    const { dueAt } = row as TenantDeletion;
    await tx.update(tenants).set({ active: false }).where(eq(tenants.tenantId, tenantId));
    await endAllSessions(tx, tenantId);
    await record(tx, tenantId, 'tenant_deletion_scheduled', { due_at: dueAt.toISOString() });
    return { account, dueAt };
  });
}

/** A subscription is charged by the payment processor, whether the tenant exists here or not. */
function requireNoSubscription({ id, metadata, monthly_char_limit }: TenantAccount): void {
  const { subscriptionStatus } = readBillingAccount({ metadata, monthlyCharLimit: monthly_char_limit });
  const state = subscriptionStateOf(subscriptionStatus);
  if (state === 'current' || state === 'lapsed')
    throw new AppError(
      'state_conflict',
      `${id} has a subscription (${subscriptionStatus}); cancel it at the payment processor first, because it would still be charged`,
    );
}

async function requireNoHold(tx: Tx, tenantId: string): Promise<void> {
  const [held] = await tx
    .select()
    .from(tenantRetention)
    .where(and(eq(tenantRetention.tenantId, tenantId), eq(tenantRetention.hold, true)));
  if (held)
    throw new AppError('state_conflict', `${tenantId} has a legal hold; end it with set-retention --release`);
}

/**
 * Cancels a deletion that has not started. The tenant is active again if it was before.
 * @throws AppError 404 for an unknown tenant; 409 if no deletion is scheduled, or if it has started
 */
export async function cancelDeletion(database: Database, tenantId: string): Promise<TenantAccount> {
  return database.inTenant(tenantId, async (tx) => {
    const account = await lockAccount(tx, tenantId);
    const scheduled = await selectUnfinished(tx, tenantId);
    if (!scheduled) throw new AppError('state_conflict', `no deletion of ${tenantId} is scheduled`);
    // The worker that starts the deletion does not lock the tenant.
    const canceled = await tx
      .delete(tenantDeletions)
      .where(and(eq(tenantDeletions.tenantId, tenantId), isNull(tenantDeletions.startedAt)))
      .returning();
    if (canceled.length === 0)
      throw new AppError('state_conflict', `the deletion of ${tenantId} has started and cannot be canceled`);
    await tx.update(tenants).set({ active: scheduled.wasActive }).where(eq(tenants.tenantId, tenantId));
    await record(tx, tenantId, 'tenant_deletion_canceled', {});
    return { ...account, active: scheduled.wasActive };
  });
}

/** Returns all deletions: scheduled, running and finished ones, latest first; at most 1,000. */
export async function listDeletions(database: Database): Promise<TenantDeletion[]> {
  return database.inPlatform((tx) =>
    tx.select().from(tenantDeletions).orderBy(desc(tenantDeletions.scheduledAt)).limit(1000),
  );
}

async function selectUnfinished(tx: Tx, tenantId: string): Promise<TenantDeletion | undefined> {
  const [row] = await tx
    .select()
    .from(tenantDeletions)
    .where(and(eq(tenantDeletions.tenantId, tenantId), isNull(tenantDeletions.finishedAt)));
  return row;
}

function record(
  tx: Tx,
  tenantId: string,
  action: 'tenant_deletion_canceled' | 'tenant_deletion_scheduled',
  details: Record<string, string>,
): Promise<void> {
  return recordAdministration(tx, atTheServer, serverAdministrator, {
    action,
    tenantId,
    target: tenantId,
    details,
  });
}
