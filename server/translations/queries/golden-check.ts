import { and, eq, gt, gte, inArray, isNotNull, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { JobStatus } from '../schema.ts';
import { jobOfRow } from './rows.ts';

/** How a job stands with its golden record. */
export interface RecordedJob {
  status: JobStatus;
  /** The job's last. */
  attempt: number;
  goldenUri: string | null;
}

/** How some jobs stand, by `tenant job`; read in platform scope. */
export async function selectRecorded(
  tx: Tx,
  wanted: readonly { tenant_id: string; job_id: string }[],
): Promise<Map<string, RecordedJob>> {
  const pairs = wanted.map(({ tenant_id, job_id }) => ({ tenant_id, job_id }));
  const rows = await tx
    .select({
      tenantId: translationJobs.tenantId,
      jobId: translationJobs.jobId,
      status: translationJobs.status,
      attempt: translationJobs.attempt,
      goldenUri: translationJobs.goldenUri,
    })
    .from(translationJobs)
    .innerJoin(
      sql`jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as wanted(tenant_id text, job_id text)`,
      sql`wanted.tenant_id = ${translationJobs.tenantId} and wanted.job_id = ${translationJobs.jobId}`,
    );
  return new Map(
    rows.map(({ tenantId, jobId, status, attempt, goldenUri }) => [
      `${tenantId} ${jobId}`,
      { status: status as JobStatus, attempt, goldenUri },
    ]),
  );
}

/** The tenants that have published jobs changed since then; read in platform scope. */
export async function selectTenantsPublishedSince(tx: Tx, since: Date): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ tenantId: translationJobs.tenantId })
    .from(translationJobs)
    .where(publishedSince(since));
  return rows.map(({ tenantId }) => tenantId);
}

/** A tenant's published jobs that were last changed in the span that begins at `from` and ends before `to`, in the order of their ids, after `after`. */
export async function selectPublishedBetween(
  tx: Tx,
  tenantId: string,
  { from, to, after, limit }: { from: Date; to: Date; after: string; limit: number },
) {
  const rows = await tx
    .select()
    .from(translationJobs)
    .where(
      and(
        eq(translationJobs.tenantId, tenantId),
        publishedSince(from),
        lt(translationJobs.updatedAt, to),
        gt(translationJobs.jobId, after),
      ),
    )
    .orderBy(translationJobs.jobId)
    .limit(limit);
  return rows.map((row) => ({ job: jobOfRow(row), goldenUri: row.goldenUri as string }));
}

function publishedSince(since: Date) {
  return and(
    inArray(translationJobs.status, ['published', 'human_edited']),
    isNotNull(translationJobs.goldenUri),
    gte(translationJobs.updatedAt, since),
  );
}
