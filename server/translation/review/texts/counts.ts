import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { reviewableStatuses } from '#server/translation/texts/job-states.ts';
import { type JobStatus, jobStatus } from '#server/translation/texts/schema.ts';
import type { JobCounts } from '#server/translation/texts/search-schema.ts';

/** Maximum number of jobs that are counted per status. Each counted job is an index entry that the request reads. */
const most = 10_000;

/** Counts the tenant's jobs by status, up to `most` per status, using the index of statuses. */
export async function countJobs(tx: Tx, tenantId: string): Promise<JobCounts> {
  const { tenantId: tenant, status, updatedAt } = translationJobs;
  const ofStatus = sql`from ${translationJobs} where ${tenant} = ${tenantId} and ${status} = wanted.status`;
  const rows = await tx.execute<{ status: JobStatus; jobs: number; oldest: string | null }>(sql`
    select wanted.status, jobs, to_json(oldest) #>> '{}' as oldest
    from json_array_elements_text(${JSON.stringify(jobStatus.options)}::json) wanted(status),
      lateral (select count(*)::int as jobs from (select ${ofStatus} limit ${most + 1}) capped) counted,
      lateral (select (select ${updatedAt} ${ofStatus} order by ${updatedAt} limit 1) as oldest) first`);
  const bounded = (count: number) => ({ count: Math.min(count, most), more: count > most });
  const waiting = rows.filter((row) => reviewableStatuses.includes(row.status));
  const oldest = waiting.flatMap((row) => (row.oldest === null ? [] : [Date.parse(row.oldest)]));
  return {
    by_status: rows.map((row) => ({ status: row.status, ...bounded(row.jobs) })),
    waiting: {
      ...bounded(waiting.reduce((sum, row) => sum + row.jobs, 0)),
      oldest_at: oldest.length > 0 ? new Date(Math.min(...oldest)).toISOString() : null,
    },
  };
}
