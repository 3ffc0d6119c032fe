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
        'At most 320 characters. Only for callers with an API key; otherwise the session determines the reviewer.',
      ),
    final_translation: translatedText
      .nullish()
      .describe('The reviewed text, at most 500000 characters. Required to modify.'),
    notes: z.string().max(10_000).nullish().describe('At most 10000 characters.'),
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
  job_id: z.string().describe('The job for which the text is proposed.'),
  text: z.string().max(maxCheckedLength).describe('The text to check.'),
});

/** The issues that the service's own checks find in a text that a reviewer proposes. */
export const textCheck = z.object({
  issues: z
    .array(
      qualityIssue.extend({
        missing: z
          .boolean()
          .describe(
            'Whether `span` occurs in the source more often than in the text, so that it may be inserted.',
          ),
      }),
    )
    .describe('The issues found.'),
  missing_terms: z.array(z.string()).describe('Glossary terms that the text should have, at most 100.'),
});

/** The version of a job that a reviewer saw: its `updated_at`. */
const seen = z.iso
  .datetime({ offset: true })
  .meta({ description: 'the updated_at of the job that the reviewer saw' });

/** Input of `translations.act`: a review of the job at `updated_at`. */
export const actInput = reviewInput.safeExtend({
  updated_at: seen,
  worked_ms: z.int().min(0).max(86_400_000).optional().meta({
    description:
      'time spent on the text, as measured by the browser; omitted if unknown. Counted only for a member’s closing review',
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
          .describe('Approves the job although the caller has not opened it.'),
      }),
    )
    .min(1)
    .max(100)
    .refine((reviews) => new Set(reviews.map(({ job_id }) => job_id)).size === reviews.length, {
      error: 'must not name a job twice',
    })
    .describe('At most one review per job.'),
});

/** The result of one of several reviews. */
const reviewResult = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('done').describe('It counted.'),
    job_id: id,
    status: jobStatus,
    updated_at: dateTime,
  }),
  itemRefusal.extend({
    outcome: z.literal('refused').describe('Nothing changed.'),
    job_id: z.string().describe('The job of the review.'),
  }),
  z.object({
    outcome: z
      .literal('left_out')
      .describe('An approval that must name this job explicitly. Nothing changed.'),
    job_id: z.string().describe('The job of the review.'),
    reason: leftOutReason,
    critical_findings: z.array(qualityIssue).describe('Empty for `unopened`.'),
  }),
]);

/** Output of `translations.reviewMany`: the result of each review, in the order of the reviews. */
export const reviewResults = z.object({
  results: z.array(reviewResult).describe('The result of each review, in their order.'),
});

/** Input of `reviews.next`. */
export const nextReviewInput = z
  .object({
    source_lang: z.string().max(40).optional().describe('Only jobs from this language.'),
    target_lang: z.string().max(40).optional().describe('Only jobs into this language.'),
    trigger: triggerCode.optional().describe('Only jobs with this reason for a review.'),
    after: z
      .string()
      .max(200)
      .optional()
      .describe(
        'The cursor of the previous job. Without it, returns the job that has awaited review longest.',
      ),
    claim: z
      .boolean()
      .default(true)
      .describe('Whether the caller claims the job. If not, someone else may get the same job.'),
  })
  .prefault({});

/** The next job for review. */
export const nextReviewView = z.object({
  job: translationJob.nullable().describe('Null if no job was found.'),
  cursor: z
    .string()
    .nullable()
    .describe(
      'Continues after the job, or after the examined jobs if none was found. Null at the end of the queue.',
    ),
  claim: claimState.nullable().describe('Null without a job, or if it was not claimed.'),
});

export type TextCheck = z.infer<typeof textCheck>;
export type ReviewManyInput = z.infer<typeof reviewManyInput>;
export type ReviewResult = z.infer<typeof reviewResult>;
export type NextReviewInput = z.infer<typeof nextReviewInput>;
export type NextReview = z.infer<typeof nextReviewView>;
