import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { artifactView, newestArtifact } from '#server/documents/artifacts.ts';
import { feedReview } from '#server/documents/feed-manifest.ts';
import { type DocumentRow, requireDocument } from '#server/documents/jobs.ts';
import {
  type LeasedDocument,
  needsRendering,
  type RenderServices,
  readRenderState,
  renderAndStore,
  renderDocument,
} from '#server/documents/rendering.ts';
import {
  type DocumentReviewRequest,
  documentArtifact,
  documentReviewInput,
} from '#server/documents/schema.ts';
import { ofDocument } from '#server/documents/segments.ts';
import { type InlineContent, isSameContent, retag } from '#server/formats/inline-content.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { newId } from '#server/platform/ids.ts';
import { destinationIn } from '#server/storage/destination.ts';
import { limitOf, type TextLimit } from '#server/translation/request.ts';
import type { Author } from '../author.ts';
import { unknownSegment } from '../item.ts';
import { distinct } from '../schema.ts';
import { checkSegments } from './check.ts';
import {
  type CorrectionConflict,
  conflictAt,
  documentAuthor,
  requireNoConflict,
  requireTranslated,
  requireTranslatedRow,
  whileLeased,
} from './document.ts';
import { lockWritable } from './lock-writable.ts';
import { acceptedMinor, reviewedFindings, type StoredQuality } from './reviewed-findings.ts';
import { recordChange, type SegmentChange, storeChanges } from './segment-changes.ts';
import {
  changedAt,
  currentSegments,
  maxSeenLength,
  ofDocumentJob,
  selectSegments,
} from './segment-schema.ts';

type ReviewServices = RenderServices & Pick<Services, 'glossaries'>;

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
  limit: TextLimit;
  present: StoredQuality & Pick<typeof documentSegments.$inferSelect, 'target' | 'targetText'>;
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
  origin: Origin,
  documentId: string,
  request: ReviewOfSegments,
): Promise<{ tenantId: string; named: number[]; changed: number[] }> {
  const { tenantId, author } = await withTenant(async (tx, principal) => {
    const author = await documentAuthor(tx, principal, request.reviewer);
    await lockWritable(tx, principal.tenant.id, documentId, author);
    await destinationIn(tx, services, principal.tenant.id);
    return { tenantId: principal.tenant.id, author };
  });
  const reviewed = await whileLeased(services, { tenantId, documentId }, (leased) =>
    applyReview(services, leased, origin, author, request),
  );
  return { tenantId, ...reviewed };
}

async function applyReview(
  services: ReviewServices,
  leased: LeasedDocument,
  origin: Origin,
  author: Author,
  request: ReviewOfSegments,
): Promise<{ named: number[]; changed: number[] }> {
  const { tenantId, documentId } = leased;
  const { named, corrections, translations, ...state } = await services.database.inTenant(
    tenantId,
    async (tx) => {
      const state = await readRenderState(tx, tenantId, documentId);
      requireTranslatedRow(state.row);
      return { ...state, ...(await selectCorrected(tx, tenantId, documentId, request)) };
    },
  );
  const { row } = state;
  const changed = corrections.map(({ position }) => position);
  if (changed.length === 0) return { named, changed };
  const checked = await checkSegments(services, row, corrections);
  const checkedAt = new Map(corrections.map(({ position }, index) => [position, checked[index]]));
  const changeOf = (correction: Correction): SegmentChange => {
    const { position, target, targetText, present, isMarkedFinal } = correction;
    const isEdited =
      present.targetText !== targetText || !isSameContent(target, present.target as InlineContent | null);
    // A correction settles a low score without a finding, because the score was that of the former text.
    const former = { ...present, score: isEdited ? null : present.score };
    const reviewed = reviewedFindings(former, checkedAt.get(position) ?? [], isEdited);
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
        const locked = await lockWritable(tx, tenantId, documentId, author);
        const stored = (await selectStillOpen(tx, row, request, corrections)).map(changeOf);
        await storeChanges(tx, row, author, changeId, stored);
        await recordChange(tx, origin, locked, author, stored.length);
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
      maxLength: documentSegments.maxLength,
      lengthUnit: documentSegments.lengthUnit,
    })
    .from(documentSegments)
    .where(ofDocument(tenantId, documentId))
    .orderBy(documentSegments.position);
  const byKey = new Map(rows.map((row) => [keyOf(row.regionId, row.cellId), row]));
  const named: number[] = [];
  const corrections = new Map<number, Correction>();
  const conflicts: CorrectionConflict[] = [];
  for (const [index, correction] of given.entries()) {
    const { region_id, cell_id, target_text, replaces, target, replacesTagged } = correction;
    const row = byKey.get(keyOf(region_id, cell_id));
    if (!row) throw unknownSegment('corrections', index, cell_id == null ? 'region_id' : 'cell_id');
    const { position, targetText, corrected } = row;
    named.push(position);
    const isThere = targetText === target_text && (target === undefined || isSameContent(target, row.target));
    if (replaces !== undefined && corrected && isThere) continue;
    const isMoved = replacesTagged !== undefined && !isSameContent(replacesTagged, row.target);
    if (replaces !== undefined && (targetText !== replaces || isMoved))
      conflicts.push(conflictAt(index, row));
    corrections.set(position, {
      position,
      sourceText: row.sourceText,
      target: target ?? retag(target_text, (row.target ?? row.source) as InlineContent),
      targetText: target_text,
      limit: limitOf(row.maxLength, row.lengthUnit),
      present: row,
      isMarkedFinal: correction.isMarkedFinal ?? false,
    });
  }
  requireNoConflict(conflicts, 'corrected');
  const translations = rows.flatMap(({ position, regionId, cellId, target }) => {
    const content = corrections.get(position)?.target ?? (target as InlineContent | null);
    return content ? [{ regionId, cellId, target: content }] : [];
  });
  return { named, corrections: [...corrections.values()], translations };
}

