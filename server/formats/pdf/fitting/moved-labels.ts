import type { DocumentFonts } from '../../typesetting/document-fonts.ts';
import type { ShownLine } from '../../typesetting/line-writer.ts';
import { apply, intersection, type Rectangle, transformRectangle, union } from '../geometry.ts';
import { isSign, startsWithBox } from '../layout/item-signs.ts';
import type { Paint } from '../page-content.ts';
import { type BlockLabel, boxOfGlyphs, type GlyphRange, type TextBlock } from '../text-block.ts';
import type { Frame } from './fit.ts';
import type { TextRotation } from './frames.ts';
import type { FreeSpace } from './free-space.ts';
import { drawMoved } from './moved-glyphs.ts';

/**
 * Returns the bullets and numbers that move up and down with the items of their list, by block id. Boxes to check stay in
 * place, as do labels on a separate colored area.
 */
export function movableLabels(
  blocks: readonly TextBlock[],
  paints: readonly Paint[],
): Map<string, BlockLabel> {
  const fills = paints.filter(({ kind }) => kind === 'fill');
  return new Map(
    blocks.flatMap(({ id, label, matrix, box }) => {
      if (!label || startsWithBox(label.text) || !canMove(label)) return [];
      const text = transformRectangle(matrix, box);
      const isColored =
        !isSign(label.text) &&
        fills.some((fill) => !intersection(fill.box, text) && isOn(boxOfGlyphs(label.glyphs), fill.box));
      return isColored ? [] : [[id, label]];
    }),
  );
}

function isOn({ left, bottom, right, top }: Rectangle, other: Rectangle): boolean {
  const [x, y] = [(left + right) / 2, (bottom + top) / 2];
  return x > other.left && x < other.right && y > other.bottom && y < other.top;
}

/** Whether glyphs can be drawn at another place. Those of a scan have no font. */
export function canMove({ glyphs }: Pick<BlockLabel, 'glyphs'>): boolean {
  return glyphs.every(({ text }) => 'operator' in text);
}

/**
 * The minimum distance from a label that moves along its line to the object before it, and the maximum distance of its
 * left edge from its text, in em.
 */
const [beforeLabel, ofLabel] = [0.6, 3];

/**
 * Keeps a text next to its label, or leaves the space of a label free that moves with the start of its text. With a
 * bullet, the text is the item of a list. With a number it may also be the row of a form or a table, if something is at
 * its right side.
 */
export function besideLabel(
  frame: Frame,
  label: BlockLabel,
  space: FreeSpace,
  { fromPage }: TextRotation,
): Frame {
  const { bounds, box, id, singleLine, size } = frame;
  const isItem = isSign(label.text) || space.right(box, bounds.right, id) >= bounds.right;
  const area = transformRectangle(fromPage, boxOfGlyphs(label.glyphs));
  const labelLeft = area.left;
  if (labelMoves(frame, labelLeft)) {
    const free =
      frame.alignment === 'right'
        ? space.left(union(area, box), bounds.left, id) + beforeLabel * size
        : bounds.left;
    const left = Math.min(box.left, free + box.left - labelLeft);
    return { ...frame, isItem, labelLeft, bounds: { ...bounds, left } };
  }
  // A centered line stays next to its label.
  const alignment = frame.alignment === 'center' && singleLine ? 'left' : frame.alignment;
  return { ...frame, alignment, isItem, labelLeft, bounds: { ...bounds, left: box.left } };
}

/** Whether a label is at the start of a right-aligned line or of a centered text, and moves along with this start. */
export function labelMoves({ alignment, box, singleLine, size }: Frame, labelLeft: number): boolean {
  const distance = box.left - labelLeft;
  const isMovable = alignment === 'center' || (alignment === 'right' && singleLine);
  return isMovable && distance > 0 && distance < ofLabel * size;
}

/** Returns the operators that draw a label at another place: `along` its line, and above it by `rise`. */
export function drawLabel(
  { glyphs }: Pick<BlockLabel, 'glyphs'>,
  [along, rise]: readonly [along: number, rise: number],
  { fromPage, toPage }: TextRotation,
  fonts: DocumentFonts,
): ShownLine {
  const parts = visible(glyphs).map((range) => {
    const { text, from } = range;
    const [x, y] = apply(fromPage, ...apply(text.matrix, text.glyphs[from]!.x, 0));
    return { glyphs: range, x, y };
  });
  const place = { at: apply(toPage, along, rise), scale: 1, stretch: 1, matrix: toPage };
  return drawMoved({ parts, width: 0 }, place, fonts);
}

function visible(ranges: readonly GlyphRange[]): GlyphRange[] {
  return ranges.flatMap(({ text, from, to }) =>
    text.glyphs
      .slice(from, to)
      .flatMap((glyph, index) =>
        glyph.text.trim() === '' ? [] : [{ text, from: from + index, to: from + index + 1 }],
      ),
  );
}
