import { bigint, date, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * The current reviewers of items awaiting review: soft claims, each of one member, that end automatically
 * (docs/decisions/0053).
 */
export const reviewClaims = pgTable(
  'review_claims',
  {
    ...memberAndItem(),
    /** The member as others see them: the email address, or the user's id. */
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
 * The items awaiting review that each member has opened: bulk approval skips items that its reviewer has not opened.
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
 * The review work of each member on a UTC day, as sums, so that a report reads few rows and stores nothing about
 * single texts (docs/decisions/0054). Only decisions that close a job count.
 */
export const reviewDays = pgTable(
  'review_days',
  {
    tenantId: tenantOfRow(),
    day: date('day', { mode: 'string' }).notNull(),
    userId: identifier('user_id').notNull(),
    /** Approved without changes to the machine translation. */
    approved: count('approved'),
    /** Approved with another text. */
    edited: count('edited'),
    rejected: count('rejected'),
    /** Approved texts that were compared with the machine translation, their words, and the changed words. */
    measured: count('measured'),
    words: sum('words'),
    edits: sum('edits'),
    /** Decisions whose working time is known, and that time. */
    timed: count('timed'),
    workedMs: sum('worked_ms'),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.day, t.userId] })],
);

/** Of a row about a member and an item. */
function memberAndItem() {
  return {
    tenantId: tenantOfRow(),
    userId: identifier('user_id').notNull(),
    itemKind: text('item_kind', { enum: ['job', 'document'] }).notNull(),
    itemId: identifier('item_id').notNull(),
  };
}

/** A row is deleted with its tenant. */
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
