import { and, eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { advance } from './job-states.ts';
import { isStalePending } from './jobs.ts';

/** The tenants that have stale pending jobs (B 8 "Stale pending job"). Platform scope. */
export async function tenantsWithStaleJobs(tx: Tx, staleSeconds: number): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ tenantId: translationJobs.tenantId })
    .from(translationJobs)
    .where(isStalePending(staleSeconds));
  return rows.map((row) => row.tenantId);
}

/** Marks a tenant's stale pending jobs failed, one page a transaction. Idempotent. @returns how many were marked */
export async function failStaleJobsOfTenant(
  database: Database,
  tenantId: string,
  staleSeconds: number,
): Promise<number> {
  advance('pending', 'failed');
  let failed = 0;
  for (;;) {
    const count = await database.inTenant(tenantId, (tx) =>
      failStaleJobs(tx, tenantId, staleSeconds, 'job interrupted by service restart'),
    );
    failed += count;
    if (count < stalePage) return failed;
  }
}

/** Jobs that one statement marks. Thousands would lock their rows for seconds. */
export const stalePage = 1000;

/** Marks the oldest of a tenant's stale pending jobs failed, `stalePage` at most. @returns how many were marked */
export async function failStaleJobs(tx: Tx, tenantId: string, staleSeconds: number, message: string) {
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
        // Found by id alone. With the stale condition too, PostgreSQL takes the partial index of stale jobs and compares each with every id.
        sql`${jobId} = any(array(select ${jobId} from ${translationJobs}
          where ${and(eq(translationJobs.tenantId, tenantId), isStalePending(staleSeconds))}
          order by ${updatedAt}, ${jobId} limit ${stalePage} for no key update))`,
      ),
    )
    .returning({ jobId });
  return rows.length;
}
