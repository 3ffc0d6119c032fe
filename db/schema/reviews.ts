import { sql } from 'drizzle-orm';
import { bigint, date, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
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
    /** The segment of a document that the member has open; null for texts, and if no segment is open. */
    position: integer('position'),
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

/** Comments of members on an item, or on a segment of a document. */
export const reviewComments = pgTable(
  'review_comments',
  {
    tenantId: tenantOfRow(),
    commentId: identifier('comment_id').notNull(),
    itemKind: text('item_kind', { enum: ['job', 'document'] }).notNull(),
    itemId: identifier('item_id').notNull(),
    /** The segment of a document; null for texts. */
    position: integer('position'),
    /** The author, and the author's email address or user ID when the comment was written. */
    userId: identifier('user_id').notNull(),
    author: text('author').notNull(),
    body: text('body').notNull(),
    /** IDs of the members that the comment mentions. */
    mentions: jsonb('mentions').$type<string[]>().notNull().default([]),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** When the comment was deleted; its text is gone then. The row keeps the ID for a while. */
    deletedAt: moment('deleted_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.commentId] }),
    index('review_comments_item_idx').on(t.tenantId, t.itemKind, t.itemId, t.position, t.createdAt),
    index('review_comments_latest_idx').on(t.tenantId, t.createdAt, t.commentId),
    index('review_comments_deleted_idx').on(t.deletedAt).where(sql`deleted_at is not null`),
  ],
);

/**
 * The review work of each member on a UTC day, as sums: a report reads few rows, and nothing is stored about single
 * texts (docs/decisions/0053). Only decisions that close a job count.
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
