import { and, eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import { advance } from './job-states.ts';
import { isStalePending } from './jobs.ts';

/** Queues a task for each tenant with stale pending jobs, because jobs are written in the scope of their tenant. */
export async function queueStaleJobs({
  database,
  settings,
}: Pick<Services, 'database' | 'settings'>): Promise<void> {
  await database.inPlatform(async (tx) => {
    const tenants = await tx
      .selectDistinct({ tenantId: translationJobs.tenantId })
      .from(translationJobs)
      .where(isStalePending(settings.STALE_PENDING_SECONDS));
    for (const { tenantId } of tenants)
      await addJob(tx, 'fail_stale_jobs', { tenantId }, { key: `fail_stale_jobs:${tenantId}` });
  });
}

/** Marks one tenant's stale pending jobs as failed. */
export async function failStaleJobs(
  { database, settings, log }: Pick<Services, 'database' | 'settings' | 'log'>,
  { tenantId }: { tenantId: string },
): Promise<void> {
  const failed = await failStaleJobsOfTenant(database, tenantId, settings.STALE_PENDING_SECONDS);
  if (failed > 0)
    log.warn({ tenant_id: tenantId, jobs: failed }, 'pending jobs without progress were marked as failed');
}

/**
 * Marks a tenant's stale pending jobs as failed, one page per transaction. May be repeated.
 * @returns the number of marked jobs
 */
export async function failStaleJobsOfTenant(
  database: Database,
  tenantId: string,
  staleSeconds: number,
): Promise<number> {
  advance('pending', 'failed');
  let failed = 0;
  for (;;) {
    const count = await database.inTenant(tenantId, (tx) =>
      failStalePage(tx, tenantId, staleSeconds, 'job interrupted by service restart'),
    );
    countEvent('jobs', 'text failed', count);
    failed += count;
    if (count < stalePage) return failed;
  }
}

/** Maximum number of jobs that one statement marks. With thousands, it would lock their rows for seconds. */
export const stalePage = 1000;

/** Marks the oldest of a tenant's stale pending jobs as failed, at most `stalePage`. */
export async function failStalePage(tx: Tx, tenantId: string, staleSeconds: number, message: string) {
  const { jobId, updatedAt } = translationJobs;
  const rows = await tx
    .update(translationJobs)
    .set({
      status: 'failed',
      agentRun: sql`${translationJobs.agentRun} || jsonb_build_object('status', 'failed', 'error', ${message}::text)`,
      updatedAt: sql`now()`,
    })
    .where(
      and(
        eq(translationJobs.tenantId, tenantId),
        // The outer condition contains only the IDs. If it also contained the stale condition, PostgreSQL would use the
        // partial index of stale jobs and compare each job with every ID.
        sql`${jobId} = any(array(select ${jobId} from ${translationJobs}
          where ${and(eq(translationJobs.tenantId, tenantId), isStalePending(staleSeconds))}
          order by ${updatedAt}, ${jobId} limit ${stalePage} for no key update))`,
      ),
    )
    .returning({ jobId });
  return rows.length;
}
