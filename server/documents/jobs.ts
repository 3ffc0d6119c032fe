import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentArtifacts, documentJobs } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import type { Languages, RebuildOptions } from '#server/formats/document.ts';
import { type LayoutKind, resultFormat } from '#server/formats/layout-kinds.ts';
import { translatedFileName } from '#server/formats/translated-name.ts';
import type { PageEnd } from '#server/http/paging.ts';
import type { Warning } from '#server/http/warnings.ts';
import type { ClaimedVia } from '#server/identity/access/principal.ts';
import { serviceTenantId } from '#server/identity/access/service-key.ts';
import { isRegulated } from '#server/translation/intake/request-warnings.ts';
import type { GroupRequest } from '#server/translation/pipeline/group.ts';
import { type ArtifactRow, artifactView } from './artifacts.ts';
import { selectAssigned } from './assigned.ts';
import { reportOf } from './quality-report.ts';
import type {
  DocumentFailureDetail,
  DocumentFeedManifest,
  DocumentJob,
  DocumentReviewRecord,
  DocumentTranslationRequest,
} from './schema.ts';
import { selectionOf } from './selection-fields.ts';
import { waitingView } from './waiting.ts';

type FullRow = typeof documentJobs.$inferSelect;

const { feedManifest: _manifest, ...columns } = getTableColumns(documentJobs);
/** All columns except the manifest, which may be megabytes. */
export const documentColumns = columns;

export type DocumentRow = Omit<FullRow, 'feedManifest'>;

/** The key that vouches for the approver's name. Approvals of earlier versions did not store it. */
export function claimOf({ approvedBy, approvedByUser, approvedVia }: DocumentRow): ClaimedVia | null {
  return approvedVia ?? (approvedBy !== null && approvedByUser === null ? { id: null, name: null } : null);
}

/** Matches one job by tenant and ID. The row-level policy is only the second line of defense. */
export function isDocument(tenantId: string, documentId: string) {
  return and(eq(documentJobs.tenantId, tenantId), eq(documentJobs.documentId, documentId));
}

/** A job with the data that its view needs. */
interface StoredDocument {
  row: FullRow;
  artifacts: ArtifactRow[];
  /** Whether it has or had an assignment. */
  isAssigned: boolean;
}

/** Returns the request as it was stored when the job was submitted. */
export function requestOf(row: Pick<DocumentRow, 'request'>): DocumentTranslationRequest {
  return row.request as DocumentTranslationRequest;
}

/** Returns the options with which the file of a document is written. */
export function rebuildOptionsOf(row: Pick<DocumentRow, 'request'>): RebuildOptions {
  return { ...languagesOf(row), ...selectionOf(requestOf(row)) };
}

export function languagesOf(row: Pick<DocumentRow, 'request'>): Languages {
  const { source_lang: sourceLanguage, target_lang: targetLanguage } = requestOf(row);
  return { sourceLanguage, targetLanguage };
}

/** Returns the request fields that are the same for the translation of all texts of a document. */
export function groupRequestOf(
  request: Pick<DocumentTranslationRequest, 'source_lang' | 'target_lang' | 'domain' | 'tone' | 'gender'>,
): GroupRequest {
  const { source_lang, target_lang, domain, tone, gender } = request;
  return { source_lang, target_lang, domain, tone, gender, text_type: 'Plain', metadata: {} };
}

/** Whether the domain of a document demands a review: then each of its segments is marked, and nothing is held back. */
export function demandsReview(row: Pick<DocumentRow, 'request'>): boolean {
  const { domain } = requestOf(row);
  return domain !== null && isRegulated(domain);
}

/** Returns the format of a document's translated file. */
export function resultFormatOf(row: Pick<DocumentRow, 'request' | 'sourceFormat'>): LayoutKind {
  return resultFormat(row.sourceFormat, selectionOf(requestOf(row)));
}

/**
 * Returns a name for a file with a document's translation that differs from the name of the source: `menu.fr.xlsx`, or
 * `menu.en-fr.pdf` for a bilingual file.
 *
 * @param extension the extension of the file, if it is not that of the source
 */
export function translatedNameOf(
  row: Pick<DocumentRow, 'request' | 'sourceFileName'>,
  extension?: LayoutKind,
): string {
  const { source_lang: sourceLang, target_lang: targetLang, output } = requestOf(row);
  return translatedFileName({
    sourceName: row.sourceFileName,
    sourceLang,
    targetLang: output === 'bilingual' ? `${sourceLang}-${targetLang}` : targetLang,
    unnamed: 'document',
    ...(extension && { extension }),
  });
}

