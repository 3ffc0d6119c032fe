import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { newId } from '#server/platform/ids.ts';
import type { Finding } from '#server/translation/core/findings.ts';
import { ofDocument } from '#server/translation/documents/segments.ts';
import { resolveFields, resolveFinding } from '../resolve-finding.ts';
import { correctionConflicts } from '../review-conflict.ts';
import { confirmedSegments, documentConfirmInput } from './confirm.ts';
import { selectSegments } from './positioned-segment.ts';
import { authorOf, lockTranslated, requireName } from './reviewed-document.ts';
import { isStillFlagged } from './reviewed-findings.ts';
import { changeSegments, storeChanges } from './segment-changes.ts';

const { position, target_text } = documentConfirmInput.shape.segments.unwrap().shape;

export const documentResolveInput = z.object({
  document_id: z.string().describe('The ID of the document job.'),
  position,
  target_text,
  ...resolveFields,
  reviewer: documentConfirmInput.shape.reviewer,
});

export const resolvedSegment = confirmedSegments.extend({
  change_id: z.string().describe('Undoes the decision.'),
});

/**
 * Resolves a finding of a segment: the decision is stored with the person, the time and the reason, and it can be undone.
 * @throws AppError 404; 400 if the document is not translated, the reviewer cannot be determined, or the text has not
 *   changed for `fixed`; 422 for an unknown position, or without the reason that a critical finding needs; 409 conflict if
 *   the translation has changed since the reviewer saw it, or the finding was resolved before
 */
export async function resolveSegmentFinding(
  tx: Tx,
  principal: Principal,
  input: z.infer<typeof documentResolveInput>,
): Promise<z.infer<typeof resolvedSegment>> {
  const { document_id: documentId, position, target_text: seen } = input;
  const tenantId = principal.tenant.id;
  const row = await lockTranslated(tx, tenantId, documentId);
  const author = await authorOf(tx, principal, input.reviewer);
  const name = requireName(author);
  const [segment] = await tx
    .select()
    .from(documentSegments)
    .where(and(ofDocument(tenantId, documentId), eq(documentSegments.position, position)));
  if (!segment)
    throw new AppError('invalid_fields', [
      { loc: ['body', 'position'], msg: 'segment not found', type: 'unknown_segment' },
    ]);
  const { regionId: region_id, cellId: cell_id, targetText, corrected } = segment;
  if (targetText !== seen)
    throw correctionConflicts(
      [{ index: 0, position, region_id, cell_id, target_text: targetText, corrected }],
      'resolved',
    );
  const findings = resolveFinding(segment.issues as Finding[], input, { ...author, name });
  const change = {
    position,
    kind: 'resolved' as const,
    isConfirmed: segment.confirmedAt !== null,
    reason: { code: input.resolution, note: input.reason ?? '' },
    findings: { findings, needsReview: isStillFlagged(segment, findings) },
  };
  const changeId = newId();
  const updatedAt = await changeSegments(tx, row, { positions: [position], edits: 0 }, () =>
    storeChanges(tx, row, author, changeId, [change]),
  );
  return {
    change_id: changeId,
    segments: await selectSegments(tx, tenantId, documentId, [position]),
    updated_at: updatedAt,
  };
}
