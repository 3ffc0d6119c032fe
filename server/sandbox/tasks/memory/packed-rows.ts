/** Rows as JSON arrays one behind the other: each part is a statement's parameter. */
export interface PackedRows {
  bytes: Uint8Array;
  /** Where each part ends. */
  ends: number[];
}

export interface RowPacker {
  add(row: string): void;
  finish(): PackedRows;
}

/** Collects rows into parts of about `partBytes` bytes: as large as a statement is worth, as small as memory likes. */
export function createRowPacker(partBytes = 1_000_000): RowPacker {
  const pieces: Buffer[] = [];
  const ends: number[] = [];
  let rows: string[] = [];
  let size = 0;
  let total = 0;
  const close = () => {
    if (rows.length === 0) return;
    const piece = Buffer.from(`[${rows.join(',')}]`);
    pieces.push(piece);
    total += piece.length;
    ends.push(total);
    rows = [];
    size = 0;
  };
  return {
    add(row) {
      rows.push(row);
      size += row.length;
      if (size >= partBytes) close();
    },
    finish() {
      close();
      return { bytes: Buffer.concat(pieces), ends };
    },
  };
}