/**
 * Returns the names of a document's translated file. By the specification, `fileName` is the name of the source. If the
 * file has another format, its name has the extension of that format.
 */
export function resultNamesOf(row: Pick<DocumentRow, 'request' | 'sourceFileName' | 'sourceFormat'>): {
  fileName: string;
  suggestedName: string;
} {
  const format = resultFormatOf(row);
  if (format === row.sourceFormat)
    return { fileName: row.sourceFileName, suggestedName: translatedNameOf(row) };
  const stem = row.sourceFileName.replace(/\.[^.]*$/, '');
  return { fileName: `${stem}.${format}`, suggestedName: translatedNameOf(row, format) };
}

/** Whether a document is approved as it is now. */
export function isApproved({
  approvedAt,
  changedSinceApproval,
}: Pick<DocumentRow, 'approvedAt' | 'changedSinceApproval'>): boolean {
  return approvedAt !== null && changedSinceApproval === null;
}

export function isInFlight({ status }: Pick<DocumentJob, 'status'>): boolean {
  return status === 'queued' || status === 'extracted';
}

/** The manifest of a document that has not added anything to the TM yet. */
export const emptyManifest: DocumentFeedManifest = {
  fed_pairs: [],
  skipped: {},
  golden_skipped_at_cap: 0,
  last_feed_error: null,
};

/** Returns the view of a job. Operators also see its cost. */
function documentView({ row, artifacts, isAssigned }: StoredDocument, operator: boolean): DocumentJob {
  const failure = row.failure as DocumentFailureDetail | null;
  // If a job failed after delivery to the tenant's own account, it is billed too.
  const isBilled = row.status === 'translated' || failure?.metadata['delivered_to'] !== undefined;
  return {
    id: row.documentId,
    tenant_id: row.tenantId === serviceTenantId ? null : row.tenantId,
    request: requestOf(row),
    status: row.status,
    source_file_name: row.sourceFileName,
    source_format: row.sourceFormat,
    layout: null,
    quality_report: row.status === 'translated' ? reportOf(row) : null,
    billable_chars: isBilled ? row.sourceChars : 0,
    review_history: row.reviewHistory as DocumentReviewRecord[],
    artifacts: artifacts.map(artifactView),
    approved_at: row.approvedAt?.toISOString() ?? null,
    approved_by: row.approvedBy,
    changed_since_approval: row.changedSinceApproval?.toISOString() ?? null,
    awaits_approval: isAssigned && row.status === 'translated' && !isApproved(row),
    approved_via: claimOf(row),
    feed_manifest: (row.feedManifest as DocumentFeedManifest | null) ?? emptyManifest,
    error: failure?.message ?? null,
    failure,
    warnings: (row.warnings as Warning[] | null) ?? [],
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    progress: isInFlight(row)
      ? { stage: row.stage, translated_segments: row.translatedSegments, total_segments: row.segments }
      : null,
    waiting: isInFlight(row) ? waitingView(row) : null,
    ...(operator && {
      stage_timings: row.stageTimings,
      input_tokens: row.inputTokens,
      output_tokens: row.outputTokens,
      models: row.models,
    }),
  };
}

async function withParts(tx: Tx, tenantId: string, rows: FullRow[]): Promise<StoredDocument[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ documentId }) => documentId);
  const artifacts = tx
    .select()
    .from(documentArtifacts)
    .where(
      and(
        eq(documentArtifacts.tenantId, tenantId),
        sql`${documentArtifacts.documentId} = any(array(select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)))`,
      ),
    )
    .orderBy(documentArtifacts.createdAt, documentArtifacts.kind, documentArtifacts.revision);
  const [found, assigned] = await Promise.all([artifacts, selectAssigned(tx, tenantId, ids)]);
  const byDocument = Map.groupBy(found, ({ documentId }) => documentId);
  return rows.map((row) => ({
    row,
    artifacts: byDocument.get(row.documentId) ?? [],
    isAssigned: assigned.has(row.documentId),
  }));
}

export async function selectDocument(
  tx: Tx,
  tenantId: string,
  documentId: string,
): Promise<DocumentRow | undefined> {
  const [row] = await tx.select(documentColumns).from(documentJobs).where(isDocument(tenantId, documentId));
  return row;
}

/** @throws AppError 404 for an unknown or deleted ID, or one of another tenant; the response is the same */
export async function requireDocument(tx: Tx, tenantId: string, documentId: string): Promise<DocumentRow> {
  const row = await selectDocument(tx, tenantId, documentId);
  if (!row) throw unknownDocument();
  return row;
}

