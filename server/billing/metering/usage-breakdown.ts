import { eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { usageDayGroups, usageRecords } from '#db/schema/metering.ts';
import { type DateRange, readDateRange } from './periods.ts';
import { calendarDate } from './schema.ts';
import { namingMembers } from './submitter.ts';

/**
 * Maximum number of usage records that one report reads. If there are more in the range, the report covers the
 * latest ones, and contains the time since which jobs are counted.
 */
const maxRecords = 100_000;

/** Maximum number of groups in a breakdown; all smaller ones are summed. */
const maxGroups = 40;

/** Input of the reports: the first and last day in UTC, both included; at most 366 days, by default the last 30. */
export const reportRange = z
  .object({
    from: calendarDate.optional().describe('The first day, YYYY-MM-DD in UTC.'),
    to: calendarDate.optional().describe('The last day, YYYY-MM-DD in UTC.'),
  })
  .prefault({});

export type ReportRange = z.infer<typeof reportRange>;

/** The fields that all reports have. */
export const coverage = {
  from: calendarDate.describe('The first day, YYYY-MM-DD in UTC.'),
  to: calendarDate.describe('The last day, YYYY-MM-DD in UTC.'),
  counted_from: z
    .string()
    .nullable()
    .meta({
      format: 'date-time',
      description: `null if all usage of the range is counted; else the time of the oldest counted job: only the latest ${maxRecords} jobs are`,
    }),
};

const chars = z.int().min(0).meta({ description: 'weighted source characters' });

/** Billed characters by day and group. */
export const usageBreakdown = z.object({
  ...coverage,
  groups: z
    .array(
      z.object({
        name: z
          .string()
          .nullable()
          .meta({ description: 'empty for jobs without a value; null for the sum of all smaller groups' }),
        jobs: z.int().min(0).describe('Jobs of the group in the range.'),
        billable_chars: chars,
      }),
    )
    .meta({ description: `the largest first, at most ${maxGroups}; then the sum of the others` }),
  days: z
    .array(
      z.object({
        date: calendarDate.describe('The day in UTC.'),
        billable_chars: z.array(chars).meta({ description: 'one value per group, in the same order' }),
      }),
    )
    .meta({ description: 'the days with usage, in order' }),
});

export type UsageBreakdown = z.infer<typeof usageBreakdown>;

/** The fields of a usage record by which the ledger alone can group. */
export const breakdownField = z
  .enum(['target_lang', 'source_lang', 'kind', 'served_from', 'submitted_by'])
  .describe(
    '`kind`: `text` or `document`. `served_from`: `tm_exact` or `glossary_exact` for jobs without translation work. `submitted_by`: `api_key`, or the email address of a member; the ID of a member who no longer exists.',
  );

type BreakdownField = z.infer<typeof breakdownField>;

/**
 * A subquery of a tenant's usage records in a range of days, at most `maxRecords`, the latest ones: `job_id`, `kind`,
 * `source_lang`, `target_lang`, `served_from`, `submitted_by`, `billable_chars`, `recorded_at` and `date`, the UTC
 * day.
 */
export function recordsInRange(tenantId: string, { from, to }: DateRange): SQL {
  const { recordedAt, jobId } = usageRecords;
  return sql`(
    select ${jobId}, ${usageRecords.kind}, ${usageRecords.sourceLang}, ${usageRecords.targetLang},
      coalesce(${usageRecords.fastPath}, '') as served_from,
      coalesce(${usageRecords.submittedBy}, '') as submitted_by, ${usageRecords.billableChars}, ${recordedAt},
      (${recordedAt} at time zone 'UTC')::date as date
    from ${usageRecords}
    where ${isInRange(tenantId, { from, to })}
    order by ${recordedAt} desc, ${jobId} desc limit ${maxRecords})`;
}

/**
 * SQL: whether a row of `usage_day_groups` counts in a report. If a report does not cover all records of its range, it
 * covers none of the removed ones, which are older.
 */
function hasRemoved(
  tenantId: string,
  { from, to, counted_from }: DateRange & { counted_from: string | null },
): SQL {
  return sql`${eq(usageDayGroups.tenantId, tenantId)}
    and ${usageDayGroups.day} between ${from}::date and ${to}::date and ${counted_from === null}::boolean`;
}

function isInRange(tenantId: string, { from, to }: DateRange): SQL {
  const { recordedAt } = usageRecords;
  return sql`${eq(usageRecords.tenantId, tenantId)}
    and ${recordedAt} >= (${from}::date)::timestamp at time zone 'UTC'
    and ${recordedAt} < (${to}::date + 1)::timestamp at time zone 'UTC'`;
}

/** The range of a report, and since when its usage is counted. @throws AppError 422, 400 */
export async function readCoverage(
  tx: Tx,
  tenantId: string,
  asked: ReportRange,
): Promise<DateRange & { counted_from: string | null }> {
  const range = readDateRange(asked);
  const { recordedAt, jobId } = usageRecords;
  // The last counted record, and the first one that is not counted, if there is one.
  const rows = await tx.execute<{ at: number }>(sql`
    select (extract(epoch from ${recordedAt}) * 1000)::float8 as at from ${usageRecords}
    where ${isInRange(tenantId, range)}
    order by ${recordedAt} desc, ${jobId} desc offset ${maxRecords - 1} limit 2`);
  const [last] = rows;
  return { ...range, counted_from: last && rows.length > 1 ? new Date(last.at).toISOString() : null };
}

/** Reports the billed characters of a tenant by day and by a field of the ledger. @throws AppError 422, 400 */
export async function breakDownUsage(
  tx: Tx,
  tenantId: string,
  { by, ...asked }: ReportRange & { by: BreakdownField },
): Promise<UsageBreakdown> {
  const field = sql.identifier(by);
  const found = await breakDown(tx, tenantId, asked, {
    named: sql`select u.*, u.${field} as name from u`,
    field,
  });
  return by === 'submitted_by'
    ? { ...found, groups: await namingMembers(tx, tenantId, found.groups) }
    : found;
}

/**
 * Reports billed characters by day and group.
 * @param named a query over `u`, the records in the range, that adds the column `name`: the group, never null
 * @param field the column of `usage_day_groups` with the group, for records that retention has removed
 */
export async function breakDown(
  tx: Tx,
  tenantId: string,
  asked: ReportRange,
  { named, field }: { named: SQL; field: SQLWrapper },
): Promise<UsageBreakdown> {
  const covered = await readCoverage(tx, tenantId, asked);
  const rows = await tx.execute<{ name: string | null; date: string; jobs: number; chars: number }>(sql`
    with u as materialized ${recordsInRange(tenantId, covered)},
    named as materialized (
      select name, date, count(*) as jobs, sum(billable_chars) as billable_chars from (${named}) kept group by name, date
      union all
      select ${field}, day, jobs, billable_chars from ${usageDayGroups}
      where ${hasRemoved(tenantId, covered)}),
    largest as (
      select name from named group by name order by sum(billable_chars) desc, name limit ${maxGroups})
    select largest.name, to_char(named.date, 'YYYY-MM-DD') as date, sum(jobs)::float8 as jobs,
      sum(billable_chars)::float8 as chars
    from named left join largest using (name) group by largest.name, named.date order by named.date`);
  return { ...covered, ...groupsAndDays([...rows]) };
}

function groupsAndDays(
  rows: readonly { name: string | null; date: string; jobs: number; chars: number }[],
): Pick<UsageBreakdown, 'groups' | 'days'> {
  const groups = new Map<string | null, UsageBreakdown['groups'][number]>();
  for (const { name, jobs, chars } of rows) {
    const group = groups.get(name) ?? { name, jobs: 0, billable_chars: 0 };
    groups.set(name, {
      name,
      jobs: group.jobs + jobs,
      billable_chars: group.billable_chars + chars,
    });
  }
  const sorted = [...groups.values()].sort(
    (one, other) =>
      Number(one.name === null) - Number(other.name === null) || other.billable_chars - one.billable_chars,
  );
  const at = new Map(sorted.map(({ name }, index) => [name, index]));
  const days = new Map<string, number[]>();
  for (const { name, date, chars } of rows) {
    const day = days.get(date) ?? sorted.map(() => 0);
    day[at.get(name) as number] = chars;
    days.set(date, day);
  }
  return { groups: sorted, days: [...days].map(([date, billable_chars]) => ({ date, billable_chars })) };
}
