import { type Matrix, multiply, type Rectangle } from '../geometry.ts';
import {
  type KeptReason,
  type Outline,
  type ShownGlyph,
  type ShownText,
  unknownText,
} from '../page-content.ts';
import { type Color, formatNumber } from './color.ts';
import { Coverage } from './coverage.ts';
import type { FontReader, ReadFont } from './fonts/font-reader.ts';
import { hasNoOutlines } from './fonts/text-font.ts';
import type { Interpretation, TextOperator } from './interpretation.ts';
import { type DecodedText, type PairedText, pairTexts } from './pairing.ts';
import type { PdfjsText } from './pdfjs-texts.ts';
import { keepHidden } from './visibility.ts';

/** A text with the data that is needed to remove some of its glyphs. */
export interface ReadText extends ShownText {
  operator: TextOperator;
  /** The number of bytes of each glyph's code. Empty if the text is unpaired. */
  codeLengths: Uint8Array;
  /** The advance of each glyph including its spacings, as a share of the font size. */
  advances: Float64Array;
  /** Whether the font draws nothing for the letters of the text. */
  isEmpty?: boolean;
}

/** The end of a text relative to the origin of its line matrix; undefined if the end is unknown. */
type Pen = readonly [x: number, y: number] | undefined;

const nothing = { codeLengths: new Uint8Array(), advances: new Float64Array() };

/**
 * Combines the two readings of a page. The position of each text comes from the operators that this service has read,
 * and the characters come from pdf.js.
 *
 * @param box the visible part of the page
 */
export function shownTexts(
  { texts, paints }: Interpretation,
  decoded: readonly PdfjsText[],
  box: Rectangle,
  fonts: FontReader,
): ReadText[] {
  const ends = new Map<TextOperator, Pen>();
  const shown = pairTexts(texts, decoded).map((pair) => {
    const { operator } = pair;
    const start: Pen = operator.after ? ends.get(operator.after) : [0, 0];
    const { text, end } = place(pair, start, fonts);
    ends.set(operator, end);
    return text;
  });
  readStated(shown);
  keepHidden(shown, paints, new Coverage(box, paints));
  return shown;
}

/** The maximum length of a stated text, in UTF-16 units, and its characters: none of a script with another direction. */
const maxStated = 200;
const readable = /^(?!ï»¿)(?:(?![\p{Script=Hebrew}\p{Script=Arabic}])[\p{L}\p{M}\p{N}\p{P}\p{S} ])+$/u;

/**
 * Reads the glyphs whose characters the font does not define from the text that the file states for them, such as an
 * accent over a letter. Other glyphs keep their characters, because stated texts may have a word of many glyphs.
 */
function readStated(texts: readonly ReadText[]): void {
  for (const [stated, own] of Map.groupBy(texts, ({ operator }) => operator.stated)) {
    if (!stated || stated.text.length > maxStated || !readable.test(stated.text)) continue;
    const glyphs = own.flatMap((text) => text.glyphs);
    const first = glyphs.findIndex(({ text }) => text === unknownText);
    if (first < 0) continue;
    const last = glyphs.findLastIndex(({ text }) => text === unknownText);
    // A syllable of Hangul is not divided into its letters.
    const form = /\p{Script=Hangul}/u.test(stated.text) ? 'NFC' : 'NFD';
    const textOf = (some: readonly ShownGlyph[]) =>
      some
        .map(({ text }) => text)
        .join('')
        .normalize(form);
    const [whole, before, after] = [
      stated.text.normalize(form),
      textOf(glyphs.slice(0, first)),
      textOf(glyphs.slice(last + 1)),
    ];
    if (!whole.startsWith(before) || !whole.slice(before.length).endsWith(after)) continue;
    const rest = whole.slice(before.length, whole.length - after.length);
    const letters = first === last ? [rest] : [...rest];
    if (letters.length !== last - first + 1) continue;
    for (const [index, letter] of letters.entries()) {
      const glyph = glyphs[first + index]!;
      if (glyph.text === unknownText) glyph.text = letter;
    }
  }
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
    color: `${operator.translucency} ${fillOf(operator, decoded?.text)}`.trim(),
    outline: outlineOf(operator, decoded?.text),
    optionalContent: operator.optionalContent,
    element: operator.element,
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
    : operator.stencil?.isPainted
      ? 'stencil'
      : null;
  const { codeLengths } = decoded;
  const drawn = {
    isEmpty: isEmpty(operator, decoded.text),
    matrix: textMatrix(operator, font, origin),
  };
  return { text: { ...base, ...drawn, codeLengths, advances, glyphs, kept }, end };
}

