import { z } from 'zod';
import { isCalendarDate, periodForm } from './periods.ts';

const chars = z.int().min(0).meta({ description: 'weighted source characters (A 8.1)' });
const count = z.int().min(0);

/** Only for platform operators (A 2.5). */
const tokens = {
  input_tokens: count.optional(),
  output_tokens: count.optional(),
  total_tokens: count.optional(),
};

/** C 3 */
export const usageRecord = z
  .object({
    job_id: z.string(),
    tenant_id: z.string(),
    kind: z.enum(['text', 'document']),
    billing_period: z.string().meta({ description: 'YYYY-MM in UTC' }),
    source_lang: z.string(),
    target_lang: z.string(),
    source_chars: count.meta({ description: 'Unicode code points' }),
    billable_chars: chars,
    job_status: z.string(),
    fast_path: z.string().nullable(),
    recorded_at: z.string().meta({ format: 'date-time' }),
    ...tokens,
    models: z.array(z.string()).optional(),
  })
  .meta({ id: 'TenantUsageRecord' });

/** C 3 */
export const usageSummary = z
  .object({
    tenant_id: z.string(),
    billing_period: z.string().meta({ description: 'YYYY-MM in UTC' }),
    jobs: count,
    source_chars: count.meta({ description: 'Unicode code points' }),
    billable_chars: chars,
    monthly_char_limit: z.int().min(1),
    allowance: z.object({
      window_start: z.string().meta({ format: 'date-time' }),
      limit: chars,
      used: chars,
      reserved: chars.meta({ description: 'of work in flight' }),
      remaining: chars,
    }),
    topup: z.object({ purchased: count, used: count, balance: z.int() }),
    records: z.array(usageRecord),
  })
  .meta({ id: 'TenantUsageSummary' });

const figures = { jobs: count, billable_chars: chars, ...tokens };

/** C 3 */
export const dailyUsage = z
  .object({
    tenant_id: z.string().nullable().meta({ description: 'null for the sum over all tenants' }),
    from: z.string().meta({ format: 'date' }),
    to: z.string().meta({ format: 'date' }),
    days: z.array(z.object({ date: z.string().meta({ format: 'date' }), ...figures })),
    totals: z.object(figures),
  })
  .meta({ id: 'DailyUsage' });

/** A day in UTC. */
export const calendarDate = z
  .string()
  .refine(isCalendarDate, { error: 'must be a date, YYYY-MM-DD' })
  .meta({ format: 'date' });

/** A calendar month in UTC. */
export const period = z.string().regex(periodForm, 'must be a month, YYYY-MM');

/** A page of a summary's records. The default limit is high, so that a client that knows no cursors still gets many. */
export const recordPage = {
  limit: z.int().min(1).max(1000).default(1000),
  cursor: z.string().max(200).optional(),
};

export const exportFormat = z.enum(['json', 'jsonl', 'csv']).default('json');

export type UsageRecord = z.infer<typeof usageRecord>;
export type UsageSummary = z.infer<typeof usageSummary>;
export type DailyUsage = z.infer<typeof dailyUsage>;
export type ExportFormat = z.infer<typeof exportFormat>;
