import { z } from 'zod';
import { searchedText } from '#server/http/text-search.ts';
import { dateTime, id, score, triggerCode } from '#server/translation/core/agent-run-schema.ts';
import { jobListFilter, moment } from '#server/translation/core/listing/job-list-filter.ts';
import { jobStatus } from './schema.ts';

/** Filter of jobs; an omitted field matches all jobs. */
export const jobFilter = jobListFilter.extend({
  statuses: z.array(jobStatus).min(1).max(10).optional().describe('Only jobs of one of these statuses.'),
  trigger: triggerCode
    .optional()
    .describe('A trigger of the quality gate: the reason for a review, or a warning of a published job.'),
  updated_from: moment.optional().describe('The earliest updated_at.'),
  updated_to: moment.optional().describe('The end of updated_at, exclusive.'),
  /** Part of the source or the translation. */
  text: searchedText.optional().describe('Part of the source or the translation; case-insensitive.'),
});

/** Input of `translations.search`. */
export const searchInput = jobFilter
  .extend({
    order: z.enum(['newest', 'oldest']).default('newest').meta({ description: 'by updated_at, then id' }),
    limit: z.int().min(1).max(100).default(50).describe('Jobs per page.'),
    cursor: z.string().max(200).optional().describe('The next_cursor of the previous page.'),
  })
  .prefault({});

/** A job in a list. `translations.get` returns the other fields too. */
export const jobSummary = z.object({
  id,
  status: jobStatus,
  source_lang: z.string().describe('The source language.'),
  target_lang: z.string().describe('The target language.'),
  text_type: z.enum(['Plain', 'Html']).describe('Whether the text is HTML.'),
  source_excerpt: z.string().describe('The first 300 characters of the source.'),
  translation_excerpt: z.string().nullable().describe('The first 300 characters of the translation.'),
  /** Score of the quality gate. */
  score: score.nullable(),
  triggers: z.array(triggerCode).describe('The reasons for a review, or warnings of a published job.'),
  claimed_by: z.array(z.string()).describe('Other members who work on it; at most 20.'),
  created_at: dateTime,
  updated_at: dateTime,
});

/**
 * A page of a search for jobs. It may be short, or even empty, although more jobs follow: one request examines a
 * limited number of jobs.
 */
export const searchPage = z.object({
  jobs: z.array(jobSummary).describe('In the requested order.'),
  next_cursor: z.string().nullable().describe('Continues the search; null if all jobs were examined.'),
  /** `updated_at` of the last examined job; null if all jobs were examined. */
  searched_to: dateTime.nullable(),
});

/** A number of jobs, which is counted only up to a limit. */
const boundedCount = z.object({
  count: z.int().describe('The counted jobs.'),
  more: z.boolean().describe('Whether there are more than `count`.'),
});

/** Output of `translations.counts`. */
export const jobCounts = z.object({
  by_status: z.array(boundedCount.extend({ status: jobStatus })).meta({ description: 'every status' }),
  waiting: boundedCount
    .extend({
      /** The earliest `updated_at` of these jobs; null if none exist. */
      oldest_at: dateTime.nullable(),
    })
    .describe('Jobs that can be reviewed.'),
});

export type JobFilter = z.infer<typeof jobFilter>;
export type JobSummary = z.infer<typeof jobSummary>;
export type SearchInput = z.infer<typeof searchInput>;
export type SearchPage = z.infer<typeof searchPage>;
export type JobCounts = z.infer<typeof jobCounts>;
