import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { domainOfJob, withJobs } from '#server/translation/review/outcomes.ts';

/**
 * Removes the oldest usage records of a tenant, and adds them to the daily totals in `usage_day_groups`. One statement
 * does both, and counts only what it removes. So a record is in the ledger or in the totals, and never in both, if a
 * process dies, if two processes do this at the same time, or if a record of an old day is added later.
 *
 * `usage_totals`, from which allowances, daily usage and the sums of billing periods are read, does not change.
 * @param page `before`: only days that ended before this moment (UTC) count, so that no day is left half removed
 * @returns the number of removed records
 */
export async function removeOldUsage(
  tx: Tx,
  tenantId: string,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  // The rows are sorted, so that two processes lock them in the same order.
  const [row] = await tx.execute<{ removed: number }>(sql`
    with old as materialized (
      select job_id from usage_records
      where tenant_id = ${tenantId}
        and recorded_at < date_trunc('day', ${before.toISOString()}::timestamptz, 'UTC')
      order by recorded_at, job_id limit ${limit}::int for update skip locked),
    u as (
      delete from usage_records where tenant_id = ${tenantId} and job_id in (select job_id from old) returning *),
    day_groups as (
      select (u.recorded_at at time zone 'UTC')::date as day, u.kind, u.source_lang, u.target_lang,
        coalesce(u.fast_path, '') as served_from, coalesce(u.submitted_by, '') as submitted_by,
        ${domainOfJob} as domain, u.source_chars, u.billable_chars
      from ${withJobs(tenantId)}),
    added as (
      insert into usage_day_groups as total (tenant_id, day, kind, source_lang, target_lang, served_from, submitted_by,
        domain, jobs, source_chars, billable_chars)
      select ${tenantId}, day, kind, source_lang, target_lang, served_from, submitted_by, domain,
        count(*), sum(source_chars), sum(billable_chars)
      from day_groups group by 2, 3, 4, 5, 6, 7, 8 order by 2, 3, 4, 5, 6, 7, 8
      on conflict (tenant_id, day, kind, source_lang, target_lang, served_from, submitted_by, domain) do update
        set jobs = total.jobs + excluded.jobs, source_chars = total.source_chars + excluded.source_chars,
          billable_chars = total.billable_chars + excluded.billable_chars)
    select count(*)::int as removed from u`);
  return row?.removed ?? 0;
}
