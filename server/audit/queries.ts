import type { Tx } from '#db/client.ts';
import { auditLog } from '#db/schema/audit.ts';

export async function insertEvent(tx: Tx, event: typeof auditLog.$inferInsert): Promise<void> {
  await tx.insert(auditLog).values(event);
}
