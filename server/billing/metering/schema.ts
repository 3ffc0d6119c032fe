import { z } from 'zod';
import { pageCursor } from '#server/http/paging.ts';
import { isCalendarDate, periodForm } from './periods.ts';

const chars = z.int().min(0).meta({ description: 'source characters, weighted by the language pair' });
const count = z.int().min(0);

/** Fields that only platform operators see. */
const tokens = {
  input_tokens: count.optional().describe('Input tokens of the models. Only operators get this field.'),
  output_tokens: count.optional().describe('Output tokens of the models. Only operators get this field.'),
  total_tokens: count
    .optional()
    .describe('The sum of input and output tokens. Only operators get this field.'),
};

const usageRecord = z
  .object({
    job_id: z.string().describe('The ID of the text or document job.'),
    tenant_id: z.string().describe('The ID of the tenant that the job belongs to.'),
    kind: z.enum(['text', 'document']).describe('Whether the job translates a text or a document.'),
    billing_period: z.string().meta({ description: 'The month in UTC, YYYY-MM.' }),
    source_lang: z.string().describe('The source language.'),
    target_lang: z.string().describe('The target language.'),
    source_chars: count.meta({
      description: 'Characters of the source, counted as Unicode code points, unweighted.',
    }),
    billable_chars: chars,
    job_status: z.string().describe('The status of the job when it was recorded.'),
    fast_path: z
      .string()
      .nullable()
      .describe(
        '`tm_exact` or `glossary_exact` if the translation memory or a glossary served the job without a model; otherwise null.',
      ),
    recorded_at: z
      .string()
      .meta({ format: 'date-time' })
      .describe('The time at which the usage was recorded, ISO 8601 in UTC.'),
    ...tokens,
    models: z
      .array(z.string())
      .optional()
      .describe('The models that the job used. Only operators get this field.'),
  })
  .meta({
    id: 'TenantUsageRecord',
    description: 'The billed usage of one delivered job. A record never changes.',
  });

export const usageSummary = z
  .object({
    tenant_id: z.string().describe('The ID of the tenant.'),
    billing_period: z.string().meta({ description: 'The month in UTC, YYYY-MM.' }),
    jobs: count.describe('The number of jobs that were recorded in the period.'),
    source_chars: count.meta({
      description: 'Characters of the source, counted as Unicode code points, unweighted.',
    }),
    billable_chars: chars,
    monthly_char_limit: z.int().min(1).describe('The monthly allowance of weighted source characters.'),
    allowance: z
      .object({
        window_start: z
          .string()
          .meta({ format: 'date-time' })
          .describe(
            'The time from which usage counts against the allowance: the start of the month, or of the current plan. ISO 8601 in UTC.',
          ),
        limit: chars,
        used: chars,
        reserved: chars.meta({ description: 'Weighted characters that are reserved for jobs in progress.' }),
        remaining: chars.describe(
          'Weighted characters that new jobs may use. If billing is on and the tenant has no subscription, this is at most the rest of its free trial, which covers only texts; 0 without a trial.',
        ),
      })
      .describe('The allowance that new jobs must not exceed.'),
    trial: z
      .object({
        granted: chars.meta({ description: 'The weighted characters of the trial.' }),
        used: chars.meta({ description: 'The weighted characters of the trial that are used.' }),
        ends_at: z
          .string()
          .meta({ format: 'date-time' })
          .describe('The time at which the trial ends, ISO 8601 in UTC. It may have passed.'),
      })
      .nullable()
      .describe(
        'The free trial of the tenant; null with a subscription, without a trial, or if billing is off.',
      ),
    topup: z
      .object({
        purchased: count.describe('Prepaid characters that were bought so far.'),
        used: count.describe('The prepaid characters that are used.'),
        balance: z.int().describe('The prepaid characters that remain.'),
      })
      .describe('The prepaid characters.'),
    records: z.array(usageRecord).describe('A page of the usage records of the period, latest first.'),
  })
  .meta({
    id: 'TenantUsageSummary',
    description: 'The usage of a tenant in one month, with its remaining allowance.',
  });

const figures = { jobs: count.describe('The number of recorded jobs.'), billable_chars: chars, ...tokens };

export const dailyUsage = z
  .object({
    tenant_id: z
      .string()
      .nullable()
      .meta({ description: 'The ID of the tenant; null for the sum over all tenants.' }),
    from: z.string().meta({ format: 'date' }).describe('The first day of the range.'),
    to: z.string().meta({ format: 'date' }).describe('The last day of the range, which is included.'),
    days: z
      .array(
        z.object({ date: z.string().meta({ format: 'date', description: 'The day, in UTC.' }), ...figures }),
      )
      .describe('One entry for every day of the range, in order.'),
    totals: z.object(figures).describe('The sum of all days.'),
  })
  .meta({ id: 'DailyUsage', description: 'The usage of each day in UTC. A day without usage has zeros.' });

/** A day in UTC. */
export const calendarDate = z
  .string()
  .refine(isCalendarDate, { error: 'must be a date, YYYY-MM-DD' })
  .meta({ format: 'date' });

/** A calendar month in UTC. */
export const period = z
  .string()
  .regex(periodForm, 'must be a month, YYYY-MM')
  .describe('The month in UTC, YYYY-MM. Default: the current month.');

/**
 * Selects a page of a summary's records. The default limit is high, so that a client that does not use cursors still
 * gets many.
 */
export const recordPage = {
  limit: z
    .int()
    .min(1)
    .max(1000)
    .default(1000)
    .describe('The maximum number of records in the response: 1 to 1000.'),
  cursor: pageCursor,
};

export const exportFormat = z
  .enum(['json', 'jsonl', 'csv'])
  .default('json')
  .describe('`json`: one object. `jsonl`: one JSON record per line. `csv`: a table with a header row.');

export type UsageRecord = z.infer<typeof usageRecord>;
export type UsageSummary = z.infer<typeof usageSummary>;
export type DailyUsage = z.infer<typeof dailyUsage>;
export type ExportFormat = z.infer<typeof exportFormat>;
