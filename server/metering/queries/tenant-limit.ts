import { eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';
import { tenantNotFound } from '#server/access/service.ts';

/** A tenant's `monthly_char_limit`, weighted characters. @throws AppError 404 where there is no such tenant */
export async function selectMonthlyLimit(tx: Tx, tenantId: string): Promise<number> {
  const [row] = await tx
    .select({ limit: tenants.monthlyCharLimit })
    .from(tenants)
    .where(eq(tenants.tenantId, tenantId));
  if (!row) throw tenantNotFound();
  return row.limit;
}
