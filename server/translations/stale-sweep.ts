import { and, eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { advance } from './job-states.ts';
import { isStalePending } from './jobs.ts';

/** The tenants that have stale pending jobs; read in platform scope. */
async function selectTenantsWithStaleJobs(tx: Tx, staleSeconds: number): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ tenantId: translationJobs.tenantId })
    .from(translationJobs)
    .where(isStalePending(staleSeconds));
  return rows.map((row) => row.tenantId);
}

/** Jobs of one statement: thousands would hold their rows for seconds, and hundreds of thousands never end. */
export const stalePage = 1000;

/** Marks some of one tenant's stale pending jobs failed, the oldest first, and tells how many: `stalePage` at most. */
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
        // By their ids alone: beside the stale ones' own index each of these would be compared with all ids of the page.
        sql`${jobId} = any(array(select ${jobId} from ${translationJobs}
          where ${and(eq(translationJobs.tenantId, tenantId), isStalePending(staleSeconds))}
          order by ${updatedAt}, ${jobId} limit ${stalePage} for no key update))`,
      ),
    )
    .returning({ jobId });
  return rows.length;
}

/** The tenants whose stale pending jobs the sweep has to mark (B 8 "Stale pending job"). Platform scope. */
export function tenantsWithStaleJobs(tx: Tx, staleSeconds: number): Promise<string[]> {
  return selectTenantsWithStaleJobs(tx, staleSeconds);
}

/**
 * Marks one tenant's stale pending jobs failed, a page a transaction, and answers how many. Doing it twice does nothing more.
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
      failStaleJobs(tx, tenantId, staleSeconds, 'job interrupted by service restart'),
    );
    failed += count;
    if (count < stalePage) return failed;
  }
}
