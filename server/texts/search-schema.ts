import { z } from 'zod';
import { searchedText } from '#server/http/text-search.ts';
import { moment } from '#server/platform/input-limits.ts';
import { dateTime, id, score, triggerCode } from '#server/translation/agent-run-schema.ts';
import { jobListFilter } from '#server/translation/listing/job-list-filter.ts';
import { jobStatus } from './schema.ts';

/** Filter of jobs; an omitted field matches all jobs. */
const jobFilter = jobListFilter.extend({
  statuses: z.array(jobStatus).min(1).max(10).optional().describe('Only jobs with one of these statuses.'),
  trigger: triggerCode
    .optional()
    .describe(
      'Only jobs with this trigger of the quality gate: a reason for a review, or a warning of a published job.',
    ),
  updated_from: moment.optional().describe('Only jobs that were changed at or after this time.'),
  updated_to: moment.optional().describe('Only jobs that were changed before this time.'),
  /** Part of the source or the translation. */
  text: searchedText
    .optional()
    .describe('Only jobs whose source or translation contains this text. Letter case is ignored.'),
});

/** Input of `translations.search`. */
export const searchInput = jobFilter
  .extend({
    order: z
      .enum(['newest', 'oldest'])
      .default('newest')
      .meta({ description: 'The order of the jobs by `updated_at`, then by ID.' }),
    limit: z.int().min(1).max(100).default(50).describe('The maximum number of jobs on a page.'),
    cursor: z.string().max(200).optional().describe('The value of `next_cursor` on the previous page.'),
  })
  .prefault({});

/** A job in a list. `translations.get` returns the other fields too. */
const jobSummary = z.object({
  id,
  status: jobStatus,
  source_lang: z.string().describe('The source language.'),
  target_lang: z.string().describe('The target language.'),
  text_type: z.enum(['Plain', 'Html']).describe('`Html` if the text is HTML.'),
  source_excerpt: z.string().describe('The first 300 characters of the source.'),
  translation_excerpt: z.string().nullable().describe('The first 300 characters of the translation.'),
  /** Score of the quality gate. */
  score: score.nullable(),
  triggers: z.array(triggerCode).describe('The reasons for a review, or warnings of a published job.'),
  claimed_by: z.array(z.string()).describe('Other members who are reviewing the job; at most 20.'),
  created_at: dateTime,
  updated_at: dateTime,
});

/**
 * A page of a search for jobs. It may be short, or even empty, although more jobs follow: one request examines a
 * limited number of jobs.
 */
export const searchPage = z.object({
  jobs: z.array(jobSummary).describe('The jobs, in the requested order.'),
  next_cursor: z
    .string()
    .nullable()
    .describe('Send this value as `cursor` to continue the search; null if all jobs were examined.'),
  /** `updated_at` of the last examined job; null if all jobs were examined. */
  searched_to: dateTime.nullable(),
});

/** A number of jobs, which is counted only up to a limit. */
const boundedCount = z.object({
  count: z.int().describe('The number of jobs that were counted.'),
  more: z.boolean().describe('Whether there are more jobs than `count`.'),
});

/** Output of `translations.counts`. */
export const jobCounts = z.object({
  by_status: z
    .array(boundedCount.extend({ status: jobStatus }))
    .meta({ description: 'The number of jobs for every status.' }),
  waiting: boundedCount
    .extend({
      /** The earliest `updated_at` of these jobs; null if none exist. */
      oldest_at: dateTime.nullable(),
    })
    .describe('The jobs that await review.'),
});

export type JobFilter = z.infer<typeof jobFilter>;
export type JobSummary = z.infer<typeof jobSummary>;
export type SearchInput = z.infer<typeof searchInput>;
export type SearchPage = z.infer<typeof searchPage>;
export type JobCounts = z.infer<typeof jobCounts>;
