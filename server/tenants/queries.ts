import type { Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';

export type TenantRow = typeof tenants.$inferSelect;

export async function insertTenant(tx: Tx, tenant: typeof tenants.$inferInsert): Promise<TenantRow> {
  const [row] = await tx.insert(tenants).values(tenant).returning();
  return row as TenantRow;
}
