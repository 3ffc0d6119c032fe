import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { newId } from '#server/platform/ids.ts';
import { type Finding, isOpenCritical } from '#server/translation/core/findings.ts';
import { UnconfirmedFindings } from '../confirmation.ts';
import { type CorrectionConflict, correctionConflicts } from '../review-conflict.ts';
import { positionedSegment, selectSegments } from './positioned-segment.ts';
import { authorOf, lockTranslated, requireName } from './reviewed-document.ts';
import { confirmReason } from './save-schema.ts';
import { changeSegments, type SegmentChange, storeChanges } from './segment-changes.ts';

export const documentConfirmInput = z.object({
  document_id: z.string().describe('The ID of the document job.'),
  segments: z
    .array(
      z.object({
        position: z
          .int()
          .min(0)
          .max(1_000_000)
          .describe('The position of the segment in the document, from 0.'),
        target_text: z
          .string()
          .max(1_000_000)
          .meta({ description: 'The translation that the reviewer saw and confirms.' }),
      }),
    )
    .min(1)
    .max(1000)
    .refine((segments) => new Set(segments.map(({ position }) => position)).size === segments.length, {
      error: 'must not name a segment twice',
    })
    .describe('The segments to confirm. Either all are confirmed or none.'),
  confirmed: z
    .boolean()
    .default(true)
    .describe('`true` confirms the segments; `false` withdraws their confirmation.'),
  confirm_critical: z
    .boolean()
    .default(false)
    .describe(
      'Required, together with `reason`, to confirm segments with critical findings; otherwise 409 `critical_findings`.',
    ),
  reason: confirmReason.optional().describe('Why the segments with critical findings are confirmed.'),
  reviewer: z
    .string()
    .max(320)
    .nullish()
    .describe(
      'The name of the reviewer, for clients with an API key. For signed-in members, the session determines the reviewer.',
    ),
});

export const confirmedSegments = z.object({
  segments: z
    .array(positionedSegment)
    .meta({ description: 'The segments in their current state, in reading order.' }),
  updated_at: z.string().meta({
    format: 'date-time',
    description: 'The time of the last change of the document, ISO 8601 in UTC.',
  }),
});

/**
 * Marks unchanged translations as confirmed by a reviewer; their text, issues and flags stay. When the text changes,
 * the mark is removed. An approval adds a flagged segment to the TM only if the segment is confirmed.
 * @throws AppError 404; 400 if the document is not translated, or the reviewer cannot be determined; 422 for an unknown
 * position; 409 conflict, with all
 *   `CorrectionConflict`s, if a translation has changed since the reviewer saw it; UnconfirmedFindings
 */
export async function confirmSegments(
  tx: Tx,
  principal: Principal,
  { document_id: documentId, segments, confirmed, confirm_critical, reason, reviewer }: ConfirmInput,
): Promise<z.infer<typeof confirmedSegments>> {
  const tenantId = principal.tenant.id;
  const row = await lockTranslated(tx, tenantId, documentId);
  const author = await authorOf(tx, principal, reviewer);
  requireName(author);
  const positions = segments.map(({ position }) => position);
  const present = await selectSegments(tx, tenantId, documentId, positions);
  requireSeen(segments, present);
  const changed = present.filter(({ confirmed_at }) => (confirmed_at !== null) !== confirmed);
  const critical = changed.flatMap(({ position, region_id, cell_id, place, quality }) => {
    const issues = (quality.issues as Finding[]).filter(isOpenCritical);
    return issues.length > 0 ? [{ position, region_id, cell_id, place, issues }] : [];
  });
  if (confirmed && !(confirm_critical && reason) && critical.length > 0)
    throw new UnconfirmedFindings(`document job ${documentId}`, critical);
  if (changed.length === 0) return { segments: present, updated_at: row.updatedAt.toISOString() };
  const isCritical = new Set(critical.map(({ position }) => position));
  const changes = changed.map(
    ({ position }): SegmentChange => ({
      position,
      kind: confirmed ? 'confirmed' : 'unconfirmed',
      isConfirmed: confirmed,
      reason: confirmed && isCritical.has(position) ? reason : undefined,
    }),
  );
  const updatedAt = await changeSegments(tx, row, { positions, edits: 0 }, () =>
    storeChanges(tx, row, author, newId(), changes),
  );
  return {
    segments: await selectSegments(tx, tenantId, documentId, positions),
    updated_at: updatedAt,
  };
}

type ConfirmInput = z.infer<typeof documentConfirmInput>;

/** @throws AppError 422 for an unknown position; 409 if the translation has changed */
function requireSeen(
  segments: ConfirmInput['segments'],
  present: readonly z.infer<typeof positionedSegment>[],
): void {
  const byPosition = new Map(present.map((segment) => [segment.position, segment]));
  const conflicts: CorrectionConflict[] = [];
  for (const [index, { position, target_text: seen }] of segments.entries()) {
    const segment = byPosition.get(position);
    if (!segment || segment.target_text === null)
      throw new AppError('invalid_fields', [
        {
          loc: ['body', 'segments', index, 'position'],
          msg: segment ? 'the segment has no translation' : 'segment not found',
          type: 'unknown_segment',
        },
      ]);
    const { region_id, cell_id, target_text, corrected } = segment;
    if (target_text !== seen) conflicts.push({ index, position, region_id, cell_id, target_text, corrected });
  }
  if (conflicts.length > 0) throw correctionConflicts(conflicts, 'confirmed');
}
