import { sql } from 'drizzle-orm';
import { index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';

/**
 * The audit log: append-only. No foreign keys, because it outlives its subjects. `tenant_id` is empty for events that
 * belong to no tenant; they are visible only in the platform's scope.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    tenantId: identifier('tenant_id').notNull(),
    eventId: identifier('event_id').notNull(),
    recordedAt: moment('recorded_at').notNull().defaultNow(),
    action: text('action').notNull(),
    actorKind: text('actor_kind').notNull(),
    /** The id of the member who acted; null if the actor is not a member. */
    actorId: text('actor_id'),
    /**
     * The object of the action: the id of a member, an invite or a token family, or the email address of a sign-in
     * attempt.
     */
    target: text('target'),
    /** The client's address. */
    address: text('address'),
    requestId: text('request_id'),
    details: jsonb('details').$type<Record<string, unknown>>().notNull().default({}),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.eventId] }),
    index('audit_log_tenant_id_recorded_at_idx').on(t.tenantId, t.recordedAt, t.eventId),
    index('audit_log_recorded_at_idx').on(t.recordedAt, t.eventId),
    // The pay report reads them.
    index('audit_log_review_passed_idx').on(t.tenantId, t.recordedAt).where(sql`action = 'review_passed'`),
  ],
);
