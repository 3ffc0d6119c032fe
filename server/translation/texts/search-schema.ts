import { z } from 'zod';
import { searchedText } from '#server/http/text-search.ts';
import { dateTime, id, score, triggerCode } from '#server/translation/core/agent-run-schema.ts';
import { jobListFilter, moment } from '#server/translation/core/listing/job-list-filter.ts';
import { jobStatus } from './schema.ts';

/** Which jobs; a field that is absent admits all. */
export const jobFilter = jobListFilter.extend({
  statuses: z.array(jobStatus).min(1).max(10).optional().describe('Only jobs of one of these statuses.'),
  trigger: triggerCode
    .optional()
    .describe(
      'A trigger of the quality gate: why a job was held, or what it was published with a warning of.',
    ),
  updated_from: moment.optional().describe('The earliest updated_at.'),
  updated_to: moment.optional().describe('The first updated_at that is too late.'),
  /** Stands in the source or in the translation. */
  text: searchedText
    .optional()
    .describe('Stands in the source or in the translation; letter case does not matter.'),
});

/** Input of `translations.search`. */
export const searchInput = jobFilter
  .extend({
    order: z.enum(['newest', 'oldest']).default('newest').meta({ description: 'by updated_at, then id' }),
    limit: z.int().min(1).max(100).default(50).describe('Jobs of a page.'),
    cursor: z.string().max(200).optional().describe('The next_cursor of the page before.'),
  })
  .prefault({});

/** A job as a list shows it. `translations.get` has the rest. */
export const jobSummary = z.object({
  id,
  status: jobStatus,
  source_lang: z.string().describe('The language translated from.'),
  target_lang: z.string().describe('The language translated into.'),
  text_type: z.enum(['Plain', 'Html']).describe('Whether the text is HTML.'),
  source_excerpt: z.string().describe('The first 300 characters of the source.'),
  translation_excerpt: z.string().nullable().describe('The first 300 characters of the translation.'),
  /** The quality gate's. */
  score: score.nullable(),
  triggers: z.array(triggerCode).describe('Why it was held, or what it was published with a warning of.'),
  claimed_by: z.array(z.string()).describe('The other members who are on it, at most 20.'),
  created_at: dateTime,
  updated_at: dateTime,
});

/** A page of found jobs. It may be short, or even empty, although more follows: one request examines a bounded number of jobs. */
export const searchPage = z.object({
  jobs: z.array(jobSummary).describe('In the order that was asked for.'),
  next_cursor: z.string().nullable().describe('Continues the search; null when all jobs were examined.'),
  /** `updated_at` of the last examined job; null when all were. */
  searched_to: dateTime.nullable(),
});

/** A number of jobs, counted up to a limit. */
const boundedCount = z.object({
  count: z.int().describe('As many as were counted.'),
  more: z.boolean().describe('Whether there are more than `count`.'),
});

/** Output of `translations.counts`. */
export const jobCounts = z.object({
  by_status: z.array(boundedCount.extend({ status: jobStatus })).meta({ description: 'every status' }),
  waiting: boundedCount
    .extend({
      /** The earliest `updated_at` of them; null without any. */
      oldest_at: dateTime.nullable(),
    })
    .describe('What a reviewer may act on.'),
});

export type JobFilter = z.infer<typeof jobFilter>;
export type JobSummary = z.infer<typeof jobSummary>;
export type SearchInput = z.infer<typeof searchInput>;
export type SearchPage = z.infer<typeof searchPage>;
export type JobCounts = z.infer<typeof jobCounts>;
