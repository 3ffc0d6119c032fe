import { and, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { type DocumentRow, demandsReview } from '#server/documents/jobs.ts';
import { isAtOneOf, ofDocument, statusOfSegment } from '#server/documents/segments.ts';
import { AppError } from '#server/errors.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { newId } from '#server/platform/ids.ts';
import { moment } from '#server/platform/input-limits.ts';
import { type Finding, isOpenCritical } from '#server/translation/findings.ts';
import { requireName } from '../author.ts';
import { resolveFields, resolveFinding } from '../findings.ts';
import { unknownSegment } from '../item.ts';
import { requireUnchanged } from './approve.ts';
import { conflictAt, documentAuthor, requireNoConflict } from './document.ts';
import { lockWritable } from './lock-writable.ts';
import { isStillFlagged, requireReason } from './reviewed-findings.ts';
import { applyChanges, type SegmentChange } from './segment-changes.ts';
import {
  changedAt,
  confirmFields,
  currentSegments,
  ofDocumentJob,
  position,
  reviewer,
  segmentList,
  viewSegments,
} from './segment-schema.ts';

type SegmentRow = typeof documentSegments.$inferSelect;

/** A segment of a request with the translation that the reviewer saw. */
const seenSegment = {
  position,
  target_text: z
    .string()
    .max(1_000_000)
    .meta({ description: 'The translation that the reviewer saw and confirms.' }),
};

export const documentConfirmInput = z.object({
  ...ofDocumentJob,
  segments: segmentList(z.object(seenSegment)).describe(
    'The segments to confirm. Either all are confirmed or none.',
  ),
  confirmed: z
    .boolean()
    .default(true)
    .describe('`true` confirms the segments; `false` withdraws their confirmation.'),
  ...confirmFields,
});

/**
 * Marks unchanged translations as confirmed by a reviewer; their text, issues and flags stay. When the text changes,
 * the mark is removed. An approval adds a flagged segment to the TM only if the segment is confirmed.
 * @throws AppError 404; 400 if the document is not translated, or the reviewer cannot be determined; 422 for an unknown
 * position; 409 conflict, with all
 *   `CorrectionConflict`s, if a translation has changed since the reviewer saw it; UnconfirmedFindings; and like `requireTurn`
 */
export async function confirmSegments(
  tx: Tx,
  principal: Principal,
  { document_id: documentId, segments, confirmed, confirm_critical, reason, reviewer }: ConfirmInput,
): Promise<z.infer<typeof currentSegments>> {
  const tenantId = principal.tenant.id;
  const author = await documentAuthor(tx, principal, reviewer);
  const row = await lockWritable(tx, tenantId, documentId, author);
  requireName(author);
  const seen = await selectSeen(tx, row, segments);
  const positions = segments.map(({ position }) => position);
  const changed = seen
    .filter(({ confirmedAt }) => (confirmedAt !== null) !== confirmed)
    .map((row) => ({ row, findings: row.issues as Finding[] }));
  if (confirmed) requireReason(row, changed, { confirm_critical, reason });
  const changes = changed.map(
    ({ row: { position }, findings }): SegmentChange => ({
      position,
      kind: confirmed ? 'confirmed' : 'unconfirmed',
      isConfirmed: confirmed,
      reason: confirmed && findings.some(isOpenCritical) ? reason : undefined,
    }),
  );
  const updatedAt =
    changes.length === 0
      ? row.updatedAt.toISOString()
      : await applyChanges(tx, row, author, newId(), changes, positions);
  return viewSegments(tx, row, positions, updatedAt);
}

type ConfirmInput = z.infer<typeof documentConfirmInput>;

/**
 * Returns segments whose translations are those that the reviewer saw, in reading order.
 * @throws AppError 422 for an unknown position; 409 conflict
 */
async function selectSeen(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  segments: ConfirmInput['segments'],
): Promise<SegmentRow[]> {
  const rows = await tx
    .select()
    .from(documentSegments)
    .where(
      sql`${ofDocument(tenantId, documentId)} and ${isAtOneOf(segments.map(({ position }) => position))}`,
    )
    .orderBy(documentSegments.position);
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  const conflicts = segments.flatMap(({ position, target_text: seen }, index) => {
    const row = byPosition.get(position);
    const place = ['segments', index, 'position'];
    if (!row) throw unknownSegment(...place);
    if (row.targetText === null)
      throw new AppError('invalid_fields', [
        { loc: ['body', ...place], msg: 'the segment has no translation', type: 'unknown_segment' },
      ]);
    return row.targetText === seen ? [] : [conflictAt(index, row)];
  });
  requireNoConflict(conflicts, 'confirmed');
  return rows;
}

export const confirmAllInput = z.object({
  ...ofDocumentJob,
  statuses: z
    .array(z.enum(['todo', 'draft', 'warning']))
    .min(1)
    .max(3)
    .describe('The statuses of the segments to confirm. Critical segments are never confirmed together.'),
  reviewer,
  updated_at: moment
    .optional()
    .describe(
      'The `updated_at` of the document when the reviewer read it. If others have changed a translation since then, the status is 409 and nothing is confirmed. Required for a document with a second review.',
    ),
});

export const confirmedAll = z.object({
  change_id: z.string().nullable().describe('Undoes the confirmations; null if no segment was confirmed.'),
  confirmed: z.int().describe('The number of segments that were confirmed.'),
  left: z.int().describe('The number of segments that are still not confirmed.'),
  ...changedAt,
});

/**
 * Confirms all segments of a document that have one of the statuses, except those without a translation and those that
 * another member has open.
 * @throws AppError 404; 400 if the document is not translated, or the reviewer cannot be determined; and like `requireTurn` and
 *   `requireUnchanged`
 */
export async function confirmAll(
  tx: Tx,
  principal: Principal,
  { document_id: documentId, statuses, reviewer, updated_at: seen }: z.infer<typeof confirmAllInput>,
): Promise<z.infer<typeof confirmedAll>> {
  const author = await documentAuthor(tx, principal, reviewer);
  const row = await lockWritable(tx, principal.tenant.id, documentId, author, {
    changesAll: true,
    namesVersion: seen !== undefined,
  });
  requireName(author);
  if (seen !== undefined) await requireUnchanged(tx, row, author, seen);
  const { position, target, confirmedAt } = documentSegments;
  const isHeld = sql`exists (select from review_claims c where c.tenant_id = ${row.tenantId} and c.item_kind = 'document'
    and c.item_id = ${documentId} and c.position = ${position} and c.expires_at > now()
    and c.user_id is distinct from ${author.userId}::text)`;
  const rows = await tx
    .select({ position })
    .from(documentSegments)
    .where(
      sql`${ofDocument(row.tenantId, documentId)} and ${target} is not null and not ${isHeld} and ${statusOfSegment} = any(array(
        select json_array_elements_text(${JSON.stringify(statuses)}::json)))`,
    )
    .orderBy(position);
  const changeId = rows.length > 0 ? newId() : null;
  let updatedAt = row.updatedAt.toISOString();
  if (changeId !== null) {
    const changes = rows.map((segment) => ({ ...segment, kind: 'confirmed' as const, isConfirmed: true }));
    updatedAt = await applyChanges(tx, row, author, changeId, changes);
  }
  const [open] = await tx
    .select({ left: sql<number>`count(*)::int` })
    .from(documentSegments)
    .where(sql`${ofDocument(row.tenantId, documentId)} and ${confirmedAt} is null`);
  return { change_id: changeId, confirmed: rows.length, left: open?.left ?? 0, updated_at: updatedAt };
}

export const documentResolveInput = z.object({
  ...ofDocumentJob,
  ...seenSegment,
  ...resolveFields,
  reviewer,
});

export const resolvedSegment = currentSegments.extend({
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
  const author = await documentAuthor(tx, principal, input.reviewer);
  const row = await lockWritable(tx, tenantId, documentId, author);
  const name = requireName(author);
  const [segment] = await tx
    .select()
    .from(documentSegments)
    .where(and(ofDocument(tenantId, documentId), eq(documentSegments.position, position)));
  if (!segment) throw unknownSegment('position');
  requireNoConflict(segment.targetText === seen ? [] : [conflictAt(0, segment)], 'resolved');
  const findings = resolveFinding(segment.issues as Finding[], input, { ...author, name });
  const change = {
    position,
    kind: 'resolved' as const,
    isConfirmed: segment.confirmedAt !== null,
    reason: { code: input.resolution, note: input.reason ?? '' },
    findings: {
      findings,
      needsReview: isStillFlagged(segment, findings) || (segment.needsReview && demandsReview(row)),
    },
  };
  const changeId = newId();
  const updatedAt = await applyChanges(tx, row, author, changeId, [change]);
  return { change_id: changeId, ...(await viewSegments(tx, row, [position], updatedAt)) };
}
