import { foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * Events of the payment processor that have been applied. An event is stored in the same transaction as its effect.
 * If the processor sends it again, the row shows that the event has been applied.
 */
export const paymentEvents = pgTable(
  'payment_events',
  {
    tenantId: identifier('tenant_id').notNull(),
    eventId: identifier('event_id').notNull(),
    type: text('type').notNull(),
    /** The time at which the processor created the event. */
    createdAt: moment('created_at').notNull(),
    appliedAt: moment('applied_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.eventId] }),
    index('payment_events_applied_at_idx').on(t.appliedAt),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);
