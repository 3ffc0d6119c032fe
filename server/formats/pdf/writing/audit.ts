import type { OpenPdf, ReadPage } from '../open-pdf.ts';
import type { Paint, PaintMoves } from '../page-content.ts';
import type { TextOperator } from '../reading/interpretation.ts';
import type { ReadText } from '../reading/shown-texts.ts';
import type { GlyphRange } from '../text-block.ts';
import { removedGlyphs, shapesOf } from './remove-text.ts';

/** The maximum difference between equal positions, in points of the page's user space. */
const tolerance = 0.01;

/**
 * Checks a page after `removeText`. The page must still have the same text operators. Each operator must show exactly
 * its glyphs that were not removed, with the same codes at the same positions. All painted objects except those of
 * `paints` must still be there, those of `moves` at their new positions. Text that was added after the page's
 * original text is allowed.
 *
 * @throws {Error} if anything differs
 */
export function auditRemoval(
  pdf: OpenPdf,
  page: ReadPage,
  ranges: readonly GlyphRange[],
  paints: readonly Paint[] = [],
  moves: PaintMoves = new Map(),
): void {
  const removed = removedGlyphs(ranges);
  const { texts, paints: left } = pdf.interpretPage(page.number);
  auditPaints(page, left, [...paints, ...shapesOf(ranges.map(({ text }) => text))], moves);
  const places = new Map<TextOperator, number>();
  /** The distance by which the end of each text has moved because of rounding, in unscaled text space. */
  const moved: number[] = [];
  for (const [index, text] of page.texts.entries()) {
    const before = text.operator;
    const after = texts[index];
    if (after === undefined || !isSameState(before, after)) throw difference(page, index);
    places.set(after, index);
    places.set(before, index);
    const previous = before.after && places.get(before.after);
    if (previous !== (after.after && places.get(after.after))) throw difference(page, index);
    const glyphs = removed.get(text);
    const start = previous === undefined ? 0 : moved[previous]!;
    const end =
      text.codeLengths.length > 0
        ? driftOf(text, after, glyphs, start)
        : isSame(before, after)
          ? start
          : Number.NaN;
    if (Number.isNaN(end)) throw difference(page, index);
    moved.push(end);
  }
}

/** Checks that a page has all of its painted objects except the removed ones, and those that moved at their new places. */
function auditPaints(
  { number, paints, texts }: ReadPage,
  left: readonly Paint[],
  removed: readonly Paint[],
  moves: PaintMoves,
): void {
  const moved = new Map([...moves].map(([{ place }, by]) => [`${place?.use} ${place?.start}`, by]));
  const places = new Set(removed.map(({ place }) => `${place?.use} ${place?.start}`));
  const all = [...paints, ...shapesOf(texts)].sort((one, other) => one.order - other.order);
  const kept = all.filter(({ place }) => !place || !places.has(`${place.use} ${place.start}`));
  const isSame = ({ kind, box, place }: Paint, index: number): boolean => {
    const other = left[index];
    const [x, y] = (place && moved.get(`${place.use} ${place.start}`)) ?? [0, 0];
    const off = x === 0 && y === 0 ? 0 : tolerance;
    return (
      other?.kind === kind &&
      Math.abs(other.box.left - box.left - x) <= off &&
      Math.abs(other.box.top - box.top - y) <= off
    );
  };
  if (kept.length !== left.length || !kept.every(isSame))
    throw new Error(`the lines under the text of page ${number} were not removed exactly`);
}

function difference({ number }: ReadPage, index: number): Error {
  return new Error(`the text of page ${number} was not removed exactly (operator ${index + 1})`);
}

function isSameState(before: TextOperator, after: TextOperator): boolean {
  return (
    before.font === after.font &&
    before.fontSize === after.fontSize &&
    before.charSpacing === after.charSpacing &&
    before.wordSpacing === after.wordSpacing &&
    before.scaling === after.scaling &&
    before.rise === after.rise &&
    before.renderMode === after.renderMode &&
    before.lineMatrix.every((value, index) => value === after.lineMatrix[index]) &&
    before.ctm.every((value, index) => value === after.ctm[index])
  );
}

function isSame(before: TextOperator, after: TextOperator): boolean {
  return (
    before.pieces.length === after.pieces.length &&
    before.pieces.every((piece, index) => {
      const other = after.pieces[index]!;
      return typeof piece === 'number' || typeof other === 'number'
        ? piece === other
        : Buffer.compare(piece, other) === 0;
    })
  );
}

/**
 * Returns the distance by which the end of a text has moved. Returns NaN if the text does not show exactly the kept
 * glyphs, or if their positions have changed.
 *
 * @param start the distance by which the start of the text has moved, in unscaled text space
 */
function driftOf(
  { codeLengths, advances, operator }: ReadText,
  after: TextOperator,
  removed: readonly boolean[] | undefined,
  start: number,
): number {
  const { fontSize, lineMatrix, ctm, scaling } = operator;
  const scale = Math.max(1, Math.abs(scaling)) * lengthening(lineMatrix) * lengthening(ctm);
  const most = tolerance / scale;
  const kept = keptGlyphs(operator, codeLengths, advances, removed);
  let at = 0;
  let next = 0;
  for (const piece of after.pieces) {
    if (typeof piece === 'number') {
      at -= piece / 1000;
      continue;
    }
    for (let byte = 0; byte < piece.length; next++) {
      const glyph = kept.glyphs[next];
      if (glyph === undefined) return Number.NaN;
      const end = byte + glyph.code.length;
      if (Buffer.compare(piece.subarray(byte, end), glyph.code) !== 0) return Number.NaN;
      if (!(Math.abs((at - glyph.at) * fontSize + start) <= most)) return Number.NaN;
      at += glyph.advance;
      byte = end;
    }
  }
  return next === kept.glyphs.length ? start + (at - kept.length) * fontSize : Number.NaN;
}

interface KeptGlyph {
  code: Uint8Array;
  at: number;
  advance: number;
}

/**
 * Returns the glyphs of a text that were not removed, and the length of the whole text. Lengths and positions are in
 * units of the font size.
 */
function keptGlyphs(
  { pieces }: TextOperator,
  codeLengths: Uint8Array,
  advances: Float64Array,
  removed: readonly boolean[] | undefined,
): { glyphs: KeptGlyph[]; length: number } {
  const glyphs: KeptGlyph[] = [];
  let at = 0;
  let index = 0;
  for (const piece of pieces) {
    if (typeof piece === 'number') {
      at -= piece / 1000;
      continue;
    }
    for (let byte = 0; byte < piece.length; index++) {
      const end = byte + codeLengths[index]!;
      const advance = advances[index]!;
      if (!removed?.[index]) glyphs.push({ code: piece.subarray(byte, end), at, advance });
      at += advance;
      byte = end;
    }
  }
  return { glyphs, length: at };
}

function lengthening([a, b, c, d]: readonly number[]): number {
  return Math.max(Math.hypot(a!, b!), Math.hypot(c!, d!));
}
