import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { type InlineContent, isSameContent, retag } from '#server/formats/inline-content.ts';
import { withRequestDeadline } from '#server/http/request-deadline.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { newId } from '#server/platform/ids.ts';
import { destinationIn } from '#server/storage/destination.ts';
import { feedReview } from '#server/translation/documents/feed-manifest.ts';
import { type DocumentRow, requireDocument } from '#server/translation/documents/jobs.ts';
import {
  type LeasedDocument,
  type RenderServices,
  readRenderState,
  renderAndStore,
} from '#server/translation/documents/rendering.ts';
import { withReviewLease } from '#server/translation/documents/review-lease.ts';
import type { DocumentReviewRequest } from '#server/translation/documents/schema.ts';
import { ofDocument } from '#server/translation/documents/segments.ts';
import { type CorrectionConflict, correctionConflicts } from '../review-conflict.ts';
import { checkChanges, type ProposedChange } from './check-segments.ts';
import { authorOf, requireTranslated, type SegmentAuthor } from './reviewed-document.ts';
import { acceptedMinor, reviewedFindings, type StoredQuality } from './reviewed-findings.ts';
import { type SegmentChange, storeChanges } from './segment-changes.ts';

type ReviewServices = RenderServices & Pick<Services, 'glossaries'>;

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
    /** Whether a reviewer has marked the present text as final, which accepts its findings that are not critical. */
    isMarkedFinal?: boolean | undefined;
  })[];
}

/** A reviewer's text for one segment. */
interface Correction {
  position: number;
  sourceText: string;
  target: InlineContent;
  targetText: string;
  present: ProposedChange['present'] & StoredQuality;
  isMarkedFinal: boolean;
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
  const { tenantId, author } = await withTenant(async (tx, principal) => {
    requireTranslated(await requireDocument(tx, principal.tenant.id, documentId));
    await destinationIn(tx, services, principal.tenant.id);
    return { tenantId: principal.tenant.id, author: await authorOf(tx, principal, request.reviewer) };
  });
  // When the process stops, it waits until the review is stored, even if the reviewer has disconnected.
  const reviewed = await services.backgroundWork.track(
    withRequestDeadline(services.settings, ({ signal }) =>
      withReviewLease(services, tenantId, documentId, (lease) =>
        applyReview(services, { tenantId, documentId, lease, signal }, author, request),
      ),
    ),
  );
  return { tenantId, ...reviewed };
}

async function applyReview(
  services: ReviewServices,
  leased: LeasedDocument,
  author: SegmentAuthor,
  request: ReviewOfSegments,
): Promise<{ named: number[]; changed: number[] }> {
  const { tenantId, documentId } = leased;
  const { named, corrections, translations, ...state } = await services.database.inTenant(
    tenantId,
    async (tx) => {
      const state = await readRenderState(tx, tenantId, documentId);
      requireTranslated(state.row);
      return { ...state, ...(await selectCorrected(tx, tenantId, documentId, request)) };
    },
  );
  const { row } = state;
  const changed = corrections.map(({ position }) => position);
  if (changed.length === 0) return { named, changed };
  const checked = await checkChanges(services, row, corrections);
  const checkedAt = new Map(corrections.map(({ position }, index) => [position, checked[index]]));
  const changeOf = (correction: Correction): SegmentChange => {
    const { position, target, targetText, present, isMarkedFinal } = correction;
    const isEdited =
      present.targetText !== targetText || !isSameContent(target, present.target as InlineContent | null);
    // A correction settles a low score without a finding, because the score was that of the former text.
    const former = { ...present, score: isEdited ? null : present.score };
    const reviewed = reviewedFindings(former, checkedAt.get(position) ?? { issues: [] }, isEdited);
    return {
      position,
      kind: 'edited',
      isConfirmed: false,
      findings: isMarkedFinal ? acceptedMinor(reviewed, author) : reviewed,
      translation: { target, targetText },
    };
  };
  const changeId = newId();
  await renderAndStore(
    services,
    leased,
    { ...state, translations },
    {
      reviewer: author.name,
      claimed_via: author.claimedVia,
      notes: request.notes ?? null,
      async store(tx) {
        const stored = (await selectStillOpen(tx, row, request, corrections)).map(changeOf);
        await storeChanges(tx, row, author, changeId, stored);
        return stored.length;
      },
    },
  );
  await feedReview(services, row, changeId);
  return { named, changed };
}

/**
 * Reads the segments again if the document has changed during the rendering: reviewers may have saved them, and a check
 * may have stored findings.
 * @returns the corrections that are still to be made: someone may have saved the same text
 * @throws AppError 409 conflict
 */
async function selectStillOpen(
  tx: Tx,
  { tenantId, documentId, updatedAt }: DocumentRow,
  request: ReviewOfSegments,
  corrections: readonly Correction[],
): Promise<readonly Correction[]> {
  const present = await requireDocument(tx, tenantId, documentId);
  if (present.updatedAt.getTime() === updatedAt.getTime()) return corrections;
  return (await selectCorrected(tx, tenantId, documentId, request)).corrections;
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
      issues: documentSegments.issues,
      score: documentSegments.score,
      needsReview: documentSegments.needsReview,
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
    const isThere = targetText === target_text && (target === undefined || isSameContent(target, row.target));
    if (replaces !== undefined && corrected && isThere) continue;
    const isMoved = replacesTagged !== undefined && !isSameContent(replacesTagged, row.target);
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
      present: row,
      isMarkedFinal: correction.isMarkedFinal ?? false,
    });
  }
  if (conflicts.length > 0) throw correctionConflicts(conflicts, 'corrected');
  const translations = rows.flatMap(({ position, regionId, cellId, target }) => {
    const content = corrections.get(position)?.target ?? (target as InlineContent | null);
    return content ? [{ regionId, cellId, target: content }] : [];
  });
  return { named, corrections: [...corrections.values()], translations };
}
