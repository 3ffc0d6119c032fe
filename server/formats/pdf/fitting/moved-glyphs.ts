import type { PDFRef } from '@cantoo/pdf-lib';
import type { DocumentFonts } from '../../typesetting/document-fonts.ts';
import type { ShownLine } from '../../typesetting/line-writer.ts';
import { apply, type Matrix, multiply } from '../geometry.ts';
import { formatNumber } from '../reading/color.ts';
import type { ReadText } from '../reading/shown-texts.ts';
import type { GlyphRange, MovedGlyphs } from '../text-block.ts';

/**
 * Returns the operators that draw moved glyphs. They use the codes, the fonts and the colors of the source.
 *
 * @param at the place of the tag: its left end on the baseline, in the page's user space
 * @param scale the size of the glyphs, as a factor of their size in the source
 * @param matrix maps the space of the text to the page's user space
 */
export function drawMoved(
  { parts }: MovedGlyphs,
  { at, scale, matrix, fonts }: { at: Point; scale: number; matrix: Matrix; fonts: DocumentFonts },
): ShownLine {
  const [a, b, c, d] = matrix;
  const used = new Map<string, PDFRef>();
  const operators = parts.map(({ glyphs, x, y }) => {
    const { name, ref } = fonts.sourceFont((glyphs.text as ReadText).operator.font);
    used.set(name, ref);
    return drawGlyphs(glyphs, name, scale, apply([a, b, c, d, ...at], x * scale, y * scale));
  });
  return { operators: operators.join(' '), fonts: used };
}

type Point = [x: number, y: number];

/** Returns the operators that draw some glyphs of a text at another place of the page, at `scale` times their size. */
function drawGlyphs({ text, from, to }: GlyphRange, font: string, scale: number, at: Point): string {
  const { operator, codeLengths, color } = text as ReadText;
  const { fontSize, scaling, lineMatrix, ctm, charSpacing } = operator;
  const directions = multiply(lineMatrix, ctm).slice(0, 4);
  const matrix = [...directions.map((value) => value * scale), ...at].map(formatNumber).join(' ');
  const state = `/${font} ${formatNumber(fontSize)} Tf ${formatNumber(100 * scaling)} Tz ${formatNumber(charSpacing)} Tc`;
  const codes = codesOf(operator.pieces, codeLengths, from, to).toString('hex');
  return `q BT ${color || '0 g'} ${state} ${matrix} Tm <${codes}> Tj ET Q`;
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
