import { and, eq, gt, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import type { ClaimedVia } from '#server/identity/access/principal.ts';
import {
  type AnnouncedRecord,
  announcedJobs,
  type GoldenRecord,
  isOfAttempt,
  listGolden,
  type NewGoldenRecord,
  type RecordedJobs,
  removeGolden,
  writeGolden,
} from '#server/records/golden-records.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { claimOf, type DocumentRow, documentColumns, isDocument, requestOf } from './jobs.ts';

/** The audit record of an approval: reviewer, time and counts, without any text of the document. */
interface ApprovalRecord {
  schema_version: '1.0';
  kind: 'document_approval';
  tenant_id: string;
  job_id: string;
  recorded_at: string;
  approved_at: string;
  approved_by: string | null;
  approved_via: ClaimedVia | null;
  source_lang: string;
  target_lang: string;
  source_format: string;
  counts: {
    segments: number;
    translated: number;
    corrected: number;
    confirmed: number;
    needs_review: number;
    reviews: number;
    source_chars: number;
    fed_pairs: number;
    skipped: Record<string, number>;
    golden_skipped_at_cap: number;
  };
}

/**
 * Writes the audit record of an approved document, unless it has one. The counts are first stored with the document: if
 * the write is interrupted, it is repeated with the same content. If the store is unavailable, the sweep writes the
 * record later: the document is already delivered, so its approval does not depend on the record.
 */
export async function recordApproval(
  services: LocatingServices & Pick<Services, 'backgroundWork' | 'log'>,
  tenantId: string,
  documentId: string,
): Promise<void> {
  const { database } = services;
  const record = await database.inTenant(tenantId, (tx) => storeRecord(tx, tenantId, documentId));
  if (!record) return;
  // Records are in platform storage, even if the tenant's files are elsewhere.
  const place = await writeGolden(services, record, { provider: 'platform' });
  if (!place) return;
  const uri = place.address;
  const referred = await database.inTenant(tenantId, (tx) =>
    tx
      .update(documentJobs)
      .set({ goldenUri: uri })
      .where(and(isDocument(tenantId, documentId), isApproval(record.attempt)))
      .returning({ documentId: documentJobs.documentId }),
  );
  // If no row was changed, the document has been deleted or reopened since then.
  if (referred.length === 0) await removeGolden(services, tenantId, documentId, uri);
  else listGolden(services, { ...record, uri }, place);
}

/** SQL: whether the document has this approval and has not been reopened. */
function isApproval(approval: number) {
  const { approvedAt, reopenings } = documentJobs;
  return sql`(${approvedAt} is not null and coalesce(${reopenings}, 0) = ${approval - 1}::int)`;
}

/**
 * Stores the record's content with the document. Undefined if the record is already in the golden store, or if the
 * approval does not exist.
 */
async function storeRecord(
  tx: Tx,
  tenantId: string,
  documentId: string,
): Promise<NewGoldenRecord | undefined> {
  const [row] = await tx
    .select(documentColumns)
    .from(documentJobs)
    .where(
      and(
        isDocument(tenantId, documentId),
        isNotNull(documentJobs.approvedAt),
        isNull(documentJobs.goldenUri),
      ),
    );
  if (!row) return undefined;
  if (row.goldenRecord) return viewOf(row, row.goldenRecord as ApprovalRecord);
  const record = await makeRecord(tx, row);
  await tx.update(documentJobs).set({ goldenRecord: record }).where(isDocument(tenantId, documentId));
  return viewOf(row, record);
}

async function makeRecord(tx: Tx, row: DocumentRow): Promise<ApprovalRecord> {
  const { tenantId, documentId } = row;
  const [counted] = await tx.execute<ApprovalRecord['counts'] & { now: string }>(sql`
    select s.*, to_json(now()) #>> '{}' as now, jsonb_array_length(d.review_history) as reviews,
      coalesce(jsonb_array_length(d.feed_manifest -> 'fed_pairs'), 0) as fed_pairs,
      coalesce(d.feed_manifest -> 'skipped', '{}') as skipped,
      coalesce((d.feed_manifest ->> 'golden_skipped_at_cap')::int, 0) as golden_skipped_at_cap
    from document_jobs d, lateral (
      select count(*)::int as segments, count(target)::int as translated,
        count(*) filter (where corrected)::int as corrected,
        count(confirmed_at)::int as confirmed, count(*) filter (where needs_review)::int as needs_review
      from document_segments where tenant_id = ${tenantId} and document_id = ${documentId}) s
    where d.tenant_id = ${tenantId} and d.document_id = ${documentId}`);
  if (!counted) throw new Error('the database returned no count');
  const { now, ...counts } = counted;
  const { source_lang, target_lang } = requestOf(row);
  return {
    schema_version: '1.0',
    kind: 'document_approval',
    tenant_id: tenantId,
    job_id: documentId,
    recorded_at: new Date(now).toISOString(),
    approved_at: (row.approvedAt as Date).toISOString(),
    approved_by: row.approvedBy,
    approved_via: claimOf(row),
    source_lang,
    target_lang,
    source_format: row.sourceFormat,
    counts: { ...counts, source_chars: row.sourceChars },
  };
}

function viewOf({ tenantId, documentId, reopenings }: DocumentRow, record: ApprovalRecord): NewGoldenRecord {
  const { source_lang, target_lang } = record;
  return {
    kind: 'document_approval' as const,
    tenantId,
    jobId: documentId,
    attempt: approvalOf(reopenings),
    recordedAt: new Date(record.recorded_at),
    content: JSON.stringify(record),
    summary: { status: 'approved', source_lang, target_lang },
  };
}

function recordOfRow(row: DocumentRow): GoldenRecord {
  return { ...viewOf(row, row.goldenRecord as ApprovalRecord), uri: row.goldenUri as string };
}

/** Creation time of the record. */
const recordedAt = sql`(${documentJobs.goldenRecord} ->> 'recorded_at')::timestamptz`;

/** The golden records of approved documents, for `checkGoldenRecords`. */
export const approvalRecords: RecordedJobs = {
  kind: 'document_approval',
  async judge(tx, announced) {
    const approved = await selectApproved(tx, announced);
    return announced.map(({ tenant_id, job_id, golden_uri }) => {
      const referred = approved.get(`${tenant_id} ${job_id}`);
      if (!referred) return 'remove';
      if (referred.goldenUri === golden_uri) return 'listed';
      if (!isOfAttempt(golden_uri, job_id, referred.approval)) return 'remove';
      return referred.goldenUri === null ? 'keep' : 'remove';
    });
  },
  async tenantsSince(tx, since) {
    const rows = await tx
      .selectDistinct({ tenantId: documentJobs.tenantId })
      .from(documentJobs)
      .where(and(isNotNull(documentJobs.goldenUri), sql`${recordedAt} >= ${since.toISOString()}`));
    return rows.map(({ tenantId }) => tenantId);
  },
  async recordsBetween(tx, tenantId, { from, to, after, limit }) {
    const rows = await tx
      .select(documentColumns)
      .from(documentJobs)
      .where(
        and(
          eq(documentJobs.tenantId, tenantId),
          isNotNull(documentJobs.goldenUri),
          sql`${recordedAt} >= ${from.toISOString()} and ${recordedAt} < ${to.toISOString()}`,
          gt(documentJobs.documentId, after),
        ),
      )
      .orderBy(documentJobs.documentId)
      .limit(limit);
    return rows.map(recordOfRow);
  },
  async recordOf(tx, tenantId, documentId) {
    const [row] = await tx
      .select(documentColumns)
      .from(documentJobs)
      .where(and(isDocument(tenantId, documentId), isNotNull(documentJobs.goldenUri)));
    return row && recordOfRow(row);
  },
  async relocate(tx, tenantId, documentId, { from, to }) {
    const { count } = await tx
      .update(documentJobs)
      .set({ goldenUri: to })
      .where(and(isDocument(tenantId, documentId), eq(documentJobs.goldenUri, from)));
    return count > 0;
  },
};

/**
 * Returns the number of the document's current approval or, if it has none, of the next one. It is the attempt in the
 * file name of the audit record.
 */
export function approvalOf(reopenings: number | null): number {
  return 1 + (reopenings ?? 0);
}

/**
 * For announced documents that are approved, returns the URI of the stored record (null if none is stored yet) and the
 * number of the current approval, keyed by `tenant document`. A document whose approval was
 * withdrawn is missing. Platform scope.
 */
async function selectApproved(
  tx: Tx,
  announced: readonly AnnouncedRecord[],
): Promise<Map<string, { goldenUri: string | null; approval: number }>> {
  const rows = await tx
    .select({
      tenantId: documentJobs.tenantId,
      documentId: documentJobs.documentId,
      goldenUri: documentJobs.goldenUri,
      reopenings: documentJobs.reopenings,
    })
    .from(documentJobs)
    .innerJoin(
      announcedJobs(announced),
      sql`wanted.tenant_id = ${documentJobs.tenantId} and wanted.job_id = ${documentJobs.documentId}`,
    )
    .where(isNotNull(documentJobs.approvedAt));
  return new Map(
    rows.map(({ tenantId, documentId, goldenUri, reopenings }) => [
      `${tenantId} ${documentId}`,
      { goldenUri, approval: approvalOf(reopenings) },
    ]),
  );
}
