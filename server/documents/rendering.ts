import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { SegmentTranslation } from '#server/formats/document.ts';
import { FileError } from '#server/formats/file-error.ts';
import { startDeadline } from '#server/http/request-limits.ts';
import type { ClaimedVia } from '#server/identity/access/principal.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob } from '#server/platform/job-queue.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import {
  type ArtifactRow,
  insertArtifact,
  newestArtifact,
  readArtifact,
  removeFile,
  type StoredFile,
  storeTranslation,
} from './artifacts.ts';
import { feedReview, hasPendingFeed } from './feed-manifest.ts';
import { rebuildFile } from './file-work.ts';
import { type DocumentRow, isDocument, rebuildOptionsOf, requireDocument, resultFormatOf } from './jobs.ts';
import { selectKept } from './kept-texts.ts';
import { findingView } from './quality-report.ts';
import { selectRecognition } from './recognition.ts';
import { type ReviewLease, withReviewLease } from './review-lease.ts';
import type { DocumentReviewRecord } from './schema.ts';
import { figuresOf, findingsOfSegments } from './segment-figures.ts';
import { selectTranslations, storeTargetRectangles } from './segments.ts';
import { supersede } from './unreferenced-files.ts';

/*
 * Rendering after a review. Reviewers save segments without rendering the file: `edits` counts the changed segments, and
 * `rendered_edits` has the count that the latest file includes. While they differ, a queued job renders the file; a
 * download and an approval render it first.
 */

export type RenderServices = LocatingServices &
  Pick<Services, 'backgroundWork' | 'embedder' | 'fileWork' | 'log'>;

/** Seconds after a change until the file is rendered. Each further change starts this time again. */
const renderAfter = 5;
/** Maximum seconds after the first change until the file is rendered. */
const renderWithin = 30;

/** Queues the rendering of a document in the transaction that changes its segments. */
export function queueRendering(tx: Tx, tenantId: string, documentId: string): Promise<void> {
  return addJob(
    tx,
    'render_document',
    { tenantId, documentId },
    {
      key: `render_document:${documentId}`,
      afterSeconds: renderAfter,
      postpone: { seconds: renderWithin },
    },
  );
}

/** The state of a document from which its file is rendered. */
interface RenderState {
  row: DocumentRow;
  source: ArtifactRow;
  /** The reviewer of the changes that no file has yet; null if there are several, or one without a name. */
  editor: Pick<DocumentReviewRecord, 'claimed_via' | 'reviewer'>;
}

/**
 * Reads the state of a document, before its translations are read: changes that are stored in between are then in the
 * file but count as missing, so that the file is rendered once more than necessary, but never too little.
 * @throws AppError 404
 */
export async function readRenderState(tx: Tx, tenantId: string, documentId: string): Promise<RenderState> {
  const row = await requireDocument(tx, tenantId, documentId);
  const source = await newestArtifact(tx, tenantId, documentId, 'source');
  if (!source) throw new Error('a document without its source file');
  return { row, source, editor: await selectEditor(tx, row) };
}

async function selectEditor(
  tx: Tx,
  { tenantId, documentId, edits, renderedEdits }: DocumentRow,
): Promise<RenderState['editor']> {
  if (edits <= renderedEdits) return { reviewer: null };
  const [found] = await tx.execute<{ editor: string | null; is_claimed: boolean }>(sql`
    select case when count(distinct (coalesce(actor, ''), user_id is null)) = 1 then min(actor) end as editor,
      bool_or(user_id is null) as is_claimed from (
      select actor, user_id from segment_events
      where tenant_id = ${tenantId} and document_id = ${documentId}
        and target_text is distinct from before ->> 'target_text'
      order by created_at desc limit ${edits - renderedEdits}) e`);
  const reviewer = found?.editor ?? null;
  return { reviewer, claimed_via: reviewer !== null && found?.is_claimed ? { id: null, name: null } : null };
}

