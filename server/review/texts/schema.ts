import { z } from 'zod';
import { searchedText } from '#server/http/text-search.ts';
import { moment } from '#server/platform/input-limits.ts';
import { jobStatus, translationJob } from '#server/texts/schema.ts';
import {
  dateTime,
  id,
  qualityIssue,
  reviewAction,
  score,
  triggerCode,
} from '#server/translation/agent-run-schema.ts';
import { claimState, confirmCritical, decisionOutcome, distinct } from '../schema.ts';

/** The limit is longer than any translation of a text that the service accepts. */
const translatedText = z
  .string()
  .max(500_000)
  .refine((text) => text.trim() !== '', 'must not be blank');

/** The version of a job that a reviewer saw: its `updated_at`. */
const seen = moment.meta({ description: 'The value of `updated_at` of the job that the reviewer saw.' });

export const reviewInput = z
  .object({
    job_id: z.string().describe('The ID of the job.'),
    action: reviewAction.describe(
      '`save` keeps a draft. `approve` publishes `final_translation`, or else the saved draft, or else the machine translation. `modify` publishes `final_translation`. `reject` closes the job without publishing.',
    ),
    reviewer: z
      .string()
      .min(1)
      .max(320)
      .nullish()
      .describe(
        'The name of the reviewer, at most 320 characters, for clients with an API key. For signed-in members, the session determines the reviewer.',
      ),
    final_translation: translatedText
      .nullish()
      .describe('The reviewed text, at most 500000 characters. Required for the action `modify`.'),
    notes: z.string().max(10_000).nullish().describe('Notes of the reviewer, at most 10000 characters.'),
    confirm_critical: confirmCritical,
    updated_at: seen
      .optional()
      .describe(
        'The `updated_at` of the job that the reviewer saw. If the job has another one, the status is 409 and nothing changes. Required to publish a job with a second review.',
      ),
  })
  .refine(({ action, final_translation }) => action !== 'modify' || final_translation, {
    path: ['final_translation'],
    message: 'is required to modify',
  })
  .meta({
    id: 'TranslationReviewRequest',
    description: "A reviewer's decision about a job that awaits review.",
  });

export type ReviewRequest = Omit<z.infer<typeof reviewInput>, 'confirm_critical' | 'job_id' | 'updated_at'>;

/** Maximum UTF-16 units of a text that is checked while the reviewer types. Longer texts would delay other requests. */
const maxCheckedLength = 100_000;

/** Input of `translations.check`. */
export const checkInput = z.object({
  job_id: z.string().describe('The ID of the job for which the reviewer proposes the text.'),
  text: z.string().max(maxCheckedLength).describe('The translation to check.'),
});

/** The issues that the service's own checks find in a text that a reviewer proposes. */
export const textCheck = z.object({
  issues: z
    .array(
      qualityIssue.extend({
        missing: z
          .boolean()
          .describe(
            'Whether `span` occurs more often in the source than in the translation, so that it can be inserted.',
          ),
      }),
    )
    .describe('The issues that were found; may be empty.'),
  missing_terms: z
    .array(z.string())
    .describe('Glossary terms that the translation should have but does not; at most 100.'),
  forbidden_terms: z
    .array(
      z.object({
        term: z.string().describe('The forbidden translation.'),
        source_term: z.string().describe('The term whose translation it is.'),
        use: z.string().nullable().describe('The translation to use; null if the glossary has none.'),
        found: z.string().describe('An occurrence of the translation in the text.'),
      }),
    )
    .optional()
    .describe('Translations in the text that the glossary forbids; omitted without any.'),
});

/** Input of `translations.act`: a review of the job at `updated_at`. */
export const actInput = reviewInput.safeExtend({
  updated_at: seen,
  worked_ms: z.int().min(0).max(86_400_000).optional().meta({
    description:
      'The time that the reviewer spent on the text in milliseconds, as measured by the browser. Omit it if unknown. It counts only if the review closes the job.',
  }),
});

/** Input of `translations.reviewMany`. */
export const reviewManyInput = z.object({
  reviews: distinct(
    reviewInput.safeExtend({
      confirm_unopened: z
        .boolean()
        .default(false)
        .describe('Whether the job is approved even if the reviewer has not opened it.'),
    }),
    { max: 100, keyOf: ({ job_id }) => job_id, what: 'a job' },
  ).describe('The reviews, at most one for each job.'),
});

/** Output of `translations.reviewMany`: the result of each review, in the order of the reviews. */
export const reviewResults = z.object({
  results: z
    .array(decisionOutcome({ job_id: id }, { status: jobStatus, updated_at: dateTime }, qualityIssue))
    .describe('The result of each review, in the order of `reviews`.'),
});

const ofKind = {
  source_lang: z.string().max(40).optional().describe('Only texts with this source language.'),
  target_lang: z.string().max(40).optional().describe('Only texts with this target language.'),
  trigger: triggerCode.optional().describe('Only texts with this reason for a review.'),
};

/** Input of `reviews.next`. */
export const nextReviewInput = z
  .object({
    ...ofKind,
    after: z
      .string()
      .max(200)
      .optional()
      .describe(
        'The `cursor` of the previous response. If omitted, the job that has awaited review longest is returned.',
      ),
    claim: z
      .boolean()
      .default(true)
      .describe(
        'Whether the job is reserved for this reviewer. If not, another reviewer may get the same job.',
      ),
  })
  .prefault({});

/** The next job for review. */
export const nextReviewView = z.object({
  job: translationJob.nullable().describe('The next job to review; null if none was found.'),
  cursor: z
    .string()
    .nullable()
    .describe(
      'Send this value as `after` to get the job after this one; null at the end of the queue. If `job` is null, more jobs may follow.',
    ),
  claim: claimState
    .nullable()
    .describe('The reservation of the job; null if no job was found, or if it was not reserved.'),
});

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
    ...ofKind,
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
    assignee: z
      .string()
      .max(100)
      .nullish()
      .describe('Only texts that the member with this ID reviews next. Null: only unassigned texts.'),
    assigned: z
      .object({
        step: z.enum(['first', 'second']),
        assignee: z.string().max(100).nullable(),
        second: z.string().max(100).nullable(),
        due_at: moment.nullable(),
      })
      .optional()
      .describe(
        'Only texts with exactly this assignment: the step, the IDs of the first and the second reviewer, and the due date.',
      ),
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
  context: z.string().nullable().describe('What the request states about the text; null without a context.'),
  max_length: z.int().nullable().describe('The maximum length of the translation; null without a limit.'),
  length_unit: z.string().nullable().describe('The unit of `max_length`; null for characters.'),
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

export type TextCheck = z.infer<typeof textCheck>;
export type ReviewManyInput = z.infer<typeof reviewManyInput>;
export type NextReviewInput = z.infer<typeof nextReviewInput>;
export type NextReview = z.infer<typeof nextReviewView>;
export type ReviewTextsInput = z.infer<typeof reviewTextsInput>;
export type ReviewText = z.infer<typeof reviewText>;
export type ReviewTextPage = z.infer<typeof reviewTextPage>;