/** Whether the font of a text has no outlines, so that its letters are a picture, or shapes. */
function isEmpty({ font }: TextOperator, { glyphs }: PdfjsText): boolean {
  return glyphs.every((glyph) => typeof glyph === 'number' || glyph.isEmpty) && hasNoOutlines(font);
}

/**
 * Returns the positions of a text's glyphs. The lengths and `first` are in unscaled text space along the writing
 * direction; `x` and `advance` of a glyph are in em.
 */
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
      ...font.read(item),
      x: at === first || em === 0 ? 0 : (at - first) / em,
      advance: width / font.em,
    });
    advances[index] = fontSize === 0 ? 0 : step / fontSize;
    at += step;
  }
  return { glyphs, advances, first: first ?? 0, length: at };
}

/** Returns the matrix that maps a text's em space to user space. */
function textMatrix(operator: TextOperator, font: ReadFont, [x, y]: readonly [number, number]): Matrix {
  const em = operator.fontSize * font.em;
  const rise = operator.rise + em * font.up * (font.looks.rise ?? 0);
  const glyph: Matrix = [em * operator.scaling, 0, 0, em * font.up, x, y + rise];
  return multiply(multiply(glyph, operator.lineMatrix), operator.ctm);
}

/** The minimum width of a stroke that is visible at the edges of filled letters, in em. */
const visibleStroke = 0.015;

/**
 * Whether the letters are stroked, and whether they are filled. By the render mode, letters are filled (0, 4), stroked
 * (1, 5), or both (2, 6).
 */
const isStroked = ({ renderMode }: TextOperator): boolean => renderMode % 4 === 1 || renderMode % 4 === 2;
const isFilled = ({ renderMode }: TextOperator): boolean => renderMode % 4 !== 1;

/** Returns the width of a text's strokes, in em. */
function strokeWidth({ lineWidth, fontSize, lineMatrix }: TextOperator): number {
  const size = Math.abs(fontSize) * Math.hypot(lineMatrix[2], lineMatrix[3]);
  return size > 0 ? Math.round((1000 * Math.abs(lineWidth)) / size) / 1000 : 0;
}

/**
 * Whether strokes in the color of the fill make a text bold. Programs draw bold text like this if they have no bold
 * font.
 */
function isEmboldened(operator: TextOperator): boolean {
  const { fill, stroke } = operator;
  return (
    isStroked(operator) &&
    isFilled(operator) &&
    strokeWidth(operator) >= visibleStroke &&
    fill.isPortable &&
    stroke.isPortable &&
    fill.operators === stroke.operators
  );
}

/**
 * Returns the operators that set the color of a text. If the letters are not filled, this is the color of their
 * strokes.
 */
function fillOf(operator: TextOperator, text: PdfjsText | undefined): string {
  return isFilled(operator)
    ? colorOperators(operator.fill, text?.fill)
    : colorOperators(operator.stroke, text?.stroke);
}

function outlineOf(operator: TextOperator, text: PdfjsText | undefined): Outline | undefined {
  if (!isStroked(operator) || isEmboldened(operator)) return undefined;
  const width = strokeWidth(operator);
  if (isFilled(operator) && width < visibleStroke) return undefined;
  return { color: colorOperators(operator.stroke, text?.stroke), width, isFilled: isFilled(operator) };
}

/**
 * Returns the operators that set a color.
 *
 * @param hex the same color as pdf.js reports it; used if the operators are not portable
 */
function colorOperators(color: Color, hex: string | null | undefined): string {
  if (color.isPortable) return color.operators;
  if (!hex) return '';
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  return `${parts.map((part) => formatNumber(Math.round(part * 1000) / 1000)).join(' ')} rg`;
}
