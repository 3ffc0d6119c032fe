import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { users } from './identity.ts';
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

/** Of versions before 1.1: the sums of a pay report, by UTC day. They are deleted with the changes that they count. */
export const reviewPayDays = pgTable(
  'review_pay_days',
  {
    tenantId: tenantOfRow(),
    day: date('day', { mode: 'string' }).notNull(),
    userId: identifier('user_id').notNull(),
    isSecond: boolean('is_second').notNull(),
    sourceLang: text('source_lang').notNull(),
    targetLang: text('target_lang').notNull(),
    band: text('band').notNull(),
    segments: count('segments'),
    words: sum('words'),
  },
  (t) => [
    primaryKey({
      // PostgreSQL would cut the name that is derived from so many columns.
      name: 'review_pay_days_pk',
      columns: [t.tenantId, t.day, t.userId, t.isSecond, t.sourceLang, t.targetLang, t.band],
    }),
  ],
);

/**
 * Who reviews an item that awaits review, in which order, and by when. A trigger adds a row for each such item, so that
 * unassigned items are found without a search. A row stays after the decision, because the decision may be reopened
 * (docs/decisions/0149) and because reports count it.
 */
export const reviewAssignments = pgTable(
  'review_assignments',
  {
    tenantId: tenantOfRow(),
    itemKind: text('item_kind', { enum: ['job', 'document'] }).notNull(),
    itemId: identifier('item_id').notNull(),
    sourceLang: text('source_lang').notNull().default(''),
    targetLang: text('target_lang').notNull().default(''),
    /** The words of the source when the item began to await review. */
    words: integer('words').notNull().default(0),
    /** The member who reviews first; null if the item is unassigned. */
    assignee: identifier('assignee'),
    /** Whether the item needs a second review by another member, and that member if one is set. */
    fourEyes: boolean('four_eyes').notNull().default(false),
    second: identifier('second'),
    /** When the first review was passed on to the second one, and by whom. */
    passedAt: moment('passed_at'),
    passedBy: identifier('passed_by'),
    /** When it was passed on for the first time, also if it was passed back since then. */
    firstPassedAt: moment('first_passed_at'),
    /** The member whose turn it is. */
    holder: identifier('holder').generatedAlwaysAs(
      sql`case when passed_at is null then assignee else second end`,
    ),
    dueAt: moment('due_at'),
    /** The due date in the order of lists. An expression in an index is not used under a policy. */
    due: moment('due').generatedAlwaysAs(sql`coalesce(due_at, 'infinity')`),
    /** The comment of the latest change. */
    comment: text('comment'),
    /** The member who assigned the item; null if a rule did. */
    assignedBy: identifier('assigned_by'),
    assignedAt: moment('assigned_at').notNull().defaultNow(),
    /** Incremented by each change. */
    version: integer('version').notNull().default(1),
    /** When the item began to await review. */
    heldAt: moment('held_at').notNull().defaultNow(),
    /** From when on the rules of the workspace are applied to the item; null if they are not. */
    rulesFrom: moment('rules_from'),
    /** When the item ceased to await review; null while it does. */
    closedAt: moment('closed_at'),
    /** When a reviewer published or rejected the item; null if it ceased to await review for another reason. */
    decidedAt: moment('decided_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.itemKind, t.itemId] }),
    index('review_assignments_holder_idx')
      .on(t.tenantId, t.holder, t.due, t.itemId, t.words)
      .where(sql`closed_at is null and holder is not null`),
    index('review_assignments_due_idx')
      .on(t.tenantId, t.due, t.itemId)
      .where(sql`closed_at is null and holder is not null`),
    index('review_assignments_unassigned_idx')
      .on(t.tenantId, t.heldAt, t.itemId)
      .where(sql`closed_at is null and holder is null`),
    index('review_assignments_second_idx')
      .on(t.tenantId, t.second)
      .where(sql`closed_at is null and second is not null`),
    index('review_assignments_rules_idx').on(t.tenantId, t.rulesFrom).where(sql`rules_from is not null`),
    index('review_assignments_closed_idx').on(t.closedAt).where(sql`closed_at is not null`),
    index('review_assignments_decided_idx').on(t.tenantId, t.decidedAt).where(sql`decided_at is not null`),
  ],
);

/** The name, time zone, absence and languages of members, for assignments. A member without a row has no languages, and reviews all of them. */
export const reviewerProfiles = pgTable(
  'reviewer_profiles',
  {
    tenantId: identifier('tenant_id').notNull(),
    userId: identifier('user_id').notNull(),
    displayName: text('display_name').notNull().default(''),
    /** The name of a time zone of IANA. */
    timeZone: text('time_zone').notNull().default('UTC'),
    /** The first and last day of an absence. */
    awayFrom: date('away_from', { mode: 'string' }),
    awayTo: date('away_to', { mode: 'string' }),
    languages: jsonb('languages')
      .$type<{ source_lang: string; target_lang: string; review: boolean; second: boolean }[]>()
      .notNull()
      .default([]),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.userId] }).onDelete(
      'cascade',
    ),
  ],
);

/** The rules by which a workspace assigns items. A workspace without rules has no row. */
export const assignmentRules = pgTable('assignment_rules', {
  tenantId: identifier('tenant_id')
    .primaryKey()
    .references(() => tenants.tenantId, { onDelete: 'cascade' }),
  rules: jsonb('rules').$type<unknown[]>().notNull(),
});

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
