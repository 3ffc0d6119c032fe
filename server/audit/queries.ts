import { and, desc, eq, gte, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { auditLog } from '#db/schema/audit.ts';

export type AuditRow = typeof auditLog.$inferSelect;

export async function insertEvent(tx: Tx, event: typeof auditLog.$inferInsert): Promise<void> {
  await tx.insert(auditLog).values(event);
}

export interface EventListing {
  tenantId?: string | undefined;
  action?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  after?: AuditRow | undefined;
  limit: number;
}

/** Newest first, those of one transaction in the order of their ids. */
export async function selectEvents(
  tx: Tx,
  { tenantId, action, since, until, after, limit }: EventListing,
): Promise<AuditRow[]> {
  const { recordedAt, eventId } = auditLog;
  return tx
    .select()
    .from(auditLog)
    .where(
      and(
        tenantId === undefined ? undefined : eq(auditLog.tenantId, tenantId),
        action === undefined ? undefined : eq(auditLog.action, action),
        since && gte(recordedAt, since),
        until && lt(recordedAt, until),
        after &&
          sql`(${recordedAt}, ${eventId}) < (${after.recordedAt.toISOString()}::timestamptz, ${after.eventId})`,
      ),
    )
    .orderBy(desc(recordedAt), desc(eventId))
    .limit(limit);
}
