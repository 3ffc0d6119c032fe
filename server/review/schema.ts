import { z } from 'zod';
import { calendarDate } from '#server/billing/metering/schema.ts';
import { itemRefusal } from '#server/http/bulk.ts';

const dateTime = z.string().meta({ format: 'date-time', description: 'A time in ISO 8601 format, in UTC.' });

/**
 * Returns the schema of a list of 1 to `max` elements with different keys.
 * @param what an element in the error message
 */
export function distinct<T extends z.ZodType>(
  element: T,
  { max, keyOf, what }: { max: number; keyOf: (one: z.output<T>) => unknown; what: string },
) {
  return z
    .array(element)
    .min(1)
    .max(max)
    .refine((all) => new Set(all.map(keyOf)).size === all.length, { error: `must not name ${what} twice` });
}

/** An option of approvals. */
export const confirmCritical = z
  .boolean()
  .optional()
  .describe(
    'With `false`, a text with critical findings is not published: the status is 409, with the code `critical_findings`. With `true`, it is published. If omitted, the documented API publishes it, and `/trpc` does not.',
  );

/** An item for review: a text job or a document. */
export const reviewItem = z.object({
  kind: z.enum(['job', 'document']).describe('Whether the item is a text job or a document.'),
  id: z.string().max(100).describe('The ID of the text job or document.'),
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
      'Whether the reviewer has opened the item. An approval of several items skips those that the reviewer has not opened.',
    ),
  read_ms_ago: z
    .int()
    .min(0)
    .default(0)
    .describe('How many milliseconds ago the reviewer read the item. Later changes by others were not seen.'),
});

/** The reason why an approval of several items skipped an item. */
const leftOutReason = z
  .enum(['unopened', 'critical_findings'])
  .describe(
    'Why the item was skipped. `unopened`: the reviewer has not opened it; send `confirm_unopened` to approve it. `critical_findings`: it has critical findings; send `confirm_critical` to approve it.',
  );

/**
 * Returns the schema of the result of one of several decisions.
 * @param id the field that names the item
 * @param done the fields of a decision that is stored
 */
export function decisionOutcome<
  Id extends z.ZodRawShape,
  Done extends z.ZodRawShape,
  Finding extends z.ZodType,
>(id: Id, done: Done, finding: Finding) {
  return z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('done').describe('The decision is stored.'), ...id, ...done }),
    z.object({
      outcome: z.literal('refused').describe('The decision was rejected; nothing has changed.'),
      ...id,
      ...itemRefusal.shape,
    }),
    z.object({
      outcome: z
        .literal('left_out')
        .describe('The item was skipped, because the request has to confirm it; nothing has changed.'),
      ...id,
      reason: leftOutReason,
      critical_findings: z
        .array(finding)
        .describe('Critical findings that no reviewer has confirmed; empty if the reason is `unopened`.'),
    }),
  ]);
}

/** A member who has claimed an item. */
const itemHolder = z.object({
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
  others: z
    .array(itemHolder)
    .describe('Other members who are reviewing the item, in the order in which they started; at most 20.'),
});

/** Output of `reviews.reopen`: the item, which awaits review again. */
export const reopenedItem = reviewItem.extend({
  status: z
    .string()
    .describe(
      'The status of the reopened item: `awaiting_review` for a text job, `translated` for a document.',
    ),
  updated_at: dateTime,
});

/**
 * Input of `reviews.byReviewer`: the first and last day in UTC, both included; at most 366 days, by default the last
 * 30.
 */
export const reviewerReportInput = z
  .object({
    from: calendarDate.optional().describe('The first day of the report, YYYY-MM-DD in UTC.'),
    to: calendarDate.optional().describe('The last day of the report, YYYY-MM-DD in UTC.'),
  })
  .prefault({});

/** The figures of one member. If there is no data for a figure, the figure and its count are 0. */
const reviewerFigures = z.object({
  user_id: z.string().describe('The ID of the reviewer.'),
  email: z
    .string()
    .nullable()
    .meta({ description: 'The email address of the reviewer; null for a former member.' }),
  approved: z.int().meta({ description: 'The number of texts approved without changes.' }),
  edited: z.int().meta({ description: 'The number of texts approved with changes.' }),
  rejected: z.int().describe('The number of texts rejected.'),
  measured: z
    .int()
    .meta({ description: 'The number of approved texts that `words` and `edits` are counted from.' }),
  words: z.int().meta({
    description:
      'The words of these texts. For each text, the longer of the machine translation and the approved text is counted.',
  }),
  edits: z.int().meta({
    description: 'The number of words that reviewers inserted, deleted or replaced in these texts.',
  }),
  timed: z.int().meta({ description: 'The number of reviews whose time `worked_ms` contains.' }),
  worked_ms: z.int().meta({
    description:
      'The time spent on these reviews in milliseconds, as measured in the browsers of the reviewers.',
  }),
});

export const reviewerReport = z.object({
  from: calendarDate.describe('The first day of the report, YYYY-MM-DD in UTC.'),
  to: calendarDate.describe('The last day of the report, YYYY-MM-DD in UTC.'),
  reviewers: z
    .array(reviewerFigures)
    .meta({ description: 'The reviewers with the most reviews first; at most 1000.' }),
});

export type ReviewerReportInput = z.infer<typeof reviewerReportInput>;
export type ReviewerReport = z.infer<typeof reviewerReport>;
export type ReviewItem = z.infer<typeof reviewItem>;
export type ReopenedItem = z.infer<typeof reopenedItem>;
export type ClaimInput = z.infer<typeof claimInput>;
export type ItemHolder = z.infer<typeof itemHolder>;
export type ClaimState = z.infer<typeof claimState>;
