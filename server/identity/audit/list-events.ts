import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { auditLog } from '#db/schema/audit.ts';
import { type PageEnd, readCursor, writeCursor } from '#server/http/paging.ts';
import type { AuditRow } from './audit-log.ts';
import type { AuditListRequest, AuditPage } from './schema.ts';

/**
 * Maximum number of events that one page reads. The index has only the time: an index for each filter would have to be
 * written at every sign-in. Reading 20,000 events that do not match takes about 20 ms.
 */
const maxEventsRead = 20_000;

/** Returns a page of a tenant's own audit log, latest first. @throws AppError 422 for an invalid cursor */
export async function listEvents(tx: Tx, tenantId: string, request: AuditListRequest): Promise<AuditPage> {
  const { action, actor_id, actor_kind, since, until, limit, cursor } = request;
  const range = rangeOf(tenantId, {
    since,
    until,
    after: cursor === undefined ? undefined : readCursor(cursor),
  });
  const newestFirst = [desc(auditLog.recordedAt), desc(auditLog.eventId)];
  const looked = tx
    .select()
    .from(auditLog)
    .where(range)
    .orderBy(...newestFirst)
    .limit(maxEventsRead)
    .as('looked');
  // Read one event more than the limit: if it exists, there is a next page.
  const found = await tx
    .select()
    .from(looked)
    .where(
      and(
        action === undefined ? undefined : eq(looked.action, action),
        actor_id === undefined ? undefined : eq(looked.actorId, actor_id),
        actor_kind === undefined ? undefined : eq(looked.actorKind, actor_kind),
      ),
    )
    .orderBy(desc(looked.recordedAt), desc(looked.eventId))
    .limit(limit + 1);
  const events = found.slice(0, limit);
  const [end] =
    found.length > limit
      ? events.slice(-1)
      : await tx
          .select({ recordedAt: auditLog.recordedAt, eventId: auditLog.eventId })
          .from(auditLog)
          .where(range)
          .orderBy(...newestFirst)
          .offset(maxEventsRead - 1)
          .limit(1);
  return {
    events: events.map(eventView),
    next_cursor: end ? writeCursor({ updated_at: end.recordedAt.toISOString(), id: end.eventId }) : null,
  };
}

interface Range {
  since: string | undefined;
  until: string | undefined;
  after: PageEnd | undefined;
}

function rangeOf(tenantId: string, { since, until, after }: Range): SQL | undefined {
  const { recordedAt, eventId } = auditLog;
  return and(
    eq(auditLog.tenantId, tenantId),
    since === undefined ? undefined : gte(recordedAt, new Date(since)),
    until === undefined ? undefined : lt(recordedAt, new Date(until)),
    after && sql`(${recordedAt}, ${eventId}) < (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`,
  );
}

/**
 * Actors that act for the tenant, or try to. All others act for the platform, and the tenant must not see their client
 * addresses.
 */
const ownActors: ReadonlySet<string> = new Set(['member', 'api_key', 'anonymous']);

function eventView(row: AuditRow): AuditPage['events'][number] {
  return {
    id: row.eventId,
    recorded_at: row.recordedAt.toISOString(),
    action: row.action,
    actor: { kind: row.actorKind, id: row.actorId },
    target: row.target,
    address: ownActors.has(row.actorKind) ? row.address : null,
    request_id: row.requestId,
    details: row.details,
  };
}
