import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentSegments } from '#db/schema/documents.ts';
import { type DocumentRow, isDocument } from '#server/documents/jobs.ts';
import { ofDocument } from '#server/documents/segments.ts';
import type { MendedTexts } from '#server/formats/document.ts';
import { newId } from '#server/platform/ids.ts';
import type { Author } from '../../author.ts';
import { inOrder, type SegmentRow } from './texts.ts';

/* The rows of texts that mends replace: the positions and places of new ones, their history and their comments. */

/** Records in the history of texts that a mend has made them or brought them back. */
export async function recordEvents(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  { userId, name }: Author,
  {
    mendId,
    kind,
    positions,
  }: { mendId: string; kind: 'mended' | 'redone' | 'undone'; positions: readonly number[] },
): Promise<void> {
  const rows = positions.map((position) => ({ position, event_id: newId() }));
  await tx.execute(sql`
    insert into segment_events (tenant_id, event_id, document_id, position, change_id, kind, user_id, actor, created_at)
    select ${tenantId}, e.event_id, ${documentId}, e.position, ${mendId}, ${kind}::text, ${userId}::text, ${name}::text,
      clock_timestamp()
    from json_to_recordset(${JSON.stringify(rows)}::json) as e(position int, event_id text)`);
}

export function countMend(tx: Tx, { tenantId, documentId }: DocumentRow, translated: number, more: number) {
  return tx
    .update(documentJobs)
    .set({
      mends: sql`${documentJobs.mends} + 1`,
      segments: sql`${documentJobs.segments} + ${more}::int`,
      translatedSegments: sql`${documentJobs.translatedSegments} - ${translated}::int`,
    })
    .where(isDocument(tenantId, documentId));
}

export async function nextPosition(tx: Tx, { tenantId, documentId }: DocumentRow): Promise<number> {
  const [last] = await tx.execute<{ position: number }>(sql`
    select greatest((select max(position) from document_segments where tenant_id = ${tenantId} and document_id = ${documentId}),
      (select max(p::int) from document_mends m, jsonb_array_elements_text(m.replaced || m.made) p
        where m.tenant_id = ${tenantId} and m.document_id = ${documentId}), -1) as position`);
  return last!.position + 1;
}

/**
 * Returns a function that gives new texts places in the reading order: that of the texts that they replace, or after the
 * text before them on their page.
 */
export async function freePlaces(
  tx: Tx,
  row: DocumentRow,
  replaced: ReadonlyMap<string, SegmentRow>,
  { segments }: MendedTexts,
): Promise<(rows: readonly SegmentRow[], made: readonly string[]) => number[]> {
  const all = await tx
    .select({ id: documentSegments.regionId, place: inOrder(row) })
    .from(documentSegments)
    .where(ofDocument(row.tenantId, row.documentId));
  const places = new Map(all.flatMap(({ id, place }) => (replaced.has(id) ? [] : [[id, place]])));
  const between = (from: number, count: number, isFree: boolean): number[] => {
    const later = [...places.values()].filter((place) => place > from);
    const after = later.length > 0 ? Math.min(...later) : from + 1;
    return Array.from(
      { length: count },
      (_, at) => from + ((after - from) * (isFree ? at : at + 1)) / (count + 1),
    );
  };
  return (rows, made) => {
    let own: number[];
    if (rows.length > 0)
      own = between(Math.min(...rows.map(({ rank, position }) => rank ?? position)), made.length, true);
    else {
      const index = segments.findIndex(({ regionId }) => regionId === made[0]);
      const before = segments.slice(0, index).findLast(({ regionId }) => places.has(regionId));
      own = between(before ? places.get(before.regionId)! : -1, made.length, false);
    }
    for (const [at, id] of made.entries()) places.set(id, own[at]!);
    return own;
  };
}

/** Moves the comments on texts that are replaced to the first of those in their place. */
export async function moveComments(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  from: readonly number[],
  to: number,
) {
  const rows = await tx.execute<{ comment_id: string; position: number }>(sql`
    update review_comments c set position = ${to} from review_comments b
    where c.tenant_id = ${tenantId} and c.item_kind = 'document' and c.item_id = ${documentId}
      and c.position = any(array(select json_array_elements_text(${JSON.stringify(from)}::json)::int))
      and b.tenant_id = c.tenant_id and b.comment_id = c.comment_id
    returning c.comment_id, b.position`);
  return [...rows];
}
