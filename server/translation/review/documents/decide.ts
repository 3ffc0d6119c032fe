import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentSegments } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { FileError } from '#server/formats/file-error.ts';
import { formatTagged, type InlineContent, retag } from '#server/formats/inline-content.ts';
import { withRequestDeadline } from '#server/http/request-deadline.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { newId } from '#server/platform/ids.ts';
import { destinationIn, type LocatingServices } from '#server/storage/destination.ts';
import { isCriticalIssue } from '#server/translation/core/checks.ts';
import {
  insertArtifact,
  newestArtifact,
  readArtifact,
  removeFile,
  storeTranslation,
} from '#server/translation/documents/artifacts.ts';
import { feedReview } from '#server/translation/documents/feed-manifest.ts';
import { rebuildFile } from '#server/translation/documents/file-work.ts';
import {
  type DocumentRow,
  isDocument,
  requestOf,
  requireDocument,
} from '#server/translation/documents/jobs.ts';
import { findingView } from '#server/translation/documents/quality-report.ts';
import { type ReviewLease, withReviewLease } from '#server/translation/documents/review-lease.ts';
import type { DocumentReviewRecord, DocumentReviewRequest } from '#server/translation/documents/schema.ts';
import {
  figuresOf,
  findingsOfSegments,
  ofDocument,
  storeTargetRectangles,
} from '#server/translation/documents/segments.ts';
import { type CorrectionConflict, correctionConflicts } from '../review-conflict.ts';
import { checkSegments } from './check-segments.ts';

type ReviewServices = LocatingServices &
  Pick<Services, 'backgroundWork' | 'embedder' | 'fileWork' | 'glossaries' | 'log'>;

/** The corrections of a reviewer. */
export interface ReviewOfSegments extends Omit<DocumentReviewRequest, 'corrections'> {
  corrections: (DocumentReviewRequest['corrections'][number] & {
    /**
     * The translation that the reviewer saw; null if none existed. If omitted, the correction replaces any translation.
     */
    replaces?: string | null | undefined;
    /**
     * The reviewer's text with the tags of the source, if the reviewer placed them. If omitted, the tags are placed as
     * in the previous translation.
     */
    target?: InlineContent | undefined;
    /** `replaces` with its tags, if the reviewer saw the tags. */
    replacesTagged?: InlineContent | null | undefined;
  })[];
}

/** A reviewer's text for one segment. */
interface Correction {
  position: number;
  sourceText: string;
  target: InlineContent;
  targetText: string;
}

/**
 * Applies corrections to a translated document and renders the whole file again, without the engine. Either all
 * corrections are applied or none. The corrections are then added to the TM. If a correction has `replaces`, and a
 * reviewer has already stored the same text, the correction counts as applied: a request that is sent again does not
 * render the file again.
 * @returns the positions of all named segments, and of the changed ones
 * @throws AppError 404; 400 if the document is not translated; 409 storage_binding_not_verified; 422 for an unknown region
 * or cell; 409
 *   conflict, with all `CorrectionConflict`s, if a segment's translation differs from the one that a correction replaces
 */
export async function reviewDocument(
  services: ReviewServices,
  withTenant: WithTenant,
  documentId: string,
  request: ReviewOfSegments,
): Promise<{ tenantId: string; named: number[]; changed: number[] }> {
  const { tenantId, reviewer } = await withTenant(async (tx, principal) => {
    requireTranslated(await requireDocument(tx, principal.tenant.id, documentId));
    await destinationIn(tx, services, principal.tenant.id);
    return { tenantId: principal.tenant.id, reviewer: reviewerOf(principal, request.reviewer) };
  });
  // When the process stops, it waits until the review is stored, even if the reviewer has disconnected.
  const reviewed = await services.backgroundWork.track(
    withRequestDeadline(services.settings, ({ signal }) =>
      withReviewLease(services, tenantId, documentId, (lease) =>
        applyReview(services, lease, { tenantId, documentId, reviewer, signal }, request),
      ),
    ),
  );
  return { tenantId, ...reviewed };
}

/** Returns the reviewer: the session's member. `reviewer` in the body counts only for a caller without a session. */
export function reviewerOf(principal: Principal, said: string | null | undefined): string | null {
  if (principal.kind === 'session') return principal.user.email || principal.user.id;
  return said?.trim() || null;
}

/** @throws AppError 400 if the document is not translated */
export function requireTranslated({ documentId, status }: DocumentRow): void {
  if (status !== 'translated')
    throw new AppError(
      'validation_error',
      `document job ${documentId} is not in a completed state (status=${status})`,
    );
}

