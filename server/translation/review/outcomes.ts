import { eq, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { DateRange } from '#server/billing/metering/periods.ts';
import { calendarDate } from '#server/billing/metering/schema.ts';
import {
  breakDown,
  coverage,
  isRemoved,
  type ReportRange,
  readCoverage,
  recordsInRange,
  type UsageBreakdown,
} from '#server/billing/metering/usage-breakdown.ts';
import { triggerCode } from '#server/translation/core/agent-run-schema.ts';

/** Maximum number of texts whose reasons for a review are read. Their traces are large. */
const maxReasonTexts = 2000;

const texts = {
  automatic: z.int().meta({ description: 'published without a person' }),
  reviewed: z.int().meta({ description: 'approved by a reviewer, with or without changes' }),
  rejected: z.int().meta({ description: 'rejected by a reviewer' }),
  waiting: z.int().meta({ description: 'awaiting a reviewer' }),
};

/** The results of the texts that were translated in a range of days. */
export const outcomeReport = z.object({
  ...coverage,
  days: z
    .array(z.object({ date: calendarDate.describe('The day of the translation, in UTC.'), ...texts }))
    .meta({ description: 'the days with texts, in order' }),
  median_ms: z
    .number()
    .nullable()
    .meta({ description: 'half of the texts were translated in at most this time; null without texts' }),
  reasons: z
    .array(z.object({ code: triggerCode, texts: z.int().describe('Texts with this reason.') }))
    .meta({ description: 'why texts needed a reviewer, the most frequent first; a text may have several' }),
  reasons_of: z.int().meta({
    description: `texts whose reasons were read: the latest ${maxReasonTexts} that needed a reviewer`,
  }),
});

type OutcomeReport = z.infer<typeof outcomeReport>;

const { jobId, status, decidedAt, agentRun, createdAt } = translationJobs;

/**
 * A subquery of the usage records in a range of days, and of the texts whose records retention has removed. These count
 * on the day on which they were submitted, and have no `recorded_at`.
 */
function countedTexts(tenantId: string, covered: DateRange & { counted_from: string | null }): SQL {
  return sql`(
    select job_id, kind, date, recorded_at from ${recordsInRange(tenantId, covered)} kept
    union all
    select ${jobId}, 'text', (${createdAt} at time zone 'UTC')::date, null
    from ${translationJobs}
    where ${eq(translationJobs.tenantId, tenantId)} and ${status} not in ('pending', 'failed')
      and ${createdAt} >= (${covered.from}::date)::timestamp at time zone 'UTC'
      and ${createdAt} < (${covered.to}::date + 1)::timestamp at time zone 'UTC'
      and ${isRemoved(tenantId, covered, jobId)})`;
}

/**
 * Reports the results of a tenant's texts: how many were published without a person, how long their translation took,
 * and why the others needed a reviewer. A text counts on the day on which it was translated, with its present status.
 * @throws AppError 422 for an invalid range; 400 for more than 366 days
 */
export async function reportOutcomes(tx: Tx, tenantId: string, asked: ReportRange): Promise<OutcomeReport> {
  const covered = await readCoverage(tx, tenantId, asked);
  const isHeld = sql`${status} in ('awaiting_review', 'refined')`;
  const isReviewed = sql`(${decidedAt} is not null or ${status} = 'human_edited')`;
  // The texts are read once.
  const [found] = await tx.execute<
    Pick<OutcomeReport, 'days' | 'median_ms'> & {
      reasons: { code: string; texts: number }[];
      reasons_of: number;
    }
  >(sql`
    with u as materialized ${countedTexts(tenantId, covered)},
    text as materialized (
      select u.date, u.job_id, u.recorded_at, u.recorded_at - ${createdAt} as took,
        case when ${isHeld} then 'waiting' when ${status} = 'rejected' then 'rejected'
          when ${isReviewed} then 'reviewed' else 'automatic' end as outcome
      from u join ${translationJobs} on ${translationJobs.tenantId} = ${tenantId}
        and ${translationJobs.jobId} = u.job_id and u.kind = 'text'),
    task as materialized (
      select ${agentRun} -> 'human_review_task' -> 'triggers' as triggers
      from (select job_id from text where outcome <> 'automatic'
        order by recorded_at desc nulls last limit ${maxReasonTexts}) latest
      join ${translationJobs} on ${translationJobs.tenantId} = ${tenantId} and ${translationJobs.jobId} = latest.job_id),
    reason as (
      select found ->> 'code' as code, count(*) as texts
      from task cross join lateral jsonb_array_elements(
        case jsonb_typeof(triggers) when 'array' then triggers else '[]' end) found
      group by 1),
    day as (
      select to_char(date, 'YYYY-MM-DD') as date, count(*) filter (where outcome = 'automatic') as automatic,
        count(*) filter (where outcome = 'reviewed') as reviewed,
        count(*) filter (where outcome = 'rejected') as rejected, count(*) filter (where outcome = 'waiting') as waiting
      from text group by text.date)
    select (select coalesce(json_agg(day order by date), '[]') from day) as days,
      (select percentile_cont(0.5) within group (order by extract(epoch from took)::float8 * 1000) from text) as median_ms,
      (select coalesce(json_agg(reason order by texts desc, code), '[]') from reason) as reasons,
      (select count(*)::int from task) as reasons_of`);
  const { days, median_ms, reasons, reasons_of } = found as NonNullable<typeof found>;
  const known = reasons.flatMap(({ code, texts }) => {
    const { data } = triggerCode.safeParse(code);
    return data ? [{ code: data, texts }] : [];
  });
  return { ...covered, days, median_ms, reasons: known, reasons_of: reasons.length > 0 ? reasons_of : 0 };
}

/**
 * Reports the billed characters of a tenant by day and by the domain that the submitter named, in lower case; empty
 * without a domain, and for jobs that were deleted since then.
 * @throws AppError 422, 400
 */
export async function breakDownByDomain(
  tx: Tx,
  tenantId: string,
  asked: ReportRange,
): Promise<UsageBreakdown> {
  const named = sql`select u.*, ${domainOfJob} as name from ${withJobs(tenantId)}`;
  return breakDown(tx, tenantId, asked, { named, field: sql.identifier('domain') });
}

/** SQL: the domain of a row of `withJobs`. */
export const domainOfJob = sql`lower(trim(left(coalesce(${translationJobs.request} ->> 'domain',
  ${documentJobs.request} ->> 'domain', ''), 100)))`;

/** SQL: usage records `u` with their jobs, as far as these exist. */
export const withJobs = (tenantId: string) => sql`
  u left join ${translationJobs} on u.kind = 'text' and ${translationJobs.tenantId} = ${tenantId}
      and ${translationJobs.jobId} = u.job_id
    left join ${documentJobs} on u.kind = 'document' and ${documentJobs.tenantId} = ${tenantId}
      and ${documentJobs.documentId} = u.job_id`;
