import {
  apply,
  intersection,
  type Matrix,
  multiply,
  type Rectangle,
  transformRectangle,
} from '../geometry.ts';
import type { KeptReason, ShownGlyph, ShownText } from '../page-content.ts';
import { formatNumber } from './colour.ts';
import { Coverage } from './coverage.ts';
import type { FontReader, ReadFont } from './font-reader.ts';
import type { Interpretation, TextOperator } from './interpretation.ts';
import { type DecodedText, type PairedText, pairTexts } from './pairing.ts';
import type { PdfjsText } from './pdfjs-texts.ts';

/** A text with what is needed to remove glyphs of it. */
export interface ReadText extends ShownText {
  operator: TextOperator;
  /** Bytes of each glyph's code. Empty if it is unpaired. */
  codeLengths: Uint8Array;
  /** The advance of each glyph with its spacings, in the unit of the font size. */
  advances: Float64Array;
}

/** Where a text ends, from the origin of its line matrix; undefined if that is not known. */
type Pen = readonly [x: number, y: number] | undefined;

const nothing = { codeLengths: new Uint8Array(), advances: new Float64Array() };

/**
 * Puts the two readings of a page together: where each text stands, by its operators, and what it says, by pdf.js.
 *
 * @param box the visible part of the page
 */
export function shownTexts(
  { texts, paints }: Interpretation,
  decoded: readonly PdfjsText[],
  box: Rectangle,
  fonts: FontReader,
): ReadText[] {
  const coverage = new Coverage(box, paints);
  const ends = new Map<TextOperator, Pen>();
  return pairTexts(texts, decoded).map((pair) => {
    const { operator } = pair;
    const start: Pen = operator.after ? ends.get(operator.after) : [0, 0];
    const { text, end } = place(pair, start, fonts);
    ends.set(operator, end);
    text.kept = hiddenReason(text, coverage) ?? text.kept;
    return text;
  });
}

function place(
  { operator, decoded }: PairedText,
  start: Pen,
  fonts: FontReader,
): { text: ReadText; end: Pen } {
  const font = fonts.read(operator.font, decoded?.text.font);
  const base = {
    place: operator.place,
    order: operator.order,
    font: isEmboldened(operator) ? { ...font.looks, bold: true } : font.looks,
    colour: `${operator.translucency} ${colourOf(operator, decoded?.text)}`.trim(),
    optionalContent: operator.optionalContent,
    operator,
  };
  if (decoded === undefined || start === undefined) {
    const matrix = textMatrix(operator, font, start ?? [0, 0]);
    return { text: { ...base, ...nothing, glyphs: [], matrix, kept: 'unpaired' }, end: undefined };
  }
  const { glyphs, advances, first, length } = placeGlyphs(operator, decoded, font);
  const origin: Pen = font.isVertical
    ? [start[0], start[1] + first]
    : [start[0] + first * operator.scaling, start[1]];
  const end: Pen = font.isVertical
    ? [start[0], start[1] + length]
    : [start[0] + length * operator.scaling, start[1]];
  const kept: KeptReason | null = font.isVertical
    ? 'vertical'
    : glyphs.some((glyph) => !isReadable(glyph.text))
      ? 'undecodable'
      : null;
  const { codeLengths } = decoded;
  return {
    text: { ...base, codeLengths, advances, glyphs, matrix: textMatrix(operator, font, origin), kept },
    end,
  };
}

/** Lengths are in unscaled text space along the writing direction, those of glyphs in em. */
function placeGlyphs(
  { fontSize, charSpacing, wordSpacing }: TextOperator,
  { text, codeLengths }: DecodedText,
  font: ReadFont,
): { glyphs: ShownGlyph[]; advances: Float64Array; first: number; length: number } {
  const em = fontSize * font.em;
  const glyphs: ShownGlyph[] = [];
  const advances = new Float64Array(codeLengths.length);
  let first: number | undefined;
  let at = 0;
  for (const item of text.glyphs) {
    if (typeof item === 'number') {
      at -= (item / 1000) * fontSize;
      continue;
    }
    first ??= at;
    const width = (font.isVertical ? (item.vmetric?.[0] ?? -1000) : item.width) * font.unit;
    const index = glyphs.length;
    const isSpace = item.isSpace && codeLengths[index] === 1;
    const step = width * fontSize + charSpacing + (isSpace ? wordSpacing : 0);
    glyphs.push({
      text: font.textOf(item),
      x: at === first || em === 0 ? 0 : (at - first) / em,
      advance: width / font.em,
    });
    advances[index] = fontSize === 0 ? 0 : step / fontSize;
    at += step;
  }
  return { glyphs, advances, first: first ?? 0, length: at };
}

