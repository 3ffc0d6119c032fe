import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { auditLog } from '#db/schema/audit.ts';
import { type PageEnd, readCursor, writeCursor } from '#server/http/paging.ts';
import { moment } from '#server/platform/input-limits.ts';
import { type AuditRow, auditActions } from './audit-log.ts';

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

export const auditListRequest = z
  .object({
    action: z.enum(auditActions).optional().describe('Only events with this action.'),
    actor_id: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'Only events that the member with this ID caused.' }),
    actor_kind: z
      .enum(['member', 'api_key', 'anonymous', 'operator_key', 'server', 'payment_processor'])
      .optional()
      .describe('Only events that this kind of actor caused.'),
    since: moment.optional().meta({ description: 'Only events at or after this time.' }),
    until: moment.optional().meta({ description: 'Only events before this time.' }),
    limit: z.int().min(1).max(200).default(50).describe('The maximum number of events on a page.'),
    cursor: z.string().max(200).optional().describe('The value of `next_cursor` on the previous page.'),
  })
  // As in the other listings, a request without input gets the first page of everything.
  .prefault({});

const auditEvent = z.object({
  id: z.string().describe('The ID of the event: 32 hexadecimal characters.'),
  recorded_at: z
    .string()
    .meta({ format: 'date-time', description: 'The time of the event, ISO 8601 in UTC.' }),
  action: z.string().describe('The action, such as `signed_in` or `role_changed`.'),
  actor: z
    .object({
      kind: z.string().describe('The kind of actor, such as `member` or `api_key`.'),
      id: z.string().nullable().meta({ description: 'The ID of the member; null for other actors.' }),
    })
    .describe('The actor who caused the event.'),
  target: z.string().nullable().meta({
    description:
      'The ID of the affected object: a member, an invite, the tokens of a sign-in, a reviewed job or document, or the tenant.',
  }),
  address: z.string().nullable().meta({
    description: 'The IP address of the client; null if the service itself acted.',
  }),
  request_id: z.string().nullable().describe('The X-Request-ID of the request that caused the event.'),
  details: z
    .record(z.string(), z.unknown())
    .describe('Further data about the event. It never contains secrets.'),
});

export const auditPage = z.object({
  events: z.array(auditEvent).meta({ description: 'The events, latest first.' }),
  next_cursor: z.string().nullable().meta({
    description:
      'The cursor of the next page; null on the last page. A page ends after 20,000 events that do not match the filters, so a page with few or no events may have a next page.',
  }),
});

type AuditListRequest = z.infer<typeof auditListRequest>;
type AuditPage = z.infer<typeof auditPage>;
