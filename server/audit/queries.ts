import { and, desc, eq, gte, lt, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { auditLog } from '#db/schema/audit.ts';

export type AuditRow = typeof auditLog.$inferSelect;

type NewEvent = Required<Omit<typeof auditLog.$inferInsert, 'recordedAt'>>;

export async function insertEvent(tx: Tx, event: NewEvent): Promise<void> {
  await insertPrepared(tx, event);
}

const insertPrepared = prepare<NewEvent, unknown>((db) =>
  db
    .insert(auditLog)
    .values({
      tenantId: sql.placeholder('tenantId'),
      eventId: sql.placeholder('eventId'),
      action: sql.placeholder('action'),
      actorKind: sql.placeholder('actorKind'),
      actorId: sql.placeholder('actorId'),
      target: sql.placeholder('target'),
      address: sql.placeholder('address'),
      requestId: sql.placeholder('requestId'),
      details: sql.placeholder('details'),
    })
    .prepare('insert_audit_event'),
);

export interface EventListing {
  tenantId?: string | undefined;
  action?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  after?: AuditRow | undefined;
  limit: number;
}

/** Newest first; events of one transaction by id, descending. */
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
