import { z } from 'zod';
import { itemRefusal } from '#server/http/bulk.ts';
import {
  dateTime,
  id,
  qualityIssue,
  reviewAction,
  triggerCode,
} from '#server/translation/core/agent-run-schema.ts';
import { jobStatus, translationJob } from '#server/translation/texts/schema.ts';
import { claimState, confirmCritical, leftOutReason } from '../schema.ts';

/** The limit is longer than any translation of a text that the service accepts. */
const translatedText = z
  .string()
  .max(500_000)
  .refine((text) => text.trim() !== '', 'must not be blank');

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
  })
  .refine(({ action, final_translation }) => action !== 'modify' || final_translation, {
    path: ['final_translation'],
    message: 'is required to modify',
  })
  .meta({
    id: 'TranslationReviewRequest',
    description: "A reviewer's decision about a job that awaits review.",
  });

export type ReviewRequest = Omit<z.infer<typeof reviewInput>, 'confirm_critical' | 'job_id'>;

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
});

/** The version of a job that a reviewer saw: its `updated_at`. */
const seen = z.iso
  .datetime({ offset: true })
  .meta({ description: 'The value of `updated_at` of the job that the reviewer saw.' });

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
  reviews: z
    .array(
      reviewInput.safeExtend({
        updated_at: seen.optional(),
        confirm_unopened: z
          .boolean()
          .default(false)
          .describe('Whether the job is approved even if the reviewer has not opened it.'),
      }),
    )
    .min(1)
    .max(100)
    .refine((reviews) => new Set(reviews.map(({ job_id }) => job_id)).size === reviews.length, {
      error: 'must not name a job twice',
    })
    .describe('The reviews, at most one for each job.'),
});

/** The result of one of several reviews. */
const reviewResult = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('done').describe('The review is stored.'),
    job_id: id,
    status: jobStatus,
    updated_at: dateTime,
  }),
  itemRefusal.extend({
    outcome: z.literal('refused').describe('The review was rejected; nothing has changed.'),
    job_id: z.string().describe('The ID of the reviewed job.'),
  }),
  z.object({
    outcome: z
      .literal('left_out')
      .describe(
        'The approval was skipped, because it has to confirm this job explicitly; nothing has changed.',
      ),
    job_id: z.string().describe('The ID of the reviewed job.'),
    reason: leftOutReason,
    critical_findings: z
      .array(qualityIssue)
      .describe('The critical findings; empty if the reason is `unopened`.'),
  }),
]);

/** Output of `translations.reviewMany`: the result of each review, in the order of the reviews. */
export const reviewResults = z.object({
  results: z.array(reviewResult).describe('The result of each review, in the order of `reviews`.'),
});

/** Input of `reviews.next`. */
export const nextReviewInput = z
  .object({
    source_lang: z.string().max(40).optional().describe('Only jobs with this source language.'),
    target_lang: z.string().max(40).optional().describe('Only jobs with this target language.'),
    trigger: triggerCode.optional().describe('Only jobs with this reason for a review.'),
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

export type TextCheck = z.infer<typeof textCheck>;
export type ReviewManyInput = z.infer<typeof reviewManyInput>;
export type ReviewResult = z.infer<typeof reviewResult>;
export type NextReviewInput = z.infer<typeof nextReviewInput>;
export type NextReview = z.infer<typeof nextReviewView>;
