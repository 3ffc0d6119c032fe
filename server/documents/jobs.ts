import { and, desc, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentArtifacts, documentJobs, documentSegments } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import { readCursor, writeCursor } from '#server/paging.ts';
import { type ArtifactRow, artifactView } from './artifacts.ts';
import { reportOf, type SegmentTotals } from './quality-report.ts';
import type {
  DocumentFailureDetail,
  DocumentFeedManifest,
  DocumentJob,
  DocumentReviewRecord,
  DocumentTranslationRequest,
} from './schema.ts';

export type DocumentRow = typeof documentJobs.$inferSelect;

/** Matches one job by tenant and id. The row-level policy is only the second line of defence. */
export function isDocument(tenantId: string, documentId: string) {
  return and(eq(documentJobs.tenantId, tenantId), eq(documentJobs.documentId, documentId));
}

/** A job and all that its view shows. */
interface StoredDocument {
  row: DocumentRow;
  artifacts: ArtifactRow[];
  totals: SegmentTotals;
}

/** The request as it was stored when the job was submitted. */
export function requestOf(row: Pick<DocumentRow, 'request'>): DocumentTranslationRequest {
  return row.request as DocumentTranslationRequest;
}

export function isInFlight({ status }: Pick<DocumentRow, 'status'>): boolean {
  return status === 'queued' || status === 'extracted';
}

/** The manifest of a document that has fed nothing to the memory yet (B 2.7). */
const emptyManifest: DocumentFeedManifest = {
  fed_pairs: [],
  skipped: {},
  golden_skipped_at_cap: 0,
  last_feed_error: null,
};

export function manifestOf(row: Pick<DocumentRow, 'feedManifest'>): DocumentFeedManifest {
  return (row.feedManifest as DocumentFeedManifest | null) ?? emptyManifest;
}

/** A job as it is returned. Operators also see what it cost (B 4.3). */
function documentView({ row, artifacts, totals }: StoredDocument, operator: boolean): DocumentJob {
  const failure = row.failure as DocumentFailureDetail | null;
  return {
    id: row.documentId,
    tenant_id: row.tenantId,
    request: requestOf(row),
    status: row.status,
    source_file_name: row.sourceFileName,
    source_format: row.sourceFormat,
    layout: null,
    quality_report: row.status === 'translated' ? reportOf(row, totals) : null,
    billable_chars: row.status === 'translated' ? row.sourceChars : 0,
    review_history: row.reviewHistory as DocumentReviewRecord[],
    artifacts: artifacts.map(artifactView),
    approved_at: row.approvedAt?.toISOString() ?? null,
    approved_by: row.approvedBy,
    feed_manifest: manifestOf(row),
    error: failure?.message ?? null,
    failure,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    progress: isInFlight(row)
      ? { stage: row.stage, translated_segments: totals.translated, total_segments: totals.total }
      : null,
    ...(operator && {
      stage_timings: row.stageTimings,
      input_tokens: row.inputTokens,
      output_tokens: row.outputTokens,
      models: row.models,
    }),
  };
}

async function withParts(tx: Tx, tenantId: string, rows: DocumentRow[]): Promise<StoredDocument[]> {
  if (rows.length === 0) return [];
  const ids = sql`array(select jsonb_array_elements_text(${JSON.stringify(rows.map(({ documentId }) => documentId))}::jsonb))`;
  const [artifacts, totals] = await Promise.all([
    tx
      .select()
      .from(documentArtifacts)
      .where(
        and(eq(documentArtifacts.tenantId, tenantId), sql`${documentArtifacts.documentId} = any(${ids})`),
      )
      .orderBy(documentArtifacts.createdAt, documentArtifacts.kind, documentArtifacts.revision),
    tx
      .select({
        documentId: documentSegments.documentId,
        total: sql<number>`count(*)::int`,
        translated: sql<number>`count(${documentSegments.target})::int`,
        needsReview: sql<number>`count(*) filter (where ${documentSegments.needsReview})::int`,
        scored: sql<number>`count(${documentSegments.score})::int`,
        scoreSum: sql<number>`coalesce(sum(${documentSegments.score}), 0)::float8`,
      })
      .from(documentSegments)
      .where(and(eq(documentSegments.tenantId, tenantId), sql`${documentSegments.documentId} = any(${ids})`))
      .groupBy(documentSegments.documentId),
  ]);
  const artifactsById = Map.groupBy(artifacts, ({ documentId }) => documentId);
  const totalsById = new Map(totals.map((row) => [row.documentId, row]));
  return rows.map((row) => ({
    row,
    artifacts: artifactsById.get(row.documentId) ?? [],
    totals: totalsById.get(row.documentId) ?? {
      total: 0,
      translated: 0,
      needsReview: 0,
      scored: 0,
      scoreSum: 0,
    },
  }));
}

export async function selectDocument(
  tx: Tx,
  tenantId: string,
  documentId: string,
): Promise<DocumentRow | undefined> {
  const [row] = await tx.select().from(documentJobs).where(isDocument(tenantId, documentId));
  return row;
}

/** @throws AppError 404 for an unknown, foreign or deleted id alike */
export async function requireDocument(tx: Tx, tenantId: string, documentId: string): Promise<DocumentRow> {
  const row = await selectDocument(tx, tenantId, documentId);
  if (!row) throw new AppError('not_found', 'document job not found');
  return row;
}

/** @throws AppError 404 */
export async function getDocument(
  tx: Tx,
  tenantId: string,
  documentId: string,
  { operator }: { operator: boolean },
): Promise<DocumentJob> {
  const row = await requireDocument(tx, tenantId, documentId);
  const [stored] = await withParts(tx, tenantId, [row]);
  return documentView(stored as StoredDocument, operator);
}

/** The job of an idempotency key of the tenant. */
export async function selectDocumentByKey(
  tx: Tx,
  tenantId: string,
  key: string,
): Promise<DocumentRow | undefined> {
  const [row] = await tx
    .select()
    .from(documentJobs)
    .where(and(eq(documentJobs.tenantId, tenantId), eq(documentJobs.idempotencyKey, key)));
  return row;
}

/** A page of the tenant's jobs, newest updated_at first. */
export async function listDocuments(
  tx: Tx,
  tenantId: string,
  {
    status,
    limit,
    cursor,
  }: { status?: DocumentJob['status'] | undefined; limit: number; cursor?: string | undefined },
  { operator }: { operator: boolean },
): Promise<{ documents: DocumentJob[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  // No job is ever stored as pending.
  if (status === 'pending') return { documents: [], nextCursor: null };
  const rows = await tx
    .select()
    .from(documentJobs)
    .where(
      and(
        eq(documentJobs.tenantId, tenantId),
        status && eq(documentJobs.status, status),
        after &&
          sql`(${documentJobs.updatedAt}, ${documentJobs.documentId}) < (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`,
      ),
    )
    .orderBy(desc(documentJobs.updatedAt), desc(documentJobs.documentId))
    .limit(limit + 1);
  const stored = await withParts(tx, tenantId, rows.slice(0, limit));
  const documents = stored.map((one) => documentView(one, operator));
  const last = documents.at(-1);
  return { documents, nextCursor: rows.length > limit && last ? writeCursor(last) : null };
}

/** The tenant of a job, for the operator. Platform scope. */
export async function selectTenantOfDocument(tx: Tx, documentId: string): Promise<string | undefined> {
  const [row] = await tx
    .select({ tenantId: documentJobs.tenantId })
    .from(documentJobs)
    .where(eq(documentJobs.documentId, documentId));
  return row?.tenantId;
}
