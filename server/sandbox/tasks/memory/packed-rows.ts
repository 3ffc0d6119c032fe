/**
 * Rows as PostgreSQL unpacks them fastest: fields with U+001F between them, rows with U+001E, null as nothing. No XML
 * document can hold either character, nor a number or Base64.
 */
export type Row = readonly (string | number | null)[];

/** A statement's worth of one table's rows, packed, in UTF-8. */
export interface RowPiece {
  kind: 'segments' | 'shards' | 'postings';
  rows: Uint8Array;
}

const fieldEnd = '\u001f';
const rowEnd = '\u001e';

/** Packs rows into pieces of about `pieceSize` UTF-16 units: as large as a statement is worth, as small as memory likes. */
export function* packRows(
  kind: RowPiece['kind'],
  rows: Iterable<Row>,
  pieceSize = 800_000,
): Generator<RowPiece, void> {
  let packed: string[] = [];
  let size = 0;
  for (const fields of rows) {
    const row = fields.map((field) => field ?? '').join(fieldEnd);
    packed.push(row);
    size += row.length;
    if (size < pieceSize) continue;
    yield { kind, rows: Buffer.from(packed.join(rowEnd) + rowEnd) };
    packed = [];
    size = 0;
  }
  if (packed.length > 0) yield { kind, rows: Buffer.from(packed.join(rowEnd) + rowEnd) };
}
