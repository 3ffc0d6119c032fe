import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { newId } from '#server/platform/ids.ts';
import { ofDocument, statusOfSegment } from '#server/translation/documents/segments.ts';
import { authorOf, lockTranslated, requireName } from './reviewed-document.ts';
import { changeSegments, storeChanges } from './segment-changes.ts';

export const confirmAllInput = z.object({
  document_id: z.string().describe('The document.'),
  statuses: z
    .array(z.enum(['todo', 'draft', 'warning']))
    .min(1)
    .max(3)
    .describe('The statuses of the segments to confirm. Critical segments are never confirmed together.'),
  reviewer: z
    .string()
    .max(320)
    .nullish()
    .describe('Only for callers with an API key; otherwise the session determines the reviewer.'),
});

export const confirmedAll = z.object({
  change_id: z.string().nullable().describe('Undoes the confirmations; null if no segment was confirmed.'),
  confirmed: z.int().describe('The number of segments that were confirmed.'),
  left: z.int().describe('The number of segments that are still not confirmed.'),
  updated_at: z.string().meta({ format: 'date-time', description: "the document's" }),
});

/**
 * Confirms all segments of a document that have one of the statuses, except those without a translation and those that
 * another member has open.
 * @throws AppError 404; 400 if the document is not translated, or the reviewer cannot be determined
 */
export async function confirmAll(
  tx: Tx,
  principal: Principal,
  { document_id: documentId, statuses, reviewer }: z.infer<typeof confirmAllInput>,
): Promise<z.infer<typeof confirmedAll>> {
  const row = await lockTranslated(tx, principal.tenant.id, documentId);
  const author = await authorOf(tx, principal, reviewer);
  requireName(author);
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
    const positions = changes.map((change) => change.position);
    updatedAt = await changeSegments(tx, row, { positions, edits: 0 }, () =>
      storeChanges(tx, row, author, changeId, changes),
    );
  }
  const [open] = await tx
    .select({ left: sql<number>`count(*)::int` })
    .from(documentSegments)
    .where(sql`${ofDocument(row.tenantId, documentId)} and ${confirmedAt} is null`);
  return { change_id: changeId, confirmed: rows.length, left: open?.left ?? 0, updated_at: updatedAt };
}
