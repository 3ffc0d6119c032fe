import { foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * The payment processor's events whose effect is stored. Each is written in the same transaction as its effect, so that
 * a redelivery finds it and does nothing.
 */
export const paymentEvents = pgTable(
  'payment_events',
  {
    tenantId: identifier('tenant_id').notNull(),
    eventId: identifier('event_id').notNull(),
    type: text('type').notNull(),
    /** When the processor created it. */
    createdAt: moment('created_at').notNull(),
    appliedAt: moment('applied_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.eventId] }),
    index('payment_events_applied_at_idx').on(t.appliedAt),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);