/** From em space to user space. */
function textMatrix(operator: TextOperator, font: ReadFont, [x, y]: readonly [number, number]): Matrix {
  const em = operator.fontSize * font.em;
  const glyph: Matrix = [em * operator.scaling, 0, 0, em * font.up, x, y + operator.rise];
  return multiply(multiply(glyph, operator.lineMatrix), operator.ctm);
}

/** As a share of the font size: strokes as wide as this are seen at the letters' edges. */
const visibleStroke = 0.015;

/** Whether letters are filled and stroked so that the strokes show. */
function hasVisibleStrokes({ renderMode, lineWidth, fontSize, lineMatrix }: TextOperator): boolean {
  if (renderMode !== 2 && renderMode !== 6) return false;
  const size = Math.abs(fontSize) * Math.hypot(lineMatrix[2], lineMatrix[3]);
  return lineWidth >= visibleStroke * size;
}

/** Programs without a bold font stroke the letters, too, in the colour in which they fill them. */
function isEmboldened(operator: TextOperator): boolean {
  const { fill, stroke } = operator;
  return (
    hasVisibleStrokes(operator) && fill.isPortable && stroke.isPortable && fill.operators === stroke.operators
  );
}

/** Small letters have the colour of their strokes, if they have any; they are set again with one colour. */
function colourOf(operator: TextOperator, text: PdfjsText | undefined): string {
  const { renderMode, fill, stroke } = operator;
  const isStroked =
    renderMode === 1 || renderMode === 5 || (hasVisibleStrokes(operator) && !isEmboldened(operator));
  const colour = isStroked ? stroke : fill;
  if (colour.isPortable) return colour.operators;
  const hex = isStroked ? text?.stroke : text?.fill;
  if (!hex) return '';
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  return `${parts.map((part) => formatNumber(Math.round(part * 1000) / 1000)).join(' ')} rg`;
}

/** Private use, control characters and U+FFFD stand for nothing that could be translated. */
function isReadable(text: string): boolean {
  return text !== '' && !/[\p{Cc}\p{Co}\p{Cn}\p{Cs}\ufffd]/u.test(text);
}

/** Points of a text at most at which it is tested whether it is hidden. */
const mostPoints = 9;

function hiddenReason(text: ReadText, coverage: Coverage): KeptReason | undefined {
  const { operator, glyphs, matrix, order } = text;
  if (operator.isHidden || operator.renderMode === 3 || operator.renderMode === 7) return 'invisible';
  if (glyphs.length === 0) return undefined;
  const [a, b, c, d] = matrix;
  if (!(Math.abs(a * d - b * c) > 1e-6)) return 'invisible';
  const { clip } = operator;
  const last = glyphs.at(-1)!;
  const box = transformRectangle(matrix, { left: 0, bottom: 0, right: last.x + last.advance, top: 0.5 });
  if (clip === null || intersection(clip, grown(box)) === undefined) return 'clipped';
  const points: [number, number][] = [];
  const step = Math.max(1, Math.ceil(glyphs.length / mostPoints));
  for (let index = 0; index < glyphs.length; index += step) {
    const glyph = glyphs[index]!;
    const [x, y] = apply(matrix, glyph.x + glyph.advance / 2, 0.25);
    if (x >= clip.left && x <= clip.right && y >= clip.bottom && y <= clip.top) points.push([x, y]);
  }
  if (points.length === 0) return 'clipped';
  return points.every(([x, y]) => coverage.covers(x, y, order)) ? 'covered' : undefined;
}

function grown({ left, bottom, right, top }: Rectangle): Rectangle {
  return { left: left - 0.01, bottom: bottom - 0.01, right: right + 0.01, top: top + 0.01 };
}
