import { and, asc, eq, gt, inArray, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { ofEachStatus } from '#server/texts/jobs.ts';
import type { JobStatus } from '#server/texts/schema.ts';

/** A published job or an approved document. */
export interface PublishedRow {
  id: string;
  /** The URL or path of the row's record; null if it is missing although the row should have a record. */
  uri: string | null;
  /** The time at which the record was written, or at which the approval was stamped, within an hour. */
  at: Date;
}

/** The last row of a page. The next page begins after it. */
export type Cursor = Pick<PublishedRow, 'id' | 'at'>;

/** A kind of rows that have records: text jobs or documents. All queries run in the scope of the tenant. */
export interface PublishedRows {
  /**
   * Whether a row is written before its record. This is the case for approvals, which are stamped first and recorded
   * later.
   */
  isRecordedLater: boolean;
  /** Returns rows that must have a record, in the order of their ids. */
  byId(tx: Tx, tenantId: string, after: string, limit: number): Promise<PublishedRow[]>;
  /** Returns rows that refer to a record, in the order of the records' time. */
  byTime(tx: Tx, tenantId: string, after: Cursor | null, limit: number): Promise<PublishedRow[]>;
  /** Returns those of these rows that must have a record. */
  byIds(tx: Tx, tenantId: string, ids: readonly string[]): Promise<PublishedRow[]>;
}

const earliestFirst = [asc(translationJobs.updatedAt), asc(translationJobs.jobId)];

const textJobs: PublishedRows = {
  isRecordedLater: false,
  byId: (tx, tenantId, after, limit) =>
    selectJobs(tx, tenantId, gt(translationJobs.jobId, after)).orderBy(translationJobs.jobId).limit(limit),
  byTime: (tx, tenantId, after, limit) =>
    ofEachStatus(publishedStatuses, earliestFirst, limit, (status) =>
      selectJobs(
        tx,
        tenantId,
        and(
          isNotNull(translationJobs.goldenUri),
          follows(translationJobs.updatedAt, translationJobs.jobId, after),
        ),
        [status],
      ).$dynamic(),
    ),
  byIds: (tx, tenantId, ids) => selectJobs(tx, tenantId, inArray(translationJobs.jobId, [...ids])),
};

/** A job that a fast path served has no separate record, because its text is already in a store. */
const hasRecord = or(
  isNotNull(translationJobs.goldenUri),
  sql`${translationJobs.pipelineMetadata} -> 'provenance' ->> 'fast_path' is null`,
);

const publishedStatuses = ['published', 'human_edited'] as const;

function selectJobs(
  tx: Tx,
  tenantId: string,
  which: SQL | undefined,
  statuses: readonly JobStatus[] = publishedStatuses,
) {
  const { jobId, goldenUri, updatedAt, status } = translationJobs;
  return tx
    .select({ id: jobId, uri: goldenUri, at: updatedAt })
    .from(translationJobs)
    .where(and(eq(translationJobs.tenantId, tenantId), inArray(status, [...statuses]), hasRecord, which));
}

/** The time at which an approval was recorded or, if it is not recorded yet, stamped. */
const approvalTime = sql<Date>`coalesce((${documentJobs.goldenRecord} ->> 'recorded_at')::timestamptz(3),
  ${documentJobs.approvedAt})`.mapWith(documentJobs.approvedAt);

const approvedDocuments: PublishedRows = {
  isRecordedLater: true,
  byId: (tx, tenantId, after, limit) =>
    selectDocuments(tx, tenantId, gt(documentJobs.documentId, after))
      .orderBy(documentJobs.documentId)
      .limit(limit),
  byTime: (tx, tenantId, after, limit) =>
    selectDocuments(
      tx,
      tenantId,
      and(isNotNull(documentJobs.goldenUri), follows(approvalTime, documentJobs.documentId, after)),
    )
      .orderBy(approvalTime, documentJobs.documentId)
      .limit(limit),
  byIds: (tx, tenantId, ids) => selectDocuments(tx, tenantId, inArray(documentJobs.documentId, [...ids])),
};

function selectDocuments(tx: Tx, tenantId: string, which: SQL | undefined) {
  const { documentId, goldenUri, approvedAt } = documentJobs;
  return tx
    .select({ id: documentId, uri: goldenUri, at: approvalTime })
    .from(documentJobs)
    .where(and(eq(documentJobs.tenantId, tenantId), isNotNull(approvedAt), which));
}

function follows(
  time: SQL | typeof translationJobs.updatedAt,
  id: typeof translationJobs.jobId | typeof documentJobs.documentId,
  after: Cursor | null,
): SQL | undefined {
  return after === null
    ? undefined
    : sql`(${time}, ${id}) > (${after.at.toISOString()}::timestamptz, ${after.id})`;
}

/** All kinds. */
export const publishedRows: readonly PublishedRows[] = [textJobs, approvedDocuments];