async function applyReview(
  services: ReviewServices,
  lease: ReviewLease,
  {
    tenantId,
    documentId,
    reviewer,
    signal,
  }: { tenantId: string; documentId: string; reviewer: string | null; signal: AbortSignal },
  request: ReviewOfSegments,
): Promise<{ named: number[]; changed: number[] }> {
  const { database } = services;
  const { row, source, named, corrections, translations } = await database.inTenant(tenantId, async (tx) => {
    const row = await requireDocument(tx, tenantId, documentId);
    requireTranslated(row);
    const source = await newestArtifact(tx, tenantId, documentId, 'source');
    if (!source) throw new Error('the source file of the document is missing');
    return { row, source, ...(await selectCorrected(tx, tenantId, documentId, request)) };
  });
  const changed = corrections.map(({ position }) => position);
  if (changed.length === 0) return { named, changed };
  const issues = await checkSegments(services, row, corrections);
  const { source_lang: sourceLanguage, target_lang: targetLanguage } = requestOf(row);
  const rebuilt = await rebuildFile(
    services,
    {
      format: row.sourceFormat,
      bytes: await readArtifact(services, source),
      translations,
      options: { sourceLanguage, targetLanguage },
    },
    { tenantId, signal },
  ).catch((error: unknown) => {
    if (error instanceof FileError)
      throw new AppError('validation_error', `source_document: ${error.message}`, { cause: error });
    throw error;
  });
  const output = await storeTranslation(services, row, rebuilt.bytes);
  const record: DocumentReviewRecord = {
    id: newId(),
    reviewer,
    corrections: corrections.length,
    notes: request.notes ?? null,
    created_at: new Date().toISOString(),
    artifact_id: output.artifactId,
  };
  try {
    await database.inTenant(tenantId, async (tx) => {
      await lease.confirm(tx);
      await storeCorrections(tx, tenantId, documentId, corrections, issues);
      await storeTargetRectangles(tx, tenantId, documentId, rebuilt.rectangles);
      await insertArtifact(tx, output);
      const findings = [
        ...rebuilt.findings.map(findingView),
        ...(await findingsOfSegments(tx, tenantId, documentId)),
      ];
      await tx
        .update(documentJobs)
        .set({
          reviewHistory: sql`${documentJobs.reviewHistory} || ${JSON.stringify([record])}::jsonb`,
          rebuildFindings: findings,
          reportFigures: await figuresOf(tx, tenantId, documentId),
          updatedAt: sql`now()`,
        })
        .where(isDocument(tenantId, documentId));
    });
  } catch (error) {
    // After any other error, the file must stay: the COMMIT may have succeeded without being acknowledged. If the file
    // has no row, the sweep removes it.
    if (error instanceof AppError) await removeFile(services, output).catch(() => {});
    throw error;
  }
  await feedReview(services, row);
  return { named, changed };
}

/**
 * Returns all translations of the document, with the corrections applied.
 * @throws AppError 422 for an unknown region or cell; 409 conflict
 */
async function selectCorrected(
  tx: Tx,
  tenantId: string,
  documentId: string,
  { corrections: given }: ReviewOfSegments,
) {
  const rows = await tx
    .select({
      position: documentSegments.position,
      regionId: documentSegments.regionId,
      cellId: documentSegments.cellId,
      source: documentSegments.source,
      sourceText: documentSegments.sourceText,
      target: documentSegments.target,
      targetText: documentSegments.targetText,
      corrected: documentSegments.corrected,
    })
    .from(documentSegments)
    .where(ofDocument(tenantId, documentId))
    .orderBy(documentSegments.position);
  const keyOf = (regionId: string, cellId: string | null | undefined) =>
    JSON.stringify([regionId, cellId ?? null]);
  const byKey = new Map(rows.map((row) => [keyOf(row.regionId, row.cellId), row]));
  const named: number[] = [];
  const corrections = new Map<number, Correction>();
  const conflicts: CorrectionConflict[] = [];
  for (const [index, correction] of given.entries()) {
    const { region_id, cell_id, target_text, replaces, target, replacesTagged } = correction;
    const row = byKey.get(keyOf(region_id, cell_id));
    if (!row)
      throw new AppError('invalid_fields', [
        {
          loc: ['body', 'corrections', index, cell_id == null ? 'region_id' : 'cell_id'],
          msg: 'segment not found',
          type: 'unknown_segment',
        },
      ]);
    const { position, targetText, corrected } = row;
    named.push(position);
    const isThere = targetText === target_text && (target === undefined || isSame(target, row.target));
    if (replaces !== undefined && corrected && isThere) continue;
    const isMoved = replacesTagged !== undefined && !isSame(replacesTagged, row.target);
    if (replaces !== undefined && (targetText !== replaces || isMoved))
      conflicts.push({
        index,
        position,
        region_id,
        cell_id: row.cellId,
        target_text: targetText,
        corrected,
      });
    corrections.set(position, {
      position,
      sourceText: row.sourceText,
      target: target ?? retag(target_text, (row.target ?? row.source) as InlineContent),
      targetText: target_text,
    });
  }
  if (conflicts.length > 0) throw correctionConflicts(conflicts, 'corrected');
  const translations = rows.flatMap(({ position, regionId, cellId, target }) => {
    const content = corrections.get(position)?.target ?? (target as InlineContent | null);
    return content ? [{ regionId, cellId, target: content }] : [];
  });
  return { named, corrections: [...corrections.values()], translations };
}

/** Compare objects without the order of their keys: jsonb reorders them. */
function isSame(one: InlineContent | null, other: unknown[] | null): boolean {
  if (one === null || other === null) return one === other;
  return formatTagged(one) === formatTagged(other as InlineContent);
}

/**
 * Stores the corrections and updates the segments. The engine's score and issues belonged to the previous text, and no
 * model judges a reviewer's text. So a corrected segment has no score, like a segment from the TM, and its issues are
 * those that the service's own checks find. The segment is flagged only if an issue is critical; all other flags, and a
 * confirmation of the previous text, are removed.
 */
async function storeCorrections(
  tx: Tx,
  tenantId: string,
  documentId: string,
  corrections: readonly Correction[],
  issues: readonly QualityIssue[][],
): Promise<void> {
  const rows = corrections.map(({ position, target, targetText }, index) => {
    const found = issues[index] ?? [];
    return {
      position,
      target,
      target_text: targetText,
      issues: found,
      needs_review: found.some(isCriticalIssue),
    };
  });
  await tx.execute(sql`
    update document_segments s set target = r.target, target_text = r.target_text, corrected = true,
      pipeline_text = case when s.corrected then s.pipeline_text else s.target_text end,
      feed_pending = true, score = null, needs_review = r.needs_review, issues = r.issues, fast_path = null,
      provenance = '{"engine": "reviewer"}', confirmed_at = null, confirmed_by = null
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as r(position int, target jsonb, target_text text, issues jsonb, needs_review boolean)
    where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = r.position`);
}
