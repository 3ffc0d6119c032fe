import type { PlacedGlyph } from './shaping.ts';

/** The tables of a TrueType font file, by their tags. */
type Tables = Map<string, Uint8Array>;

/** Reads the tables of a font file. The returned tables are views of the file, not copies. */
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

/** Returns a TrueType font file that consists of the tables, in the order of their tags and with correct checksums. */
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

/** A glyph to append to a font. It consists of positioned glyphs of the font; if it has no parts, it draws nothing. */
interface Composite {
  parts: readonly PlacedGlyph[];
  /** The width of the glyph, in font units. */
  advance: number;
}

/** The tables that a PDF reader needs to draw a TrueType font by glyph ids (PDF 32000-1, 9.9). */
const drawingTables = ['glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp'];

const argumentsAreWords = 0x1;
const argumentsAreOffsets = 0x2;
const moreComponents = 0x20;

/**
 * Appends composite glyphs to a font, and removes all tables that are not needed to draw glyphs by id. The first
 * appended glyph gets the id `firstId`, and the others get the following ids.
 */
export function appendComposites(
  font: Uint8Array,
  composites: readonly Composite[],
): { font: Uint8Array; firstId: number } {
  const source = readTables(font);
  const maxp = source.get('maxp')!.slice();
  const firstId = viewOf(maxp).getUint16(4);
  const outlines = new Outlines(source);
  const appended = composites.map(({ parts }) => compositeGlyph(parts, outlines));

  const glyf = source.get('glyf')!;
  const loca = new Uint8Array(4 * (firstId + appended.length + 1));
  const offsets = viewOf(loca);
  for (let id = 0; id <= firstId; id++) offsets.setUint32(4 * id, outlines.offset(id));
  let end = outlines.offset(firstId);
  for (const [index, glyph] of appended.entries()) {
    end += glyph.length;
    offsets.setUint32(4 * (firstId + index + 1), end);
  }
  const allOutlines = new Uint8Array(end);
  allOutlines.set(glyf.subarray(0, outlines.offset(firstId)));
  let offset = outlines.offset(firstId);
  for (const glyph of appended) {
    allOutlines.set(glyph, offset);
    offset += glyph.length;
  }

  const head = source.get('head')!.slice();
  viewOf(head).setInt16(50, 1); // long offsets in loca
  const hhea = source.get('hhea')!.slice();
  const hmtx = longMetrics(source, firstId, composites, appended);
  viewOf(hhea).setUint16(34, firstId + composites.length);
  growLimits(maxp, firstId + composites.length, composites);

  const tables: Tables = new Map([
    ['glyf', allOutlines],
    ['head', head],
    ['hhea', hhea],
    ['hmtx', hmtx],
    ['loca', loca],
    ['maxp', maxp],
  ]);
  for (const tag of drawingTables) if (!tables.has(tag)) throw new Error(`The font has no ${tag} table`);
  return { font: writeTables(tables), firstId };
}

class Outlines {
  readonly #glyf: DataView;
  readonly #loca: DataView;
  readonly #long: boolean;

  constructor(tables: Tables) {
    this.#glyf = viewOf(tables.get('glyf')!);
    this.#loca = viewOf(tables.get('loca')!);
    this.#long = viewOf(tables.get('head')!).getInt16(50) === 1;
  }

  offset(id: number): number {
    return this.#long ? this.#loca.getUint32(4 * id) : 2 * this.#loca.getUint16(2 * id);
  }

  /** Returns the left, bottom, right and top of a glyph's box; undefined for a glyph without an outline. */
  box(id: number): [number, number, number, number] | undefined {
    const start = this.offset(id);
    if (this.offset(id + 1) === start) return undefined;
    const at = (index: number): number => this.#glyf.getInt16(start + 2 + 2 * index);
    return [at(0), at(1), at(2), at(3)];
  }
}

function compositeGlyph(parts: readonly PlacedGlyph[], outlines: Outlines): Uint8Array {
  const visible = parts.flatMap((part) => {
    const box = outlines.box(part.id);
    return box ? [{ ...part, box }] : [];
  });
  if (visible.length === 0) return new Uint8Array(0);
  const glyph = new Uint8Array((10 + 8 * visible.length + 3) & ~3);
  const view = viewOf(glyph);
  view.setInt16(0, -1);
  view.setInt16(2, Math.min(...visible.map(({ box, x }) => box[0] + x)));
  view.setInt16(4, Math.min(...visible.map(({ box, y }) => box[1] + y)));
  view.setInt16(6, Math.max(...visible.map(({ box, x }) => box[2] + x)));
  view.setInt16(8, Math.max(...visible.map(({ box, y }) => box[3] + y)));
  for (const [index, { id, x, y }] of visible.entries()) {
    const record = 10 + 8 * index;
    const more = index < visible.length - 1 ? moreComponents : 0;
    view.setUint16(record, argumentsAreWords | argumentsAreOffsets | more);
    view.setUint16(record + 2, id);
    view.setInt16(record + 4, x);
    view.setInt16(record + 6, y);
  }
  return glyph;
}

/** Returns an hmtx table with an advance and a left side bearing for each glyph, including the appended ones. */
function longMetrics(
  tables: Tables,
  firstId: number,
  composites: readonly Composite[],
  appended: readonly Uint8Array[],
): Uint8Array {
  const source = viewOf(tables.get('hmtx')!);
  const full = viewOf(tables.get('hhea')!).getUint16(34);
  const metrics = new Uint8Array(4 * (firstId + composites.length));
  const view = viewOf(metrics);
  for (let id = 0; id < firstId; id++) {
    const bearing = id < full ? 4 * id + 2 : 4 * full + 2 * (id - full);
    view.setUint16(4 * id, source.getUint16(4 * Math.min(id, full - 1)));
    view.setInt16(4 * id + 2, bearing < source.byteLength ? source.getInt16(bearing) : 0);
  }
  for (const [index, { advance }] of composites.entries()) {
    const glyph = appended[index]!;
    view.setUint16(4 * (firstId + index), Math.max(0, advance));
    view.setInt16(4 * (firstId + index) + 2, glyph.length > 0 ? viewOf(glyph).getInt16(2) : 0);
  }
  return metrics;
}

/** Increases the maximum values that the font declares, because PDF readers may allocate memory by these values. */
function growLimits(maxp: Uint8Array, glyphs: number, composites: readonly Composite[]): void {
  const view = viewOf(maxp);
  const most = composites.reduce((most, { parts }) => Math.max(most, parts.length), 0);
  const grown = (simple: number, composed: number): number =>
    Math.min(0xffff, Math.max(view.getUint16(simple), view.getUint16(composed)) * Math.max(1, most));
  view.setUint16(4, glyphs);
  view.setUint16(10, grown(6, 10));
  view.setUint16(12, grown(8, 12));
  view.setUint16(28, Math.max(view.getUint16(28), most));
  view.setUint16(30, view.getUint16(30) + 1);
}
