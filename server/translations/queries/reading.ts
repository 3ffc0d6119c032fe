import { and, desc, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { JobStatus, TranslationJob } from '../schema.ts';
import { isJob, jobOfRow } from './rows.ts';

export async function selectJob(
  tx: Tx,
  tenantId: string,
  jobId: string,
): Promise<TranslationJob | undefined> {
  const [row] = await tx.select().from(translationJobs).where(isJob(tenantId, jobId));
  return row && jobOfRow(row);
}

export interface JobListing {
  tenantId: string;
  status?: JobStatus | undefined;
  limit: number;
  /** The last job of the page before. */
  after?: { updatedAt: Date; id: string } | undefined;
}

/** Newest updated_at first; one more than `limit` tells whether there is a next page. */
export async function selectJobs(tx: Tx, { tenantId, status, limit, after }: JobListing) {
  const rows = await tx
    .select()
    .from(translationJobs)
    .where(
      and(
        eq(translationJobs.tenantId, tenantId),
        status && eq(translationJobs.status, status),
        after &&
          sql`(${translationJobs.updatedAt}, ${translationJobs.jobId}) < (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`,
      ),
    )
    .orderBy(desc(translationJobs.updatedAt), desc(translationJobs.jobId))
    .limit(limit + 1);
  return rows.map(jobOfRow);
}

/** Whose job it is; read in platform scope, for the operator. */
export async function selectTenantOfJob(tx: Tx, jobId: string): Promise<string | undefined> {
  const [row] = await tx
    .select({ tenantId: translationJobs.tenantId })
    .from(translationJobs)
    .where(eq(translationJobs.jobId, jobId));
  return row?.tenantId;
}
