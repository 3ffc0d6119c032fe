import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentMends, documentSegments } from '#db/schema/documents.ts';
import type { DocumentRow } from '#server/documents/jobs.ts';
import { takeRows } from '#server/documents/mends.ts';
import { ofDocument } from '#server/documents/segments.ts';
import { AppError } from '#server/errors.ts';
import type { Author } from '../../author.ts';
import { changeSegments } from '../segment-changes.ts';
import { viewSegments } from '../segment-schema.ts';
import { countMend, moveComments, recordEvents } from './rows.ts';
import { requireMendable } from './texts.ts';

/* Mends are undone and made again: the texts of both sides change places. */

type MendRow = typeof documentMends.$inferSelect;

export async function selectMend(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  mendId: string,
): Promise<MendRow | undefined> {
  const { tenantId: tenant, documentId: document, mendId: id } = documentMends;
  const [mend] = await tx
    .select()
    .from(documentMends)
    .where(and(eq(tenant, tenantId), eq(document, documentId), eq(id, mendId)));
  return mend;
}

/**
 * Undoes a mend of a document that the caller has locked, or makes it again: its texts change places with those that they
 * replaced, which have their translations and confirmations again. If it is already undone or redone, nothing happens.
 * @throws AppError 409 conflict if the document is approved, or one of the texts was changed later
 */
export async function restoreMend(
  tx: Tx,
  row: DocumentRow,
  author: Author,
  mend: MendRow,
  direction: 'undone' | 'redone',
) {
  const { tenantId, documentId } = row;
  const { mendId } = mend;
  const isUndo = direction === 'undone';
  const [removed, positions] = isUndo ? [mend.made, mend.replaced] : [mend.replaced, mend.made];
  const { moved } = mend.mend;
  const result = async (updatedAt: string) => ({
    change_id: mendId,
    positions: moved ? [moved.position] : positions,
    removed,
    ...(await viewSegments(tx, row, moved ? [moved.position] : positions, updatedAt)),
  });
  if ((mend.undoneAt !== null) === isUndo) return result(row.updatedAt.toISOString());
  requireMendable(row);
  const changed = await tx.execute(sql`
    select from json_array_elements_text(${JSON.stringify(removed)}::json) p
    left join document_segments s
      on s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = p.value::int
    where s.position is null or exists (
      select from segment_events e
      where e.tenant_id = ${tenantId} and e.document_id = ${documentId} and e.position = s.position
        and e.undone_at is null and e.kind not in ('undone', 'redone', 'mended')
        and e.created_at > ${(mend.undoneAt ?? mend.createdAt).toISOString()}::timestamptz)`);
  if (changed.length > 0)
    throw new AppError('conflict', `texts have changed since they were mended; nothing was ${direction}`);
  const updatedAt = await changeSegments(
    tx,
    row,
    { positions: [...removed, ...positions], edits: 1 },
    async () => {
      if (moved)
        await tx
          .update(documentSegments)
          .set({ rank: isUndo ? moved.from : moved.to })
          .where(and(ofDocument(tenantId, documentId), eq(documentSegments.position, moved.position)));
      const rows = await takeRows(tx, row, removed);
      await tx.execute(sql`insert into document_segments
      select * from jsonb_populate_recordset(null::document_segments, ${JSON.stringify(mend.rows)}::jsonb)`);
      const { groups = [] } = mend.mend;
      const comments = isUndo ? mend.comments : [];
      for (const [index, { from, to }] of groups.entries()) {
        const end = groups[index + 1]?.to ?? Number.POSITIVE_INFINITY;
        const own = mend.made.filter((position) => position >= to && position < end);
        if (!isUndo) comments.push(...(await moveComments(tx, row, from, to)));
        else if (from[0] !== undefined) await moveComments(tx, row, own, from[0]);
      }
      if (isUndo) await moveCommentsBack(tx, row, mend);
      await tx
        .update(documentMends)
        .set({ rows, comments, number: row.mends, undoneAt: isUndo ? sql`clock_timestamp()` : null })
        .where(and(eq(documentMends.tenantId, tenantId), eq(documentMends.mendId, mendId)));
      await recordEvents(tx, row, author, { mendId, kind: direction, positions });
      const translated = (some: unknown[]) =>
        some.filter((one) => (one as { target: unknown }).target !== null).length;
      await countMend(tx, row, translated(rows) - translated(mend.rows), positions.length - removed.length);
    },
  );
  return result(updatedAt);
}

/** Moves comments back to the texts that a mend had replaced. */
async function moveCommentsBack(tx: Tx, row: DocumentRow, { comments }: MendRow): Promise<void> {
  await tx.execute(sql`
    update review_comments c set position = r.position
    from json_to_recordset(${JSON.stringify(comments)}::json) as r(comment_id text, position int)
    where c.tenant_id = ${row.tenantId} and c.comment_id = r.comment_id`);
}
