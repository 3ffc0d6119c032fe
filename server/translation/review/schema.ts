import { z } from 'zod';
import { calendarDate } from '#server/billing/metering/schema.ts';

const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });

/** Of an approval. */
export const confirmCritical = z
  .boolean()
  .optional()
  .describe(
    '`false`: 409 `critical_findings` if the text has critical findings. `true` confirms them. Omitted: the documented API publishes either way; `/trpc` takes it for `false`.',
  );

/** What a reviewer works on: a text job or a document. */
export const reviewItem = z.object({
  kind: z.enum(['job', 'document']).describe('What is reviewed.'),
  id: z.string().max(100).describe('Its id.'),
});

/** Input of `reviews.claim`. `release` ends the caller's claim in place of making or renewing it. */
export const claimInput = reviewItem.extend({
  release: z.boolean().default(false).describe('Ends the claim instead of making or renewing it.'),
  opened: z
    .boolean()
    .default(false)
    .describe('Whether the item is shown to the caller: approving several leaves out those that are not.'),
});

/** Why approving several items left one out. */
export const leftOutReason = z
  .enum(['unopened', 'critical_findings'])
  .describe(
    '`unopened`: the caller has not opened it; `confirm_unopened` approves it. `critical_findings`: it has some; `confirm_critical` approves it.',
  );

/** A member who is on an item. */
export const itemHolder = z.object({
  holder: z.string().meta({ description: 'email address, or user id' }),
  claimed_at: dateTime,
  expires_at: dateTime,
});

/** Who is on an item. */
export const claimState = z.object({
  /** When the caller's own claim ends; null without one. */
  claimed_until: dateTime.nullable(),
  others: z.array(itemHolder).describe('The other members on it, at most 20, who came first first.'),
});

/** Output of `reviews.reopen`: the item, which awaits review again. */
export const reopenedItem = reviewItem.extend({
  status: z.string().describe('`awaiting_review` of a job, `translated` of a document.'),
  updated_at: dateTime,
});

/** Input of `reviews.byReviewer`: days in UTC, both ends counted, 366 at most; the last 30 if nothing is said. */
export const reviewerReportInput = z
  .object({
    from: calendarDate.optional().describe('The first day, YYYY-MM-DD in UTC.'),
    to: calendarDate.optional().describe('The last day, YYYY-MM-DD in UTC.'),
  })
  .prefault({});

/** What one member did at review. A figure of which nothing is known is 0, beside the 0 of how many it is of. */
export const reviewerFigures = z.object({
  user_id: z.string().describe('The reviewer.'),
  email: z.string().nullable().meta({ description: 'null for a member who is gone' }),
  approved: z.int().meta({ description: 'as the pipeline had written them' }),
  edited: z.int().meta({ description: 'approved with another text' }),
  rejected: z.int().describe('Turned down.'),
  measured: z.int().meta({ description: 'approved texts that `words` and `edits` are of' }),
  words: z
    .int()
    .meta({ description: 'of the longer one of each two texts, the pipeline’s and the approved one' }),
  edits: z.int().meta({ description: 'words that were inserted, deleted or replaced' }),
  timed: z.int().meta({ description: 'decisions that `worked_ms` is of' }),
  worked_ms: z.int().meta({ description: 'as the reviewers’ browsers say' }),
});

export const reviewerReport = z.object({
  from: calendarDate.describe('The first day, YYYY-MM-DD in UTC.'),
  to: calendarDate.describe('The last day, YYYY-MM-DD in UTC.'),
  reviewers: z.array(reviewerFigures).meta({ description: 'at most 1000, who decided most first' }),
});

export type ReviewerReportInput = z.infer<typeof reviewerReportInput>;
export type ReviewerReport = z.infer<typeof reviewerReport>;
export type ReviewItem = z.infer<typeof reviewItem>;
export type ReopenedItem = z.infer<typeof reopenedItem>;
export type ItemHolder = z.infer<typeof itemHolder>;
export type ClaimState = z.infer<typeof claimState>;
