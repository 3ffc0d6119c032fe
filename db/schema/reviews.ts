import { bigint, date, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** Who is on an item that waits for review: soft claims, each of one member, that end by themselves (docs/decisions/0053). */
export const reviewClaims = pgTable(
  'review_claims',
  {
    tenantId: identifier('tenant_id')
      .notNull()
      .references(() => tenants.tenantId, { onDelete: 'cascade' }),
    userId: identifier('user_id').notNull(),
    itemKind: text('item_kind', { enum: ['job', 'document'] }).notNull(),
    itemId: identifier('item_id').notNull(),
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

/** Which items that wait for review each member has opened: bulk approval leaves out what its reviewer has not. */
export const reviewOpenings = pgTable(
  'review_openings',
  {
    tenantId: identifier('tenant_id')
      .notNull()
      .references(() => tenants.tenantId, { onDelete: 'cascade' }),
    userId: identifier('user_id').notNull(),
    itemKind: text('item_kind', { enum: ['job', 'document'] }).notNull(),
    itemId: identifier('item_id').notNull(),
    openedAt: moment('opened_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId, t.itemKind, t.itemId] }),
    index('review_openings_opened_at_idx').on(t.openedAt),
  ],
);

/**
 * What each member did at review on a UTC day, as sums, so that a report reads few rows and nothing is kept of single texts
 * (docs/decisions/0054). Only decisions that close a job count.
 */
export const reviewDays = pgTable(
  'review_days',
  {
    tenantId: identifier('tenant_id')
      .notNull()
      .references(() => tenants.tenantId, { onDelete: 'cascade' }),
    day: date('day', { mode: 'string' }).notNull(),
    userId: identifier('user_id').notNull(),
    /** Approved as the pipeline had written it. */
    approved: count('approved'),
    /** Approved with another text. */
    edited: count('edited'),
    rejected: count('rejected'),
    /** Approved texts that were compared with the pipeline's, their words, and the words that were changed. */
    measured: count('measured'),
    words: sum('words'),
    edits: sum('edits'),
    /** Decisions whose working time is known, and that time. */
    timed: count('timed'),
    workedMs: sum('worked_ms'),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.day, t.userId] })],
);

function count(name: string) {
  return integer(name).notNull().default(0);
}

function sum(name: string) {
  return bigint(name, { mode: 'number' }).notNull().default(0);
}
