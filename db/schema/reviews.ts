import { bigint, date, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * The reviews in progress. A claim is a mark of one member on an item awaiting review; it locks nothing and expires
 * (docs/decisions/0053).
 */
export const reviewClaims = pgTable(
  'review_claims',
  {
    ...memberAndItem(),
    /** The member's name for others: the email address or, without one, the user's id. */
    holder: text('holder').notNull(),
    claimedAt: moment('claimed_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId, t.itemKind, t.itemId] }),
    index('review_claims_item_idx').on(t.tenantId, t.itemKind, t.itemId),
    index('review_claims_expires_at_idx').on(t.expiresAt),
  ],
);

/**
 * The items awaiting review that each member has opened. Bulk approval skips items that the approving member has not
 * opened.
 */
export const reviewOpenings = pgTable(
  'review_openings',
  {
    ...memberAndItem(),
    openedAt: moment('opened_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId, t.itemKind, t.itemId] }),
    index('review_openings_opened_at_idx').on(t.openedAt),
  ],
);

/**
 * The review work of each member on a UTC day, as sums: a report reads few rows, and nothing is stored about single
 * texts (docs/decisions/0054). Only decisions that close a job count.
 */
export const reviewDays = pgTable(
  'review_days',
  {
    tenantId: tenantOfRow(),
    day: date('day', { mode: 'string' }).notNull(),
    userId: identifier('user_id').notNull(),
    /** Jobs that were approved without changes to the machine translation. */
    approved: count('approved'),
    /** Jobs that were approved with a changed text. */
    edited: count('edited'),
    rejected: count('rejected'),
    /**
     * The number of approved texts that were compared with the machine translation, the number of their words, and
     * the number of changed words.
     */
    measured: count('measured'),
    words: sum('words'),
    edits: sum('edits'),
    /** The number of decisions whose working time is known, and the sum of these times. */
    timed: count('timed'),
    workedMs: sum('worked_ms'),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.day, t.userId] })],
);

/** The columns of a row about one member and one item. */
function memberAndItem() {
  return {
    tenantId: tenantOfRow(),
    userId: identifier('user_id').notNull(),
    itemKind: text('item_kind', { enum: ['job', 'document'] }).notNull(),
    itemId: identifier('item_id').notNull(),
  };
}

/** A column for the tenant. The row is deleted together with the tenant. */
function tenantOfRow() {
  return identifier('tenant_id')
    .notNull()
    .references(() => tenants.tenantId, { onDelete: 'cascade' });
}

function count(name: string) {
  return integer(name).notNull().default(0);
}

function sum(name: string) {
  return bigint(name, { mode: 'number' }).notNull().default(0);
}
