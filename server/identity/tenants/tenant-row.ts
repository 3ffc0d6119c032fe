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
 * Reads and locks a tenant. Not `for update`, which would block inserts of the tenant's other rows by their foreign
 * keys. Prepared, so that it is sent immediately: callers that lock a member, too, send this first and the other
 * without waiting.
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

export async function tenantsByIds(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<{ id: string; name: string }[]> {
  return tx
    .select({ id: tenants.tenantId, name: tenants.name })
    .from(tenants)
    .where(
      sql`${tenants.tenantId} = any(array(
        select jsonb_array_elements_text(${JSON.stringify(tenantIds)}::jsonb)))`,
    );
}