/** The file of a document after a rendering, in responses. */
const renderedFields = {
  artifact: documentArtifact
    .nullable()
    .meta({ description: 'The latest translated file, which has all saved changes; null without one.' }),
  ...changedAt,
};

export const renderInput = z.object(ofDocumentJob);

export const renderedDocument = z.object(renderedFields);

async function renderedView(
  tx: Tx,
  tenantId: string,
  documentId: string,
): Promise<z.infer<typeof renderedDocument>> {
  const { updatedAt } = await requireDocument(tx, tenantId, documentId);
  const artifact = await newestArtifact(tx, tenantId, documentId, 'translated');
  return { artifact: artifact ? artifactView(artifact) : null, updated_at: updatedAt.toISOString() };
}

function keyOf(regionId: string, cellId: string | null | undefined): string {
  return JSON.stringify([regionId, cellId ?? null]);
}

const correction = documentReviewInput.shape.corrections.element.extend({
  replaces: z
    .string()
    .max(maxSeenLength)
    .nullable()
    .meta({ description: 'The `target_text` that the reviewer saw; null if the segment had none.' }),
});

export const documentCorrectInput = documentReviewInput.extend({
  corrections: distinct(correction, {
    max: 1000,
    keyOf: ({ region_id, cell_id }) => keyOf(region_id, cell_id),
    what: 'a segment',
  }).describe('The corrections. Either all are applied or none.'),
});

export const correctedDocument = z.object({
  applied: z.int().meta({
    description:
      'The number of corrections that changed the document. Others had been applied before, by an earlier copy of the same request.',
  }),
  ...currentSegments.shape,
  ...renderedFields,
});

/**
 * Applies corrections to the translations that the reviewer saw. Does the same as `reviewDocument`, but returns a short
 * response, because a job with its manifest may be megabytes.
 * @throws AppError like `reviewDocument`
 */
export async function correctDocument(
  services: Parameters<typeof reviewDocument>[0],
  withTenant: WithTenant,
  origin: Origin,
  { document_id: documentId, ...request }: z.infer<typeof documentCorrectInput>,
): Promise<z.infer<typeof correctedDocument>> {
  const { tenantId, named, changed } = await reviewDocument(
    services,
    withTenant,
    origin,
    documentId,
    request,
  );
  return services.database.inTenant(tenantId, async (tx) => ({
    applied: changed.length,
    ...(await renderedView(tx, tenantId, documentId)),
    segments: await selectSegments(tx, tenantId, documentId, named),
  }));
}

/**
 * Renders the file of a document now, if it does not have all saved changes: for the preview.
 * @throws AppError 404; 400 if the document is not translated, or cannot be rendered; 409 storage_binding_not_verified;
 *   transient_error if a review holds the document for too long
 */
export async function renderNow(
  services: RenderServices,
  withTenant: WithTenant,
  documentId: string,
): Promise<z.infer<typeof renderedDocument>> {
  const tenantId = await withTenant(async (tx, principal) => {
    const { tenant } = principal;
    const row = await requireTranslated(tx, tenant.id, documentId);
    if (needsRendering(row))
      await lockWritable(tx, tenant.id, documentId, await documentAuthor(tx, principal, null));
    await destinationIn(tx, services, tenant.id);
    return tenant.id;
  });
  await renderDocument(services, { tenantId, documentId });
  return services.database.inTenant(tenantId, (tx) => renderedView(tx, tenantId, documentId));
}
