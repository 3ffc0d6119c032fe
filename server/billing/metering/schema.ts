import { z } from 'zod';
import { isCalendarDate, periodForm } from './periods.ts';

const chars = z.int().min(0).meta({ description: 'weighted source characters' });
const count = z.int().min(0);

/** Fields that only platform operators see. */
const tokens = {
  input_tokens: count.optional().describe('Operator only: tokens that models read.'),
  output_tokens: count.optional().describe('Operator only: tokens that models wrote.'),
  total_tokens: count.optional().describe('Operator only: both.'),
};

export const usageRecord = z
  .object({
    job_id: z.string().describe('The text or document job.'),
    tenant_id: z.string().describe('The tenant of the job.'),
    kind: z.enum(['text', 'document']).describe('A text job or a document job.'),
    billing_period: z.string().meta({ description: 'YYYY-MM in UTC' }),
    source_lang: z.string().describe('The language translated from.'),
    target_lang: z.string().describe('The language translated into.'),
    source_chars: count.meta({ description: 'Unicode code points' }),
    billable_chars: chars,
    job_status: z.string().describe('The status of the job when it was recorded.'),
    fast_path: z
      .string()
      .nullable()
      .describe('`tm_exact` or `glossary_exact` for a job without translation work, else null.'),
    recorded_at: z.string().meta({ format: 'date-time' }).describe('When it was recorded, ISO 8601 in UTC.'),
    ...tokens,
    models: z.array(z.string()).optional().describe('Operator only: the models that worked on it.'),
  })
  .meta({ id: 'TenantUsageRecord', description: 'What one delivered job was billed, written once.' });

export const usageSummary = z
  .object({
    tenant_id: z.string().describe('The tenant.'),
    billing_period: z.string().meta({ description: 'YYYY-MM in UTC' }),
    jobs: count.describe('Jobs recorded in the period.'),
    source_chars: count.meta({ description: 'Unicode code points' }),
    billable_chars: chars,
    monthly_char_limit: z.int().min(1).describe('The monthly allowance of weighted source characters.'),
    allowance: z
      .object({
        window_start: z
          .string()
          .meta({ format: 'date-time' })
          .describe(
            'The start of the window that counts: of the month, or of the current plan. ISO 8601 in UTC.',
          ),
        limit: chars,
        used: chars,
        reserved: chars.meta({ description: 'for work in progress' }),
        remaining: chars.describe('Weighted characters that new work may have.'),
      })
      .describe('The allowance that new work is checked against.'),
    topup: z
      .object({
        purchased: count.describe('Characters bought so far.'),
        used: count.describe('Used characters of these.'),
        balance: z.int().describe('The remaining characters.'),
      })
      .describe('The prepaid characters.'),
    records: z.array(usageRecord).describe('A page of the records of the period, latest first.'),
  })
  .meta({
    id: 'TenantUsageSummary',
    description: 'The usage of a tenant in one month, with its remaining allowance.',
  });

const figures = { jobs: count.describe('Jobs recorded.'), billable_chars: chars, ...tokens };

export const dailyUsage = z
  .object({
    tenant_id: z.string().nullable().meta({ description: 'null for the sum over all tenants' }),
    from: z.string().meta({ format: 'date' }).describe('The first day, included.'),
    to: z.string().meta({ format: 'date' }).describe('The last day, included.'),
    days: z
      .array(
        z.object({ date: z.string().meta({ format: 'date', description: 'The day, in UTC.' }), ...figures }),
      )
      .describe('Every day of the range, in order.'),
    totals: z.object(figures).describe('The sum of all days.'),
  })
  .meta({ id: 'DailyUsage', description: 'Usage by day, UTC. A day without usage has zeros.' });

/** A day in UTC. */
export const calendarDate = z
  .string()
  .refine(isCalendarDate, { error: 'must be a date, YYYY-MM-DD' })
  .meta({ format: 'date' });

/** A calendar month in UTC. */
export const period = z
  .string()
  .regex(periodForm, 'must be a month, YYYY-MM')
  .describe('The month in UTC, YYYY-MM; the current one by default.');

/**
 * Selects a page of a summary's records. The default limit is high, so that a client that does not use cursors still
 * gets many.
 */
export const recordPage = {
  limit: z.int().min(1).max(1000).default(1000).describe('1 to 1000 records.'),
  cursor: z.string().max(200).optional().describe('From the X-Next-Cursor header of the previous page.'),
};

export const exportFormat = z
  .enum(['json', 'jsonl', 'csv'])
  .default('json')
  .describe('One object, one record per line, or a table with a header row.');

export type UsageRecord = z.infer<typeof usageRecord>;
export type UsageSummary = z.infer<typeof usageSummary>;
export type DailyUsage = z.infer<typeof dailyUsage>;
export type ExportFormat = z.infer<typeof exportFormat>;
