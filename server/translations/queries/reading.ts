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

/** Bytes that a page's texts come to, about: a page of long texts is shorter than asked for. */
const pageBytes = 8_000_000;

/** About the bytes of a job in an answer. Sizes are read off the row: nothing is unpacked for them. JSON packs well. */
const jobBytes = sql`octet_length(coalesce(${translationJobs.finalTranslation}, ''))
  + octet_length(coalesce(${translationJobs.baselineTranslation}, ''))
  + 4 * (pg_column_size(${translationJobs.request}) + pg_column_size(${translationJobs.agentRun})
    + coalesce(pg_column_size(${translationJobs.qualityAssessment}), 0)
    + coalesce(pg_column_size(${translationJobs.refinement}), 0)
    + coalesce(pg_column_size(${translationJobs.verification}), 0))`;

/**
 * Newest updated_at first: `limit` jobs, or fewer where they are long, but one at least; and whether there are more.
 */
export async function selectJobs(
  tx: Tx,
  { tenantId, status, limit, after }: JobListing,
): Promise<{ jobs: TranslationJob[]; more: boolean }> {
  const order = [desc(translationJobs.updatedAt), desc(translationJobs.jobId)];
  const page = tx.$with('page').as(
    tx
      .select({
        jobId: translationJobs.jobId,
        bytesBefore:
          sql<number>`sum(${jobBytes}) over (order by ${sql.join(order, sql`, `)} rows unbounded preceding) - (${jobBytes})`.as(
            'bytes_before',
          ),
        place: sql<number>`row_number() over (order by ${sql.join(order, sql`, `)})`.as('place'),
      })
      .from(translationJobs)
      .where(
        and(
          eq(translationJobs.tenantId, tenantId),
          status && eq(translationJobs.status, status),
          after &&
            sql`(${translationJobs.updatedAt}, ${translationJobs.jobId}) < (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`,
        ),
      )
      .orderBy(...order)
      .limit(limit + 1),
  );
  const rows = await tx
    .with(page)
    .select({ row: translationJobs, found: sql<number>`(select count(*)::int from ${page})` })
    .from(page)
    .innerJoin(
      translationJobs,
      and(eq(translationJobs.tenantId, tenantId), eq(translationJobs.jobId, page.jobId)),
    )
    .where(sql`${page.bytesBefore} < ${pageBytes} and ${page.place} <= ${limit}`)
    .orderBy(...order);
  return {
    jobs: rows.map(({ row }) => jobOfRow(row)),
    more: rows.length < (rows[0]?.found ?? 0),
  };
}

/** Whose job it is; read in platform scope, for the operator. */
export async function selectTenantOfJob(tx: Tx, jobId: string): Promise<string | undefined> {
  const [row] = await tx
    .select({ tenantId: translationJobs.tenantId })
    .from(translationJobs)
    .where(eq(translationJobs.jobId, jobId));
  return row?.tenantId;
}
