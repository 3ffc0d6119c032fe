import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  foreignKey,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * The event feeds that are switched on. Triggers of the tables with jobs, documents and imports record events only for
 * tenants with a row.
 */
export const eventFeeds = pgTable(
  'event_feeds',
  {
    tenantId: identifier('tenant_id').primaryKey(),
    /** 32 hexadecimal characters, part of every cursor. A feed that is switched on again has another ID. */
    feedId: identifier('feed_id').notNull(),
    /** False until all transactions have ended that began before the feed was switched on. */
    complete: boolean('complete').notNull().default(false),
    /** The position of the last event that has one. */
    lastPosition: bigint('last_position', { mode: 'number' }).notNull().default(0),
    /** Events up to this position have been deleted. */
    prunedPosition: bigint('pruned_position', { mode: 'number' }).notNull().default(0),
    /** The time of the latest reading, to within an hour. */
    readAt: moment('read_at').notNull().defaultNow(),
  },
  (t) => [foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade')],
);

export const eventSequence = pgSequence('event_sequence');

/** Changes of state of jobs, documents and imports. Triggers insert them, in the transaction of the change. */
export const events = pgTable(
  'events',
  {
    tenantId: identifier('tenant_id').notNull(),
    /** Orders the events of one resource. Transactions may commit in another order. */
    sequence: bigint('sequence', { mode: 'number' }).notNull().default(sql`nextval('event_sequence')`),
    /**
     * The place in the feed. The first reading after the commit sets it, so that no later event can get an earlier
     * place. Null before that.
     */
    position: bigint('position', { mode: 'number' }),
    eventId: uuid('event_id').notNull().default(sql`gen_random_uuid()`),
    type: text('type').notNull(),
    resource: text('resource', { enum: ['translation', 'document', 'memory_import'] }).notNull(),
    resourceId: identifier('resource_id').notNull(),
    /** The status of the resource; `deleted` if it was deleted. */
    status: text('status').notNull(),
    occurredAt: moment('occurred_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.sequence] }),
    // Also finds the events without a position.
    uniqueIndex('events_tenant_id_position_key').on(t.tenantId, t.position),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);
