import { and, eq, gt, gte, inArray, isNotNull, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import {
  type AnnouncedRecord,
  announcedJobs,
  type GoldenRecord,
  isOfAttempt,
  type RecordedJobs,
  type Verdict,
} from '#server/records/golden-records.ts';
import { isInAccount } from '#server/storage/destination.ts';
import { goldenRecord } from './golden-record.ts';
import { isJob, jobOfRow } from './jobs.ts';
import type { JobStatus } from './schema.ts';

/** The golden records of text jobs, for `checkGoldenRecords`. */
export const textRecords: RecordedJobs = {
  kind: 'text',
  async judge(tx, announced) {
    const jobs = await selectRecorded(tx, announced);
    return announced.map((one) => verdictOn(one, jobs.get(`${one.tenant_id} ${one.job_id}`)));
  },
  async tenantsSince(tx, since) {
    const rows = await tx
      .selectDistinct({ tenantId: translationJobs.tenantId })
      .from(translationJobs)
      .where(publishedSince(since));
    return rows.map(({ tenantId }) => tenantId);
  },
  async recordsBetween(tx, tenantId, { from, to, after, limit }) {
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
    return rows.map((row) => recordOfRow(tenantId, row));
  },
  async recordOf(tx, tenantId, jobId) {
    const [row] = await tx
      .select()
      .from(translationJobs)
      .where(and(isJob(tenantId, jobId), isNotNull(translationJobs.goldenUri)));
    return row && recordOfRow(tenantId, row);
  },
  async relocate(tx, tenantId, jobId, { from, to }) {
    const { count } = await tx
      .update(translationJobs)
      .set({ goldenUri: to })
      .where(and(isJob(tenantId, jobId), eq(translationJobs.goldenUri, from)));
    return count > 0;
  },
};

function recordOfRow(tenantId: string, row: typeof translationJobs.$inferSelect): GoldenRecord {
  const { attempt, updatedAt: recordedAt } = row;
  const uri = row.goldenUri as string;
  const record = goldenRecord(tenantId, jobOfRow(row), { attempt, inAccount: isInAccount(uri), recordedAt });
  return { ...record, uri };
}

/**
 * Decides what happens to an announced record. The record of an earlier attempt can no longer be published. The record
 * of a failed job was written by a run that could not store its result; the next run writes another one. A job that is
 * being published announces its record again.
 */
function verdictOn({ job_id, golden_uri: uri }: AnnouncedRecord, job: RecordedJob | undefined): Verdict {
  if (!job) return 'remove';
  if (job.goldenUri === uri) return 'listed';
  // The job is running, or its process died and the stale sweep will mark the job as failed.
  if (job.status === 'pending') return 'wait';
  if (!isOfAttempt(uri, job_id, job.attempt)) return 'remove';
  if (['failed', 'published', 'human_edited'].includes(job.status)) return 'remove';
  return 'keep';
}

/** The columns of a job's row that concern its golden record. */
interface RecordedJob {
  status: JobStatus;
  /** Number of the latest attempt. */
  attempt: number;
  goldenUri: string | null;
}

/** Returns jobs keyed by `tenant job`. Platform scope. */
async function selectRecorded(tx: Tx, wanted: readonly AnnouncedRecord[]): Promise<Map<string, RecordedJob>> {
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
      announcedJobs(wanted),
      sql`wanted.tenant_id = ${translationJobs.tenantId} and wanted.job_id = ${translationJobs.jobId}`,
    );
  return new Map(
    rows.map(({ tenantId, jobId, status, attempt, goldenUri }) => [
      `${tenantId} ${jobId}`,
      { status: status as JobStatus, attempt, goldenUri },
    ]),
  );
}

function publishedSince(since: Date) {
  return and(
    inArray(translationJobs.status, ['published', 'human_edited']),
    isNotNull(translationJobs.goldenUri),
    gte(translationJobs.updatedAt, since),
  );
}
