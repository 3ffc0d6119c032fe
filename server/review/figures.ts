import { and, between, desc, eq, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Tx } from '#db/client.ts';
import { reviewDays } from '#db/schema/reviews.ts';
import { readDateRange } from '#server/billing/metering/periods.ts';
import type { Services } from '#server/context.ts';
import { readBlocks } from '#server/formats/html-segments.ts';
import { emailsOf } from '#server/identity/members/members.ts';
import type { TranslationJob } from '#server/texts/schema.ts';
import { type EditDistance, measureEdit, measureEditAtOnce } from './edit-distance.ts';
import type { ReviewerReport, ReviewerReportInput } from './schema.ts';

/** Maximum number of reviewers in a report. If there are more, it contains those with the most decisions. */
const maxReviewers = 1000;

/** A review that closed a job. */
export interface ClosingReview {
  /** `edited`: approved with a text that differs from the machine translation. */
  decision: 'approved' | 'edited' | 'rejected';
  /** The machine translation and the published text; null for a rejection, or if there is no machine translation. */
  texts: { before: string; after: string } | null;
}

/** Texts of a review that are too long to compare during its transaction. */
interface Uncompared {
  member: { tenantId: string; userId: string };
  before: string;
  after: string;
  language: string;
}

/**
 * Counts a member's closing review in the transaction of the review, so that a review that is sent repeatedly is
 * counted once.
 * @param by the member; `userId` is null for an API key, which is not counted
 * @returns the input for `compareLater`; undefined if nothing is left to compare
 */
export async function countReview(
  tx: Tx,
  by: { tenantId: string; userId: string | null; workedMs: number | undefined },
  { request }: TranslationJob,
  review: ClosingReview | undefined,
): Promise<Uncompared | undefined> {
  const { tenantId, userId, workedMs } = by;
  if (userId === null || !review) return undefined;
  const language = request.target_lang;
  // Compare HTML without its tags: they are not words.
  const readable = (text: string) => (request.text_type === 'Html' ? readBlocks(text).join('\n') : text);
  const texts = review.texts && {
    before: readable(review.texts.before),
    after: readable(review.texts.after),
  };
  const edit = texts ? measureEditAtOnce(texts.before, texts.after, language) : undefined;
  const member = { tenantId, userId };
  await addFigures(tx, member, { decision: review.decision, edit, workedMs });
  return texts && !edit ? { member, ...texts, language } : undefined;
}

/**
 * Compares long texts after their review is stored, and adds the figures. If the process dies before that, these texts
 * are not measured.
 */
export async function compareLater(
  { database, log }: Pick<Services, 'database' | 'log'>,
  { member, before, after, language }: Uncompared,
): Promise<void> {
  try {
    const edit = await measureEdit(before, after, language);
    if (edit) await database.inTenant(member.tenantId, (tx) => addFigures(tx, member, { edit }));
  } catch (error) {
    log.warn(
      { err: error, tenant_id: member.tenantId },
      'a reviewed text could not be compared with its machine translation',
    );
  }
}

/** The figures of one decision, or of a later comparison of its texts, to add to a member's figures of the day. */
interface ReviewFigures {
  decision?: 'approved' | 'edited' | 'rejected';
  edit?: EditDistance | undefined;
  /** Milliseconds that the member spent on the text; undefined if not known. */
  workedMs?: number | undefined;
}

/** Adds figures to the member's sums of the current day in UTC. */
async function addFigures(
  tx: Tx,
  { tenantId, userId }: { tenantId: string; userId: string },
  { decision, edit, workedMs }: ReviewFigures,
): Promise<void> {
  const figures = {
    approved: decision === 'approved' ? 1 : 0,
    edited: decision === 'edited' ? 1 : 0,
    rejected: decision === 'rejected' ? 1 : 0,
    measured: edit ? 1 : 0,
    words: edit?.words ?? 0,
    edits: edit?.edits ?? 0,
    timed: workedMs === undefined ? 0 : 1,
    workedMs: workedMs ?? 0,
  };
  const names = Object.keys(figures) as (keyof typeof figures)[];
  await tx
    .insert(reviewDays)
    .values({ tenantId, userId, day: sql`(now() at time zone 'UTC')::date`, ...figures })
    .onConflictDoUpdate({
      target: [reviewDays.tenantId, reviewDays.day, reviewDays.userId],
      set: Object.fromEntries(names.map((name) => [name, sql`${reviewDays[name]} + ${figures[name]}`])),
    });
}

/**
 * Subtracts a decision from the sums of the day on which it was made, because the review was reopened. Words and time
 * stay, because the member did the work.
 */
export async function removeDecision(
  tx: Tx,
  { tenantId, userId }: { tenantId: string; userId: string },
  decision: 'approved' | 'edited' | 'rejected',
  decidedAt: Date,
): Promise<void> {
  await tx
    .update(reviewDays)
    .set({ [decision]: sql`greatest(${reviewDays[decision]} - 1, 0)` })
    .where(
      and(
        eq(reviewDays.tenantId, tenantId),
        eq(reviewDays.userId, userId),
        eq(reviewDays.day, decidedAt.toISOString().slice(0, 10)),
      ),
    );
}

/**
 * Returns the figures of each member for some days; members with the most decisions come first.
 * @throws AppError 422 for an invalid range; 400 for more than 366 days
 */
export async function reportReviewers(
  tx: Tx,
  tenantId: string,
  asked: ReviewerReportInput,
): Promise<ReviewerReport> {
  const range = readDateRange(asked);
  const total = (column: PgColumn) => sql<number>`sum(${column})`.mapWith(Number);
  const rows = await tx
    .select({
      user_id: reviewDays.userId,
      approved: total(reviewDays.approved),
      edited: total(reviewDays.edited),
      rejected: total(reviewDays.rejected),
      measured: total(reviewDays.measured),
      words: total(reviewDays.words),
      edits: total(reviewDays.edits),
      timed: total(reviewDays.timed),
      worked_ms: total(reviewDays.workedMs),
    })
    .from(reviewDays)
    .where(and(eq(reviewDays.tenantId, tenantId), between(reviewDays.day, range.from, range.to)))
    .groupBy(reviewDays.userId)
    .orderBy(
      desc(sql`sum(${reviewDays.approved} + ${reviewDays.edited} + ${reviewDays.rejected})`),
      reviewDays.userId,
    )
    .limit(maxReviewers);
  const ids = rows.map(({ user_id }) => user_id);
  const emails = await emailsOf(tx, tenantId, ids);
  return { ...range, reviewers: rows.map((row) => ({ ...row, email: emails.get(row.user_id) ?? null })) };
}
