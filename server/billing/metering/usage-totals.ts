import { and, between, eq, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Tx } from '#db/client.ts';
import { usageTotals } from '#db/schema/metering.ts';
import { tenants } from '#db/schema/tenants.ts';
import { tenantNotFound } from '#server/identity/access/guards/admin.ts';

/** Usage on one day, or on several days together. */
export interface UsageFigures {
  jobs: number;
  source_chars: number;
  billable_chars: number;
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
}

/** Exact up to 2^53; the columns hold no larger numbers. */
const sum = (column: PgColumn) => sql<number>`sum(${column})::float8`;

type DayFigures = UsageFigures & { date: string };
type DayRow = { [name in keyof DayFigures]: DayFigures[name] };

/**
 * A tenant's usage on each day of a range; days without usage are missing. Reads the running totals, so the time does
 * not depend on the number of records.
 */
export async function selectDays(
  tx: Tx,
  tenantId: string,
  { from, to }: { from: string; to: string },
): Promise<DayFigures[]> {
  return tx
    .select({
      date: usageTotals.day,
      jobs: sum(usageTotals.jobs),
      source_chars: sum(usageTotals.sourceChars),
      billable_chars: sum(usageTotals.billableChars),
      input_tokens: sum(usageTotals.inputTokens),
      output_tokens: sum(usageTotals.outputTokens),
      total_tokens: sum(usageTotals.totalTokens),
    })
    .from(usageTotals)
    .where(and(eq(usageTotals.tenantId, tenantId), between(usageTotals.day, from, to)))
    .groupBy(usageTotals.day);
}

const figures = ['jobs', 'source_chars', 'billable_chars', 'input_tokens', 'output_tokens', 'total_tokens'];
const columns = sql.raw(figures.join(', '));
const sums = sql.raw(figures.map((name) => `sum(u.${name}) as ${name}`).join(', '));
const numbers = sql.raw(figures.map((name) => `${name}::float8`).join(', '));

/**
 * All tenants' running totals of some days, as `u`. Reads tenant by tenant through the primary key, so that no index by
 * day is needed. `offset 0` stops the planner from choosing another plan when it expects few rows.
 */
const totalsOfAll = (from: SQL, to: SQL): SQL => sql`
  tenants t cross join lateral (
    select day, ${columns} from usage_totals
    where tenant_id = t.tenant_id and day > ${from} and day <= ${to} offset 0) u`;

/**
 * The last past day. A day counts as past one hour after its end: usage is recorded on the day on which its transaction
 * began, and no transaction takes an hour.
 */
const lastOver = sql`(((now() - interval '1 hour') at time zone 'UTC')::date - 1)`;

/**
 * The last folded day; null if no day is folded. Later days than the last past day do not count: they were folded while
 * the database clock was ahead, and most of their usage is missing.
 */
const lastFolded = sql`(select max(day) from usage_days where tenant_id = '*' and day <= ${lastOver})`;

/**
 * The usage of all tenants together, per day, in platform scope. Past days are read from their folded rows, and the few
 * days after them from the tenants' totals.
 */
export async function selectDaysOfAll(
  tx: Tx,
  { from, to }: { from: string; to: string },
): Promise<DayFigures[]> {
  const rows = await tx.execute<DayRow>(sql`
    select to_char(day, 'YYYY-MM-DD') as date, ${numbers} from usage_days
    where tenant_id = '*' and day between ${from}::date and least(${to}::date, ${lastOver})
    union all
    select to_char(day, 'YYYY-MM-DD'), ${numbers} from (
      select u.day, ${sums} from ${totalsOfAll(sql`greatest(${from}::date - 1, ${lastFolded})`, sql`${to}::date`)}
      group by u.day) recent`);
  return [...rows];
}

/** Number of days that one statement folds. */
const daysPerStatement = 31;

/**
 * Folds the next past days, in platform scope: stores each day's sum over all tenants. Deletes folded days that are not
 * past.
 * @returns whether there may be more days to fold
 */
export async function foldDays(tx: Tx): Promise<boolean> {
  const [row] = await tx.execute<{ more: boolean }>(sql`
    with reopened as (delete from usage_days where tenant_id = '*' and day > ${lastOver}),
    span as materialized (
      select begun as after, least(begun + ${daysPerStatement}::int, over) as last, over from (
        select ${lastOver} as over, coalesce(
          ${lastFolded},
          (select min(first.day) - 1 from tenants t cross join lateral (
            select day from usage_totals where tenant_id = t.tenant_id order by day limit 1) first)) as begun) s),
    folded as (
      insert into usage_days (tenant_id, day, ${columns})
      select '*', d.day, ${sql.raw(figures.map((name) => `coalesce(u.${name}, 0)`).join(', '))}
      from span cross join lateral generate_series(1, last - after) n
        cross join lateral (select after + n as day) d
        left join (
          select u.day, ${sums} from ${totalsOfAll(sql`(select after from span)`, sql`(select last from span)`)}
          group by u.day) u on u.day = d.day
      order by d.day
      on conflict (tenant_id, day) do nothing)
    select coalesce(last < over, false) as more from span`);
  return row?.more ?? false;
}

/** A tenant's `monthly_char_limit`, weighted characters. @throws AppError 404 if the tenant does not exist */
export async function selectMonthlyLimit(tx: Tx, tenantId: string): Promise<number> {
  const [row] = await tx
    .select({ limit: tenants.monthlyCharLimit })
    .from(tenants)
    .where(eq(tenants.tenantId, tenantId));
  if (!row) throw tenantNotFound();
  return row.limit;
}
