import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentSegments } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { isCriticalIssue } from '#server/translation/core/checks.ts';
import { isDocument, requireDocument } from '#server/translation/documents/jobs.ts';
import { figuresOf, ofDocument } from '#server/translation/documents/segments.ts';
import { UnconfirmedFindings } from '../confirmation.ts';
import { type CorrectionConflict, correctionConflicts } from '../review-conflict.ts';
import { requireTranslated, reviewerOf } from './decide.ts';
import { positionedSegment, selectSegments } from './positioned-segment.ts';

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
      'Must be `true` if a segment has critical findings. Otherwise the status is 409, with the code `critical_findings`.',
    ),
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
  { document_id: documentId, segments, confirmed, confirm_critical, reviewer }: ConfirmInput,
): Promise<z.infer<typeof confirmedSegments>> {
  const tenantId = principal.tenant.id;
  // Taking the lock lets a review that is being stored finish first, so that the figures include it.
  await tx
    .select({ documentId: documentJobs.documentId })
    .from(documentJobs)
    .where(isDocument(tenantId, documentId))
    .for('no key update');
  requireTranslated(await requireDocument(tx, tenantId, documentId));
  const by = reviewerOf(principal, reviewer);
  if (by === null)
    throw new AppError('validation_error', 'reviewer could not be determined: sign in or supply a reviewer');
  const positions = segments.map(({ position }) => position);
  const present = await selectSegments(tx, tenantId, documentId, positions);
  requireSeen(segments, present);
  const critical = present.flatMap(({ position, region_id, cell_id, place, quality, confirmed_at }) => {
    const issues = (quality.issues as QualityIssue[]).filter(isCriticalIssue);
    return issues.length > 0 && confirmed_at === null
      ? [{ position, region_id, cell_id, place, issues }]
      : [];
  });
  if (confirmed && !confirm_critical && critical.length > 0)
    throw new UnconfirmedFindings(`document job ${documentId}`, critical);
  await tx
    .update(documentSegments)
    // If a segment is already confirmed, its first confirmation stays.
    .set(
      confirmed
        ? {
            confirmedBy: sql`coalesce(${documentSegments.confirmedBy}, ${by})`,
            confirmedAt: sql`coalesce(${documentSegments.confirmedAt}, now())`,
          }
        : { confirmedBy: null, confirmedAt: null },
    )
    .where(
      sql`${ofDocument(tenantId, documentId)} and ${documentSegments.position} = any(array(
        select jsonb_array_elements_text(${JSON.stringify(positions)}::jsonb)::int))`,
    );
  const [changed] = await tx
    .update(documentJobs)
    .set({ reportFigures: await figuresOf(tx, tenantId, documentId), updatedAt: sql`now()` })
    .where(isDocument(tenantId, documentId))
    .returning({ updatedAt: documentJobs.updatedAt });
  if (!changed) throw new Error('a document was deleted although it was locked');
  return {
    segments: await selectSegments(tx, tenantId, documentId, positions),
    updated_at: changed.updatedAt.toISOString(),
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
