/** The tables of a TrueType font file by tag. */
export type Tables = Map<string, Uint8Array>;

/** Reads a font's table directory; the tables are views, not copies. */
export function readTables(font: Uint8Array): Tables {
  const view = viewOf(font);
  const tables: Tables = new Map();
  for (let index = 0; index < view.getUint16(4); index++) {
    const record = 12 + 16 * index;
    const tag = String.fromCharCode(...font.subarray(record, record + 4));
    const offset = view.getUint32(record + 8);
    tables.set(tag, font.subarray(offset, offset + view.getUint32(record + 12)));
  }
  return tables;
}

/** A TrueType font file of the tables, in the order of their tags, with right checksums. */
export function writeTables(tables: Tables): Uint8Array {
  const sorted = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  const total = sorted.reduce((sum, [, table]) => sum + padded(table.length), 12 + 16 * sorted.length);
  const font = new Uint8Array(total);
  const view = viewOf(font);
  const power = Math.floor(Math.log2(sorted.length));
  view.setUint32(0, 0x00010000);
  view.setUint16(4, sorted.length);
  view.setUint16(6, 16 * 2 ** power);
  view.setUint16(8, power);
  view.setUint16(10, 16 * (sorted.length - 2 ** power));
  let offset = 12 + 16 * sorted.length;
  let head = 0;
  for (const [index, [tag, table]] of sorted.entries()) {
    font.set(table, offset);
    if (tag === 'head') {
      head = offset;
      view.setUint32(head + 8, 0);
    }
    const record = 12 + 16 * index;
    for (let letter = 0; letter < 4; letter++) font[record + letter] = tag.charCodeAt(letter);
    view.setUint32(record + 4, checksum(view, offset, offset + padded(table.length)));
    view.setUint32(record + 8, offset);
    view.setUint32(record + 12, table.length);
    offset += padded(table.length);
  }
  if (head) view.setUint32(head + 8, (0xb1b0afba - checksum(view, 0, total)) >>> 0);
  return font;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function padded(length: number): number {
  return (length + 3) & ~3;
}

function checksum(view: DataView, start: number, end: number): number {
  let sum = 0;
  for (let offset = start; offset < end; offset += 4) sum = (sum + view.getUint32(offset)) >>> 0;
  return sum;
}