/** Corrections that are stored together with the file that has them. */
interface RenderedReview {
  reviewer: string | null;
  claimed_via: ClaimedVia | null;
  notes: string | null;
  /** Stores the corrections in the locked document, and returns their number. */
  store(tx: Tx): Promise<number>;
}

/**
 * Renders the file of a document with these translations, and stores it with its rectangles, findings, figures and
 * review records, in one transaction.
 * @throws AppError 400 if the file cannot be rendered; 409 storage_binding_not_verified; transient_error if the lease has
 *   ended
 */
export async function renderAndStore(
  services: RenderServices,
  { lease, signal }: { lease: ReviewLease; signal: AbortSignal },
  { row, source, editor, translations }: RenderState & { translations: SegmentTranslation[] },
  review?: RenderedReview,
): Promise<void> {
  const { tenantId, documentId } = row;
  const rebuilt = await rebuildFile(
    services,
    {
      format: row.sourceFormat,
      bytes: await readArtifact(services, source),
      translations,
      options: {
        ...rebuildOptionsOf(row),
        kept: await selectKept(services, tenantId, documentId),
        recognition: await services.database.inTenant(tenantId, (tx) =>
          selectRecognition(tx, tenantId, documentId),
        ),
      },
    },
    { tenantId, signal },
  ).catch((error: unknown) => {
    if (error instanceof FileError)
      throw new AppError('validation_error', `source_document: ${error.message}`, { cause: error });
    throw error;
  });
  const output = await storeTranslation(
    services,
    { tenantId, documentId, format: resultFormatOf(row) },
    rebuilt.bytes,
  );
  try {
    await services.database.inTenant(tenantId, async (tx) => {
      await lease.confirm(tx);
      const corrections = (await review?.store(tx)) ?? 0;
      await storeTargetRectangles(tx, tenantId, documentId, rebuilt.rectangles);
      const saved = { ...editor, corrections: row.edits - row.renderedEdits, notes: null };
      const reviews = [
        ...(saved.corrections > 0 ? [saved] : []),
        ...(review
          ? [{ reviewer: review.reviewer, claimed_via: review.claimed_via, corrections, notes: review.notes }]
          : []),
      ];
      const reviewHistory = await replaceFile(tx, row, output, { reviews, isProvisional: !review });
      const findings = [
        ...rebuilt.findings.map(findingView),
        ...(await findingsOfSegments(tx, tenantId, documentId)),
      ];
      await tx
        .update(documentJobs)
        .set({
          reviewHistory,
          rebuildFindings: findings,
          reportFigures: await figuresOf(tx, tenantId, documentId),
          // Changes that were stored during the rendering are not in the file: then the two numbers still differ.
          edits: sql`${documentJobs.edits} + ${corrections}::int`,
          renderedEdits: row.edits + corrections,
          renderedDecisions: row.decisions,
          updatedAt: sql`clock_timestamp()`,
        })
        .where(isDocument(tenantId, documentId));
    });
  } catch (error) {
    // After any other error, the file must stay: the COMMIT may have succeeded without being acknowledged. If the file
    // has no row, the sweep removes it.
    if (error instanceof AppError) await removeFile(services, output).catch(() => {});
    throw error;
  }
}

type Review = Pick<DocumentReviewRecord, 'claimed_via' | 'corrections' | 'notes' | 'reviewer'>;

function isSameReviewer(one: DocumentReviewRecord, other: DocumentReviewRecord): boolean {
  return one.reviewer === other.reviewer && !one.claimed_via === !other.claimed_via;
}

/**
 * Stores the row of a new translated file.
 * @param isProvisional whether the file has only saved segments. Then it replaces the latest file if this one is
 *   provisional, too, and their records become one.
 * @returns SQL: the review records with those of the file
 */
