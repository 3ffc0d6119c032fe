import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { readDateRange } from '#server/billing/metering/periods.ts';
import { calendarDate } from '#server/billing/metering/schema.ts';
import type { ReportRange } from '#server/billing/metering/usage-breakdown.ts';
import { AppError } from '#server/errors.ts';
import { writeTable } from '#server/formats/table-writer.ts';
import { shownName, usersOf } from './assignments/profiles.ts';
import type { payWorkbook } from './pay.ts';

/** Maximum number of rows: of assignees and language pairs. */
const maxRows = 5000;

const seconds = z.int();

const turnaroundRow = z.object({
  user_id: z.string().nullable().describe('The ID of the assignee; null for items that no one was assigned.'),
  name: z
    .string()
    .nullable()
    .describe('The display name or email address of the assignee; null for a former member, or without one.'),
  source_lang: z.string().describe('The source language; empty if the request named none.'),
  target_lang: z.string().describe('The target language.'),
  items: z.int().describe('Texts and documents.'),
  words: z.int().describe('Words of their sources.'),
  first_median: seconds.describe('Median of the seconds until the first decision.'),
  first_p90: seconds.describe('Seconds until the first decision that 90% of the items did not exceed.'),
  last_median: seconds.describe('Median of the seconds until the approval or rejection.'),
  last_p90: seconds.describe('Seconds until the approval or rejection that 90% of the items did not exceed.'),
  on_time: z.int().describe('Items that were decided by their due date.'),
  overdue: z.int().describe('Items that were decided after it. Other items had no due date.'),
});

/** How long items awaited their reviews, of those that were decided in a range of days. */
export const turnaroundReport = z.object({
  from: calendarDate.describe('The first day, YYYY-MM-DD in UTC.'),
  to: calendarDate.describe('The last day, YYYY-MM-DD in UTC.'),
  rows: z.array(turnaroundRow).describe('By assignee and language pair.'),
});

type TurnaroundReport = z.infer<typeof turnaroundReport>;

/**
 * Reports how long texts and documents awaited their reviews, by the last assignee. An item counts on the day on which it
 * was published or rejected, from the time when it began to await review. The first decision of an item with a second
 * review is when it was first passed on.
 * @throws AppError 422 for an invalid range; 400 for more than 366 days, or too many rows
 */
export async function reportTurnaround(
  tx: Tx,
  tenantId: string,
  asked: ReportRange,
): Promise<TurnaroundReport> {
  const range = readDateRange(asked);
  const percentile = (share: number, time: 'first' | 'last') =>
    sql`round(percentile_cont(${share}::float8) within group (order by ${sql.identifier(`${time}_s`)}))::int`;
  const rows = await tx.execute<TurnaroundReport['rows'][number]>(sql`
    with decided as (
      select assignee as user_id, source_lang, target_lang, words, due_at, decided_at,
        greatest(date_part('epoch', least(first_passed_at, decided_at) - held_at), 0) as first_s,
        greatest(date_part('epoch', decided_at - held_at), 0) as last_s
      from review_assignments
      where tenant_id = ${tenantId} and decided_at >= (${range.from}::date)::timestamp at time zone 'UTC'
        and decided_at < (${range.to}::date + 1)::timestamp at time zone 'UTC'),
    sums as (
      select user_id, source_lang, target_lang, count(*)::int as items, sum(words)::float8 as words,
        ${percentile(0.5, 'first')} as first_median, ${percentile(0.9, 'first')} as first_p90,
        ${percentile(0.5, 'last')} as last_median, ${percentile(0.9, 'last')} as last_p90,
        (count(*) filter (where decided_at <= due_at))::int as on_time,
        (count(*) filter (where decided_at > due_at))::int as overdue
      from decided group by 1, 2, 3 order by 1 nulls last, 2, 3 limit ${maxRows + 1}::int)
    select s.*, m.name from sums s
    left join (select u.user_id, ${shownName} as name from ${usersOf(tenantId)}) m using (user_id)
    order by s.user_id nulls last, source_lang, target_lang`);
  if (rows.length > maxRows)
    throw new AppError(
      'validation_error',
      `from: the report has more than ${maxRows} rows; choose fewer days`,
    );
  return { ...range, rows: [...rows] };
}

const head = [
  ...['Assignee', 'User ID', 'Source language', 'Target language', 'Items', 'Words'],
  ...['First decision: median hours', 'First decision: 90% within hours'],
  ...['Approval or rejection: median hours', 'Approval or rejection: 90% within hours', 'On time', 'Overdue'],
];

/** Writes a turnaround report as an Excel workbook. Names are texts, and counts and hours are numbers. */
export async function writeTurnaround({
  from,
  to,
  rows,
}: TurnaroundReport): Promise<z.infer<typeof payWorkbook>> {
  const widths = [
    { columns: 2, width: 36 },
    { columns: head.length - 2, width: 18 },
  ];
  const hours = (time: number) => Math.round(time / 36) / 100;
  const lines = rows.map((row) => [
    ...[row.name ?? '', row.user_id ?? '', row.source_lang, row.target_lang, row.items, row.words],
    ...[row.first_median, row.first_p90, row.last_median, row.last_p90].map(hours),
    ...[row.on_time, row.overdue],
  ]);
  const pieces: Uint8Array[] = [];
  for await (const piece of writeTable({ name: 'Turnaround', head, widths }, [lines])) pieces.push(piece);
  return { file_name: `turnaround-${from}-${to}.xlsx`, content: Buffer.concat(pieces).toString('base64') };
}
