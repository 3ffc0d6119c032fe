import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { paymentEvents } from '#db/schema/billing.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { BilledTenant } from './account.ts';

const billed = { monthlyCharLimit: tenants.monthlyCharLimit, metadata: tenants.metadata };

export async function selectBilledTenant(tx: Tx, tenantId: string): Promise<BilledTenant | undefined> {
  const [row] = await tx.select(billed).from(tenants).where(eq(tenants.tenantId, tenantId));
  return row;
}

/** Locked until the transaction ends; not `for update`, which the foreign keys of the tenant's other rows would wait for. */
export async function lockBilledTenant(tx: Tx, tenantId: string): Promise<BilledTenant | undefined> {
  const [row] = await tx
    .select(billed)
    .from(tenants)
    .where(eq(tenants.tenantId, tenantId))
    .for('no key update');
  return row;
}

export interface BillingChanges {
  /** Merged key by key: what is not named stays. */
  metadata: Record<string, unknown>;
  /** Metadata keys that are taken away. */
  without?: readonly string[];
  monthlyCharLimit?: number;
}

export async function updateBilledTenant(
  tx: Tx,
  tenantId: string,
  { metadata, without = [], monthlyCharLimit }: BillingChanges,
): Promise<void> {
  const gone = sql`array(select jsonb_array_elements_text(${JSON.stringify(without)}::jsonb))`;
  await tx
    .update(tenants)
    .set({
      metadata: sql`(${tenants.metadata} || ${JSON.stringify(metadata)}::jsonb) - ${gone}`,
      ...(monthlyCharLimit !== undefined && { monthlyCharLimit }),
    })
    .where(eq(tenants.tenantId, tenantId));
}

/** Remembers an event; false where it is known already. */
export async function insertPaymentEvent(tx: Tx, event: typeof paymentEvents.$inferInsert): Promise<boolean> {
  const inserted = await tx
    .insert(paymentEvents)
    .values(event)
    .onConflictDoNothing()
    .returning({ eventId: paymentEvents.eventId });
  return inserted.length > 0;
}

/** Deletes at most `limit` events that were applied so many days ago, in the platform's scope; answers how many. */
export async function deleteOldEvents(tx: Tx, days: number, limit: number): Promise<number> {
  const [row] = await tx.execute(sql`
    with pruned as (
      delete from ${paymentEvents} where ctid = any(array(
        select ctid from ${paymentEvents} where applied_at < now() - make_interval(days => ${days}) limit ${limit}
        for update skip locked))
      returning 1)
    select count(*)::int as count from pruned`);
  return Number(row?.['count']);
}