async function replaceFile(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  output: StoredFile,
  { reviews, isProvisional }: { reviews: readonly Review[]; isProvisional: boolean },
): Promise<SQL> {
  const former = await newestArtifact(tx, tenantId, documentId, 'translated');
  const created_at = new Date().toISOString();
  const records: DocumentReviewRecord[] = reviews.map((review) => ({
    id: newId(),
    ...review,
    created_at,
    artifact_id: output.artifactId,
  }));
  await insertArtifact(tx, output, isProvisional ? 'provisional' : 'kept');
  const { reviewHistory } = documentJobs;
  const [record] = records;
  if (!isProvisional || former?.state !== 'provisional' || !record)
    return sql`${reviewHistory} || ${JSON.stringify(records)}::jsonb`;
  await supersede(tx, former);
  const [row] = await tx
    .select({ last: sql<DocumentReviewRecord>`${reviewHistory} -> -1` })
    .from(documentJobs)
    .where(isDocument(tenantId, documentId));
  if (!row) throw new Error('a locked document is gone');
  const { last } = row;
  const merged: DocumentReviewRecord = {
    ...record,
    id: last.id,
    ...(isSameReviewer(last, record) ? {} : { reviewer: null, claimed_via: null }),
    corrections: last.corrections + record.corrections,
  };
  return sql`(${reviewHistory} - -1) || ${JSON.stringify([merged])}::jsonb`;
}

/** A document under a lease. */
export interface LeasedDocument {
  tenantId: string;
  documentId: string;
  lease: ReviewLease;
  signal: AbortSignal;
}

/**
 * Renders the file of a document if the latest file does not have all changes of its segments.
 * @throws AppError 404, and like `renderAndStore`
 */
export async function renderChanges(
  services: RenderServices,
  { tenantId, documentId, ...leased }: LeasedDocument,
): Promise<void> {
  const state = await services.database.inTenant(tenantId, async (tx) => {
    const state = await readRenderState(tx, tenantId, documentId);
    if (!needsRendering(state.row)) return undefined;
    return { ...state, translations: await selectTranslations(tx, tenantId, documentId) };
  });
  if (state) await renderAndStore(services, leased, state);
}

export function needsRendering({ edits, renderedEdits, decisions, renderedDecisions }: DocumentRow): boolean {
  return edits > renderedEdits || decisions > renderedDecisions;
}

/**
 * Renders the file of a document if necessary, and adds its confirmed corrections to the TM. This continues if the caller
 * disconnects, and a stopping process completes it.
 * @returns why the TM could not be updated; null if it was, or if nothing had to be added
 * @throws AppError 404; transient_error if a review holds the document for too long, or at the deadline; and like
 *   `renderAndStore`
 */
export async function renderDocument(
  services: RenderServices,
  { tenantId, documentId }: { tenantId: string; documentId: string },
): Promise<{ feedError: string | null }> {
  const { row, isPending } = await services.database.inTenant(tenantId, async (tx) => {
    const row = await requireDocument(tx, tenantId, documentId);
    return { row, isPending: needsRendering(row) || (await hasPendingFeed(tx, row)) };
  });
  if (!isPending) return { feedError: null };
  return services.backgroundWork.track(renderAndFeed(services, row));
}

async function renderAndFeed(
  services: RenderServices,
  row: DocumentRow,
): Promise<{ feedError: string | null }> {
  const { tenantId, documentId } = row;
  using deadline = startDeadline(services.settings.REQUEST_DEADLINE_SECONDS);
  const { signal } = deadline;
  return await withReviewLease(services, tenantId, documentId, async (lease) => {
    await renderChanges(services, { tenantId, documentId, lease, signal });
    const isUnfed = await services.database.inTenant(tenantId, (tx) => hasPendingFeed(tx, row));
    return { feedError: isUnfed ? (await feedReview(services, row)).error : null };
  });
}

/**
 * Runs the job that `queueRendering` adds. May run twice.
 * @throws Error if the TM could not be updated, so that the queue runs the job again
 */
export async function renderQueued(
  services: RenderServices,
  document: { tenantId: string; documentId: string },
): Promise<void> {
  const rendered = await renderDocument(services, document).catch((error: unknown) => {
    // `not_found`: the document was deleted in between.
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  });
  if (rendered?.feedError) throw new Error(rendered.feedError);
}
