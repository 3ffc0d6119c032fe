import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentMends, documentSegments } from '#db/schema/documents.ts';
import { type DocumentRow, isApproved } from '#server/documents/jobs.ts';
import { isAtOneOf, ofDocument, readingOrder } from '#server/documents/segments.ts';
import { AppError } from '#server/errors.ts';
import { countShown, type Mend, type PageRectangle } from '#server/formats/document.ts';
import type { MendInput, Requested } from './schema.ts';

/* The texts that a mend names: those of the document, and those that its file has. */

export type SegmentRow = typeof documentSegments.$inferSelect;

export function requirePages(row: DocumentRow): void {
  if (row.sourceFormat !== 'pdf')
    throw new AppError(
      'validation_error',
      `texts of a ${row.sourceFormat} file cannot be joined or divided; only those of a PDF can`,
    );
}

export function requireMendable(row: DocumentRow): void {
  requirePages(row);
  if (isApproved(row))
    throw new AppError(
      'conflict',
      `document job ${row.documentId} is approved; reopen it before you mend its texts`,
    );
}

export function isSame(row: DocumentRow, requested: MendInput['mend']) {
  return and(
    eq(documentMends.tenantId, row.tenantId),
    eq(documentMends.documentId, row.documentId),
    isNull(documentMends.undoneAt),
    sql`${documentMends.mend} -> 'requested' = ${JSON.stringify(requested)}::jsonb`,
  );
}

export const inOrder = (row: DocumentRow) => readingOrder({ mends: Math.max(1, row.mends) });

/** Returns the texts of a request in the reading order. @throws AppError 409 if one of them is not there */
export async function selectNamed(tx: Tx, row: DocumentRow, ids: readonly string[]): Promise<SegmentRow[]> {
  const rows = await tx
    .select()
    .from(documentSegments)
    .where(and(ofDocument(row.tenantId, row.documentId), inArray(documentSegments.regionId, [...ids])))
    .orderBy(inOrder(row));
  const missing = ids.find((id) => !rows.some(({ regionId }) => regionId === id));
  if (missing !== undefined) throw await missingText(tx, row, missing);
  return rows;
}

/** Returns the error for a text that is not there: it was mended before, or never existed. */
async function missingText(tx: Tx, { tenantId, documentId }: DocumentRow, id: string): Promise<AppError> {
  const [mend] = await tx.execute<{ requested: Requested; actor: string | null; at: Date }>(sql`
    select m.mend -> 'requested' as requested, e.actor, m.created_at as at from document_mends m
    left join segment_events e on e.tenant_id = m.tenant_id and e.document_id = m.document_id and e.change_id = m.mend_id
    where m.tenant_id = ${tenantId} and m.document_id = ${documentId}
      and m.rows @> ${JSON.stringify([{ region_id: id }])}::jsonb
    order by m.number desc limit 1`);
  if (!mend)
    return new AppError('invalid_fields', [
      { loc: ['body', 'mend'], msg: `the document has no text ${id}`, type: 'unknown_segment' },
    ]);
  const acts = {
    join: 'joined',
    split: 'divided',
    keep: 'kept',
    translate: 'translated',
    order: 'moved',
    space: 'placed',
    size: 'sized',
  };
  const by = mend.actor === null ? '' : ` by ${mend.actor}`;
  return new AppError(
    'conflict',
    `the text ${id} was ${acts[mend.requested.action]}${by}; nothing was changed`,
  );
}

/** A mend as the format makes it, with the texts that it replaces. */
export interface Part {
  mend: Mend;
  rows: SegmentRow[];
}

export type StructuralMend = Extract<Requested, { action: 'join' | 'split' | 'translate' }>;

/** A mend of the place or the size of a translation. */
export type PlacingMend = Extract<Requested, { action: 'space' | 'size' }>;

export function placingOf(requested: PlacingMend): Mend {
  const { region_id: id } = requested;
  return requested.action === 'space'
    ? { kind: 'space', id, rectangle: requested.rectangle as PageRectangle }
    : { kind: 'size', id, like: requested.like };
}

/** Returns the mends of a request as the format makes them, and the texts that they replace. */
export async function resolve(tx: Tx, row: DocumentRow, requested: StructuralMend): Promise<Part[]> {
  if (requested.action === 'translate')
    return requested.region_ids.map((id) => ({ mend: { kind: 'translate', id }, rows: [] }));
  const rows = await selectNamed(
    tx,
    row,
    requested.action === 'join' ? requested.region_ids : [requested.region_id],
  );
  if (requested.action === 'join') {
    await requireNeighbors(tx, row, rows);
    return [{ mend: { kind: 'join', ids: rows.map(({ regionId }) => regionId) }, rows }];
  }
  const [{ sourceText, regionId }] = rows as [SegmentRow];
  const at = requested.at.map((offset) => countShown(sourceText.slice(0, offset)));
  const end = countShown(sourceText);
  const isOrdered = at.every((count, index) => count > (at[index - 1] ?? 0) && count < end);
  const isDivided = regionId.includes('_');
  if (!isOrdered || isDivided !== (at.length === 0))
    throw new AppError('invalid_fields', [
      {
        loc: ['body', 'mend', 'at'],
        msg: isDivided
          ? 'a text that continues elsewhere is divided there first: send no offsets'
          : 'send offsets within the text, in ascending order, with characters between them',
        type: 'invalid_offset',
      },
    ]);
  return [{ mend: { kind: 'split', id: regionId, at }, rows }];
}

/** @throws AppError 400 if another text is between these texts in the reading order */
async function requireNeighbors(tx: Tx, row: DocumentRow, rows: readonly SegmentRow[]): Promise<void> {
  const places = rows.map(({ rank, position }) => rank ?? position);
  const [between] = await tx
    .select({ id: documentSegments.regionId })
    .from(documentSegments)
    .where(
      sql`${ofDocument(row.tenantId, row.documentId)} and not ${isAtOneOf(rows.map(({ position }) => position))}
        and ${inOrder(row)} > ${Math.min(...places)} and ${inOrder(row)} < ${Math.max(...places)}
        and ${documentSegments.kind} not in ('header', 'footer')`,
    )
    .limit(1);
  if (between)
    throw new AppError(
      'validation_error',
      `mend: the text ${between.id} is between these texts; name all neighbors, or change the reading order first`,
    );
}
