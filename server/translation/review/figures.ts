import { and, between, desc, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { reviewDays } from '#db/schema/reviews.ts';
import { readDateRange } from '#server/billing/metering/periods.ts';
import { emailsOf } from '#server/identity/members/members.ts';
import type { EditDistance } from './edit-distance.ts';
import type { ReviewerReport, ReviewerReportInput } from './schema.ts';

/** Maximum number of reviewers in a report. If there are more, it contains those with the most decisions. */
const maxReviewers = 1000;

/** The figures of one decision, or of a later comparison of its texts, to add to a member's figures of the day. */
export interface ReviewFigures {
  decision?: 'approved' | 'edited' | 'rejected';
  edit?: EditDistance | undefined;
  /** Milliseconds that the member spent on the text; undefined if not known. */
  workedMs?: number | undefined;
}

/** Adds figures to the member's sums of the current day in UTC. */
export async function addFigures(
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
  const total = (
    name: 'approved' | 'edited' | 'rejected' | 'measured' | 'words' | 'edits' | 'timed' | 'workedMs',
  ) => sql<number>`sum(${reviewDays[name]})`.mapWith(Number);
  const rows = await tx
    .select({
      user_id: reviewDays.userId,
      approved: total('approved'),
      edited: total('edited'),
      rejected: total('rejected'),
      measured: total('measured'),
      words: total('words'),
      edits: total('edits'),
      timed: total('timed'),
      worked_ms: total('workedMs'),
    })
    .from(reviewDays)
    .where(and(eq(reviewDays.tenantId, tenantId), between(reviewDays.day, range.from, range.to)))
    .groupBy(reviewDays.userId)
    .orderBy(
      desc(sql`sum(${reviewDays.approved} + ${reviewDays.edited} + ${reviewDays.rejected})`),
      reviewDays.userId,
    )
    .limit(maxReviewers);
  const emails = await emailsOf(
    tx,
    tenantId,
    rows.map(({ user_id }) => user_id),
  );
  return { ...range, reviewers: rows.map((row) => ({ ...row, email: emails.get(row.user_id) ?? null })) };
}
