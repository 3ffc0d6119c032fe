import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';

/** Under which the work of a deployment without tenants is filed (A 5.1 rule 6). */
export const serviceTenantId = 'default';

/** Whether any tenant has an account. The tenant of the service key (A 5.1 rule 6) is nobody's account. */
export async function anyTenantExists(tx: Tx): Promise<boolean> {
  const rows = await tx
    .select({ one: sql`1` })
    .from(tenants)
    .where(sql`${tenants.tenantId} <> ${serviceTenantId}`)
    .limit(1);
  return rows.length > 0;
}

/** The service key's tenant. No key of a tenant leads to it, and it has no members. */
export async function insertServiceTenant(tx: Tx, monthlyCharLimit: number): Promise<void> {
  await tx
    .insert(tenants)
    .values({ tenantId: serviceTenantId, name: serviceTenantId, apiKeyPrefix: '', monthlyCharLimit })
    .onConflictDoNothing();
}
