import { and, asc, eq, gt, inArray, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { leaseSeconds } from '#server/documents/review-lease.ts';
import type { BlobStore } from '#server/platform/stores/blob-store.ts';
import { ofEachStatus } from '#server/texts/jobs.ts';
import type { JobStatus } from '#server/texts/schema.ts';
import { type Comparison, forEach, pageSize, recordLimit } from './comparison.ts';
import { lookAt, type Places } from './places.ts';
import { repairRecord } from './repair.ts';
import type { Difference } from './report.ts';

/** Finds the rows of a tenant whose records are missing or damaged. */
export async function compareRecords(
  comparison: Comparison,
  places: Places,
  tenantId: string,
): Promise<void> {
  for (const kind of publishedRows) await compareKind(comparison, places, tenantId, kind);
  await countUnfinished(comparison, tenantId);
}

async function compareKind(
  comparison: Comparison,
  places: Places,
  tenantId: string,
  kind: PublishedRows,
): Promise<void> {
  const { database, report, stop } = comparison;
  for (let after = ''; ; ) {
    stop.throwIfAborted();
    const rows = await database.inTenant(tenantId, (tx) => kind.byId(tx, tenantId, after, pageSize));
    const found: { row: PublishedRow; what: Difference }[] = [];
    await forEach(rows, async (row) => {
      const what =
        row.uri === null
          ? unrecorded(comparison, kind, row)
          : await faultOf(comparison, places, { tenantId, id: row.id, uri: row.uri });
      if (what) found.push({ row, what });
    });
    const ids = found.map(({ row }) => row.id);
    // Ignore records that were deleted or replaced during the comparison.
    const now = found.length ? await database.inTenant(tenantId, (tx) => kind.byIds(tx, tenantId, ids)) : [];
    const uris = new Map(now.map(({ id, uri }) => [id, uri]));
    for (const { row, what } of found)
      if (uris.get(row.id) === row.uri)
        await report.difference(
          what,
          { tenantId, id: row.id, ...(row.uri && { path: row.uri }) },
          await repairRecord(comparison, tenantId, row.id),
        );
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    after = last.id;
  }
}

/**
 * Returns the difference for a row without a record. If the record may still be written, returns undefined and
 * reports that.
 */
function unrecorded(
  { report, settings }: Comparison,
  { isRecordedLater }: PublishedRows,
  { at }: PublishedRow,
): Difference | undefined {
  // If the process of an approval has died, the approval is completed only after the lease of its document has ended.
  const until = at.getTime() + recordLimit(settings) + leaseSeconds * 1000;
  if (!isRecordedLater || until < Date.now()) return 'record missing';
  report.inFlight('record that is not written yet', 1, until);
  return undefined;
}

/** Returns the difference for the record to which a row refers; undefined if the record is correct. */
function faultOf(
  comparison: Comparison,
  places: Places,
  { tenantId, id, uri }: { tenantId: string; id: string; uri: string },
): Promise<Difference | undefined> {
  return lookAt(comparison, places, { what: 'records', tenantId, address: uri }, async (store, path) => {
    if (comparison.quick) return (await store.read(path, 0, 1)) === null ? 'record missing' : undefined;
    const text = await readWhole(store, path);
    if (text === null) return 'record missing';
    return isRecordOf(text, tenantId, id) ? undefined : 'record damaged';
  });
}

/** Bytes that are read first. Most records are not larger. */
const usualBytes = 64 * 1024;

async function readWhole(store: BlobStore, path: string): Promise<string | null> {
  const start = await store.read(path, 0, usualBytes);
  if (start === null || start.length < usualBytes) return start && Buffer.from(start).toString();
  const pieces: Uint8Array[] = [];
  for await (const piece of (await store.stream(path)) ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

function isRecordOf(text: string, tenantId: string, id: string): boolean {
  try {
    const { tenant_id, job_id } = JSON.parse(text);
    return tenant_id === tenantId && job_id === id;
  } catch {
    return false;
  }
}

/** Counts the jobs and documents in progress. Their records and files may be written at any time. */
async function countUnfinished({ database, report, settings }: Comparison, tenantId: string): Promise<void> {
  const count = sql<number>`count(*)::int`;
  const [jobs, documents] = await database.inTenant(tenantId, (tx) =>
    Promise.all([
      tx
        .select({ count })
        .from(translationJobs)
        .where(
          and(
            eq(translationJobs.tenantId, tenantId),
            inArray(translationJobs.status, ['pending', 'approved', 'persistence_failed']),
          ),
        ),
      tx
        .select({ count })
        .from(documentJobs)
        .where(
          and(eq(documentJobs.tenantId, tenantId), inArray(documentJobs.status, ['queued', 'extracted'])),
        ),
    ]),
  );
  const until = Date.now() + recordLimit(settings);
  report.inFlight('job that is not published yet', jobs[0]?.count ?? 0, until);
  report.inFlight('document that is not finished yet', documents[0]?.count ?? 0, until);
}

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
