import { z } from 'zod';
import { calendarDate } from '#server/billing/metering/schema.ts';

const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });

/** An option of approvals. */
export const confirmCritical = z
  .boolean()
  .optional()
  .describe(
    '`false`: 409 `critical_findings` if the text has critical findings. `true` confirms them. If omitted, the documented API publishes in both cases; `/trpc` uses `false`.',
  );

/** An item for review: a text job or a document. */
export const reviewItem = z.object({
  kind: z.enum(['job', 'document']).describe('The kind of item.'),
  id: z.string().max(100).describe('Its id.'),
});

/** The place of a segment in a document, from 0. */
export const segmentPosition = z.int().min(0).max(1_000_000);

/** Input of `reviews.claim`. With `release`, the call ends the caller's claim instead of creating or renewing it. */
export const claimInput = reviewItem.extend({
  position: segmentPosition
    .optional()
    .describe('The segment of a document that the caller has open. If omitted, no segment is open.'),
  release: z.boolean().default(false).describe('Ends the claim instead of making or renewing it.'),
  opened: z
    .boolean()
    .default(false)
    .describe(
      'Whether the item is shown to the caller: an approval of several items skips those that were not shown.',
    ),
});

/** The reason why an approval of several items skipped an item. */
export const leftOutReason = z
  .enum(['unopened', 'critical_findings'])
  .describe(
    '`unopened`: the caller has not opened it; `confirm_unopened` approves it. `critical_findings`: it has critical findings; `confirm_critical` approves it.',
  );

/** A member who has claimed an item. */
export const itemHolder = z.object({
  holder: z.string().meta({ description: 'email address or user ID' }),
  position: z
    .int()
    .nullable()
    .meta({ description: 'the segment that the member has open; null for none, and for texts' }),
  claimed_at: dateTime,
  expires_at: dateTime,
});

/** The members who have claimed an item. */
export const claimState = z.object({
  /** Time at which the caller's own claim ends; null without a claim. */
  claimed_until: dateTime.nullable(),
  others: z.array(itemHolder).describe('Other members who work on it, the first one first; at most 20.'),
});

/** Output of `reviews.reopen`: the item, which awaits review again. */
export const reopenedItem = reviewItem.extend({
  status: z.string().describe('`awaiting_review` of a job, `translated` of a document.'),
  updated_at: dateTime,
});

/**
 * Input of `reviews.byReviewer`: the first and last day in UTC, both included; at most 366 days, by default the last
 * 30.
 */
export const reviewerReportInput = z
  .object({
    from: calendarDate.optional().describe('The first day, YYYY-MM-DD in UTC.'),
    to: calendarDate.optional().describe('The last day, YYYY-MM-DD in UTC.'),
  })
  .prefault({});

/** The figures of one member. If there is no data for a figure, the figure and its count are 0. */
export const reviewerFigures = z.object({
  user_id: z.string().describe('The reviewer.'),
  email: z.string().nullable().meta({ description: 'null for a former member' }),
  approved: z.int().meta({ description: 'approved without changes' }),
  edited: z.int().meta({ description: 'approved with changes' }),
  rejected: z.int().describe('Turned down.'),
  measured: z.int().meta({ description: 'approved texts that `words` and `edits` cover' }),
  words: z.int().meta({
    description: 'words of the longer text, machine translation or approved text, summed over all jobs',
  }),
  edits: z.int().meta({ description: 'words inserted, deleted or replaced' }),
  timed: z.int().meta({ description: 'decisions that `worked_ms` is of' }),
  worked_ms: z.int().meta({ description: 'as measured by the reviewers’ browsers' }),
});

export const reviewerReport = z.object({
  from: calendarDate.describe('The first day, YYYY-MM-DD in UTC.'),
  to: calendarDate.describe('The last day, YYYY-MM-DD in UTC.'),
  reviewers: z.array(reviewerFigures).meta({ description: 'at most 1000, the most decisions first' }),
});

export type ReviewerReportInput = z.infer<typeof reviewerReportInput>;
export type ReviewerReport = z.infer<typeof reviewerReport>;
export type ReviewItem = z.infer<typeof reviewItem>;
export type ReopenedItem = z.infer<typeof reopenedItem>;
export type ClaimInput = z.infer<typeof claimInput>;
export type ItemHolder = z.infer<typeof itemHolder>;
export type ClaimState = z.infer<typeof claimState>;
