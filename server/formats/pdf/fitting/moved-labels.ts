import type { PDFRef } from '@cantoo/pdf-lib';
import type { DocumentFonts } from '../../typesetting/document-fonts.ts';
import { type ShownLine, strokeColor } from '../../typesetting/line-writer.ts';
import {
  apply,
  intersection,
  type Matrix,
  multiply,
  type Rectangle,
  transformRectangle,
  union,
} from '../geometry.ts';
import { isSign, startsWithBox } from '../layout/item-signs.ts';
import type { Paint } from '../page-content.ts';
import { formatNumber } from '../reading/color.ts';
import type { ReadText } from '../reading/shown-texts.ts';
import {
  type BlockLabel,
  boxOfGlyphs,
  type GlyphRange,
  type MovedGlyphs,
  type TextBlock,
} from '../text-block.ts';
import type { Frame } from './fit.ts';
import type { TextRotation } from './frames.ts';
import type { FreeSpace } from './free-space.ts';

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

/** The position, size and width of moved glyphs. */
interface Place {
  /** The left end of the tag on its baseline, in the page's user space. */
  at: readonly [x: number, y: number];
  /** The size of the glyphs, as a factor of their size in the source. */
  scale: number;
  /** The width of the text, as a factor of its normal width. */
  stretch: number;
  /** Maps the space of the text to the page's user space. */
  matrix: Matrix;
}

/** Returns the operators that draw moved glyphs. They use the codes, the fonts and the colors of the source. */
export function drawMoved(
  { parts, bars = [] }: MovedGlyphs,
  { at, scale, stretch, matrix }: Place,
  fonts: DocumentFonts,
): ShownLine {
  const [a, b, c, d] = matrix;
  const used = new Map<string, PDFRef>();
  const operators = parts.map(({ glyphs: { text, from, to }, x, y }) => {
    const { operator, codeLengths, color, font } = text as ReadText;
    const rise = (font.rise ?? 0) * Math.hypot(text.matrix[2], text.matrix[3]);
    const { fontSize, scaling, lineMatrix, ctm, charSpacing, pieces, renderMode, lineWidth } = operator;
    const { name, ref } = fonts.sourceFont(operator.font);
    used.set(name, ref);
    const [along, slope, lean, up] = multiply(lineMatrix, ctm);
    const origin = apply([a, b, c, d, ...at], x * scale * stretch, (y - rise) * scale);
    const size = [along * scale * stretch, slope * scale * stretch, lean * scale, up * scale];
    const state = [
      `/${name} ${formatNumber(fontSize)} Tf`,
      `${formatNumber(100 * scaling)} Tz`,
      `${formatNumber(charSpacing)} Tc`,
      `${[...size, ...origin].map(formatNumber).join(' ')} Tm`,
    ];
    // The letters of a bold text may be bold only by their strokes. A clip has no meaning here.
    const width = formatNumber(lineWidth * Math.hypot(ctm[2], ctm[3]) * scale);
    state.push(`${strokeColor(text.outline?.color || color || '0 g')} ${width} w ${renderMode % 4} Tr`);
    const codes = codesOf(pieces, codeLengths, from, to).toString('hex');
    return `q BT ${color || '0 g'} ${state.join(' ')} <${codes}> Tj ET Q`;
  });
  const space = [a * scale * stretch, b * scale * stretch, c * scale, d * scale, ...at];
  const rules = bars.map(({ box: { left, right, bottom, top }, color }) => {
    const area = [left, bottom, right - left, top - bottom].map(formatNumber).join(' ');
    return `q ${color || '0 g'} ${space.map(formatNumber).join(' ')} cm ${area} re f Q`;
  });
  return { operators: [...operators, ...rules].join(' '), fonts: used };
}

function codesOf(
  pieces: readonly (Uint8Array | number)[],
  codeLengths: Uint8Array,
  from: number,
  to: number,
): Buffer {
  const bytes = Buffer.concat(pieces.filter((piece) => typeof piece !== 'number'));
  const lengthOf = (lengths: Uint8Array): number => lengths.reduce((sum, length) => sum + length, 0);
  const start = lengthOf(codeLengths.subarray(0, from));
  return bytes.subarray(start, start + lengthOf(codeLengths.subarray(from, to)));
}
