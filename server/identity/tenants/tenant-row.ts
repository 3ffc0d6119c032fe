import { eq, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';

export type TenantRow = typeof tenants.$inferSelect;

export async function readTenant(tx: Tx, tenantId: string): Promise<TenantRow | undefined> {
  const [row] = await selectById(tx, { tenantId });
  return row;
}

const selectById = prepare<{ tenantId: string }, TenantRow[]>((db) =>
  db
    .select()
    .from(tenants)
    .where(eq(tenants.tenantId, sql.placeholder('tenantId')))
    .prepare('select_tenant'),
);

/**
 * Reads and locks a tenant. `for update` is not used: rows of other tables refer to the tenant by foreign keys, and it
 * would block inserting them. The statement is prepared, so that it is sent immediately: a caller that also locks a
 * member sends this statement first, and the other without waiting for the result.
 */
export async function lockTenant(tx: Tx, tenantId: string): Promise<TenantRow | undefined> {
  const [row] = await selectLocked(tx, { tenantId });
  return row;
}

const selectLocked = prepare<{ tenantId: string }, TenantRow[]>((db) =>
  db
    .select()
    .from(tenants)
    .where(eq(tenants.tenantId, sql.placeholder('tenantId')))
    .for('no key update')
    .prepare('lock_tenant'),
);

/** Updates an existing tenant. */
export async function updateTenant(
  tx: Tx,
  tenantId: string,
  changes: Partial<Pick<TenantRow, 'active' | 'apiKeyPrefix' | 'monthlyCharLimit'>>,
): Promise<TenantRow> {
  const [row] = await tx.update(tenants).set(changes).where(eq(tenants.tenantId, tenantId)).returning();
  return row as TenantRow;
}
