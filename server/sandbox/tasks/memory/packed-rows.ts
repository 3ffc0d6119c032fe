/**
 * Rows as PostgreSQL unpacks them fastest: fields with U+001F between them, rows with U+001E, null as nothing. No XML
 * document can hold either character, nor a number or Base64. Each part of the rows is a statement's parameter.
 */
export interface PackedRows {
  bytes: Uint8Array;
  /** Where each part ends, behind the end of its last row. */
  ends: number[];
}

export interface RowPacker {
  add(...fields: (string | number | null)[]): void;
  finish(): PackedRows;
}

export const fieldEnd = '\u001f';
export const rowEnd = '\u001e';

/** Collects rows into parts of about `partSize` UTF-16 units: as large as a statement is worth, as small as memory likes. */
export function createRowPacker(partSize = 1_000_000): RowPacker {
  const pieces: Buffer[] = [];
  const ends: number[] = [];
  let rows: string[] = [];
  let size = 0;
  let total = 0;
  const close = () => {
    if (rows.length === 0) return;
    const piece = Buffer.from(rows.join(rowEnd) + rowEnd);
    pieces.push(piece);
    total += piece.length;
    ends.push(total);
    rows = [];
    size = 0;
  };
  return {
    add(...fields) {
      const row = fields.map((field) => field ?? '').join(fieldEnd);
      rows.push(row);
      size += row.length;
      if (size >= partSize) close();
    },
    finish() {
      close();
      return { bytes: Buffer.concat(pieces), ends };
    },
  };
}