/** Returns a 404, the same for an unknown or deleted ID and one of another tenant. */
export function unknownDocument(): AppError {
  return new AppError('not_found', 'document job not found');
}

/** @throws AppError 404 */
export async function getDocument(
  tx: Tx,
  tenantId: string,
  documentId: string,
  { operator }: { operator: boolean },
): Promise<DocumentJob> {
  const [row] = await tx.select().from(documentJobs).where(isDocument(tenantId, documentId));
  if (!row) throw unknownDocument();
  const [stored] = await withParts(tx, tenantId, [row]);
  return documentView(stored as StoredDocument, operator);
}

/** Returns the tenant's job with an idempotency key. */
export async function selectDocumentByKey(
  tx: Tx,
  tenantId: string,
  key: string,
): Promise<DocumentRow | undefined> {
  const [row] = await tx
    .select(documentColumns)
    .from(documentJobs)
    .where(and(eq(documentJobs.tenantId, tenantId), eq(documentJobs.idempotencyKey, key)));
  return row;
}

/**
 * Maximum size of a page in bytes, approximately. A page of documents with long manifests contains fewer jobs than the
 * limit.
 */
const pageBytes = 8_000_000;

/** SQL: approximate bytes of a job in a response, computed from stored sizes. Compressed JSON is counted four times. */
const jobBytes = sql`4 * (pg_column_size(${documentJobs.request})
  + coalesce(pg_column_size(${documentJobs.feedManifest}), 0) + pg_column_size(${documentJobs.reviewHistory})
  + pg_column_size(${documentJobs.extractFindings}) + pg_column_size(${documentJobs.rebuildFindings}))`;

/**
 * Returns a page of jobs, the most recent updated_at first: at most `limit` jobs and about `pageBytes`, but at least
 * one job. `more`: whether other jobs follow.
 */
export async function selectDocuments(
  tx: Tx,
  { tenantId, limit, after, ids }: DocumentListing,
  { operator }: { operator: boolean },
): Promise<{ documents: DocumentJob[]; more: boolean }> {
  const order = sql`${documentJobs.updatedAt} desc, ${documentJobs.documentId} desc`;
  const page = tx.$with('page').as(
    tx
      .select({
        documentId: documentJobs.documentId,
        bytesBefore:
          sql<number>`sum(${jobBytes}) over (order by ${order} rows unbounded preceding) - (${jobBytes})`.as(
            'bytes_before',
          ),
        place: sql<number>`row_number() over (order by ${order})`.as('place'),
      })
      .from(documentJobs)
      .where(and(eq(documentJobs.tenantId, tenantId), ids && isOneOf(ids), after && isAfter(after)))
      .orderBy(order)
      .limit(limit + 1),
  );
  const found = await tx
    .with(page)
    .select({ row: documentJobs, found: sql<number>`(select count(*)::int from ${page})` })
    .from(page)
    .innerJoin(
      documentJobs,
      and(eq(documentJobs.tenantId, tenantId), eq(documentJobs.documentId, page.documentId)),
    )
    .where(sql`${page.bytesBefore} < ${pageBytes} and ${page.place} <= ${limit}`)
    .orderBy(desc(documentJobs.updatedAt), desc(documentJobs.documentId));
  const stored = await withParts(
    tx,
    tenantId,
    found.map(({ row }) => row),
  );
  return {
    documents: stored.map((one) => documentView(one, operator)),
    more: found.length < (found[0]?.found ?? 0),
  };
}

export function isOneOf(ids: readonly string[]): SQL {
  return sql`${documentJobs.documentId} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`;
}

/** Matches the jobs after a position in a listing. */
export function isAfter({ updatedAt, id }: PageEnd): SQL {
  return sql`(${documentJobs.updatedAt}, ${documentJobs.documentId}) < (${updatedAt.toISOString()}::timestamptz, ${id})`;
}

interface DocumentListing {
  tenantId: string;
  limit: number;
  /** The last job of the previous page. */
  after?: PageEnd | undefined;
  /** If given, only jobs with these ids. */
  ids?: readonly string[] | undefined;
}

/** Returns the tenant of a job, for the operator. Platform scope. */
export async function selectTenantOfDocument(tx: Tx, documentId: string): Promise<string | undefined> {
  const [row] = await tx
    .select({ tenantId: documentJobs.tenantId })
    .from(documentJobs)
    .where(eq(documentJobs.documentId, documentId));
  return row?.tenantId;
}
