import { z } from 'zod';
import { searchedText } from '#server/http/text-search.ts';
import { dateTime, id, qualityIssue, score, triggerCode } from '#server/translation/core/agent-run-schema.ts';

/** Maximum number of texts on a page. */
const maxTexts = 100;

/**
 * Up to this number of named texts, a request needs no slot of the searches. 20 texts take 5 ms, and 80 ms if each has
 * 500,000 characters in both languages; 100 texts would need up to 400 ms, as long as a search.
 */
export const fewTexts = 20;

/** Input of `reviews.texts`. */
export const reviewTextsInput = z
  .object({
    job_ids: z
      .array(id)
      .min(1)
      .max(maxTexts)
      .optional()
      .describe('Only these texts, also those that no longer await review; the other filters are ignored.'),
    source_lang: z.string().max(40).optional().describe('Only texts with this source language.'),
    target_lang: z.string().max(40).optional().describe('Only texts with this target language.'),
    domain: z
      .string()
      .max(1000)
      .nullish()
      .describe('Only texts with exactly this domain. Null: only texts without a domain.'),
    submitter: z
      .string()
      .max(320)
      .nullish()
      .describe('Only texts with this `request.metadata.submitter`. Null: only texts without one.'),
    trigger: triggerCode.optional().describe('Only texts with this reason for a review.'),
    text: searchedText
      .optional()
      .describe('Only texts whose source or translation contains this text. Letter case is ignored.'),
    limit: z.int().min(1).max(maxTexts).default(maxTexts).describe('The maximum number of texts on a page.'),
    cursor: z.string().max(200).optional().describe('The value of `next_cursor` on the previous page.'),
  })
  .prefault({});

/** A text as a segment of the editor. */
const reviewText = z.object({
  id,
  updated_at: dateTime.describe('The version of the text. A review sends it back.'),
  status: z
    .enum(['todo', 'draft', 'warning', 'critical', 'confirmed', 'rejected'])
    .describe(
      '`confirmed` or `rejected` if it no longer awaits review; otherwise `critical` or `warning` if it has findings, `draft` if a reviewer has changed it, or `todo`.',
    ),
  is_own_decision: z
    .boolean()
    .describe('Whether the caller has made the decision. False for a text that awaits review.'),
  source_lang: z.string(),
  target_lang: z.string(),
  is_html: z.boolean(),
  domain: z.string().nullable(),
  submitter: z.string().nullable(),
  source_text: z.string().describe('The first 4,000 characters of the source.'),
  target_text: z.string().nullable().describe('The first 4,000 characters of the translation.'),
  is_cut: z.boolean().describe('Whether the source or the translation is longer.'),
  pipeline_text: z
    .string()
    .nullable()
    .describe('The first 4,000 characters of the machine translation, if a reviewer has changed it.'),
  issues: z
    .array(qualityIssue)
    .describe(
      'The known findings, at most 20. Those of a draft do not include what only a check of the draft finds.',
    ),
  score: score.nullable(),
  threshold: score.nullable(),
  reasons: z
    .array(z.object({ code: triggerCode, reason: z.string().nullable() }))
    .describe('Why the text awaits review.'),
  claimed_by: z.array(z.string()).describe('Other members who are reviewing the text; at most 20.'),
});

/** Output of `reviews.texts`. */
export const reviewTextPage = z.object({
  texts: z.array(reviewText).describe('The texts, oldest first.'),
  next_cursor: z
    .string()
    .nullable()
    .describe('Send this value as `cursor` to continue; null if all texts were examined.'),
});

export type ReviewTextsInput = z.infer<typeof reviewTextsInput>;
export type ReviewText = z.infer<typeof reviewText>;
export type ReviewTextPage = z.infer<typeof reviewTextPage>;
