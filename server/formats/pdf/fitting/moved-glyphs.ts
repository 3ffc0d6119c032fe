import type { PDFRef } from '@cantoo/pdf-lib';
import type { DocumentFonts } from '../../typesetting/document-fonts.ts';
import { type ShownLine, strokeColor } from '../../typesetting/line-writer.ts';
import { apply, type Matrix, multiply } from '../geometry.ts';
import { formatNumber } from '../reading/color.ts';
import type { ReadText } from '../reading/shown-texts.ts';
import type { MovedGlyphs } from '../text-block.ts';

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
