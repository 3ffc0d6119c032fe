import type { PageRectangle } from '../../document.ts';
import type { RecognizedLine, RecognizedPage, RecognizedWord, Rgb } from '../../ocr/tesseract.ts';
import { latinFont } from '../../typesetting/font-style.ts';
import { advanceIn } from '../../typesetting/fonts.ts';
import type { Rectangle } from '../geometry.ts';
import type { PageContent, ShownGlyph, ShownText, TextFont } from '../page-content.ts';
import type { GlyphRange } from '../text-block.ts';

const families = ['sans', 'serif', 'mono'] as const;
/** The minimum number of letters of a word that is measured, and of words that are enough to decide. */
const minLetters = 4;
const minWords = 12;

/**
 * Returns the family of fonts whose letters have the widths of a page's letters: the ratio of the width of a word to its
 * width in the font is then almost the same for all words.
 */
function familyOf(lines: readonly RecognizedLine[]): TextFont['family'] {
  const ratios = { sans: [] as number[], serif: [] as number[], mono: [] as number[] };
  for (const { words, size, bold } of lines)
    for (const { text, box } of words) {
      if (!/^[A-Za-z]+$/.test(text) || text.length < minLetters) continue;
      for (const family of families) {
        const name = latinFont({ family, bold, italic: false });
        const width = [...text].reduce((sum, letter) => sum + (advanceIn(name, letter) ?? 0.5), 0);
        ratios[family].push(Math.log((box[2] - box[0]) / (width * size)));
      }
    }
  if (ratios.sans.length < minWords) return 'sans';
  const spread = (values: readonly number[]): number => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  };
  return families.reduce((best, family) => (spread(ratios[family]) < spread(ratios[best]) ? family : best));
}

/** A piece of a recognized line: words without a large gap between them. */
export interface RecognizedText extends ShownText {
  words: readonly RecognizedWord[];
  /** The word that contains each glyph; undefined for a space. */
  wordOf: (RecognizedWord | undefined)[];
  ground: Rgb;
}

/** A recognized page in the form in which other pages are read, in the space of the straightened page. */
export interface RecognizedContent extends PageContent {
  texts: RecognizedText[];
  /** A pattern has no texts. */
  indirectTexts: 0;
}

/** The minimum gap between words of different pieces, in em. */
const widestSpace = 1.2;
/** Characters that are written without spaces. */
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
/** Tesseract reads most syllables of Korean as words. The minimum gap that counts as a space between them, in em. */
const hangul = /\p{Script=Hangul}/u;
const hangulSpace = 0.28;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** The minimum width of a word, in points. */
const minWidth = 0.1;

/** The share of the font size above and below the baseline. */
const ascent = 0.9;
const descent = 0.22;

/** Letters whose color is darker than this in red, green and blue are black: scanned letters are never quite black. */
const darkest = 110;

/** Returns the content of a recognized page. */
export function recognizedContent({ page, width, height, lines, marks }: RecognizedPage): RecognizedContent {
  const family = familyOf(lines);
  const [regular, bold] = [false, true].map(
    (isBold): TextFont => ({ name: '', family, bold: isBold, italic: false, ascent, descent }),
  );
  let order = 0;
  const paints = marks.map((mark) => ({
    kind: 'image' as const,
    box: rectangleOf(mark),
    order: order++,
    opaque: false,
  }));
  const texts = lines.flatMap((line) =>
    piecesOf(line).map((words) => toText(words, line, line.bold ? bold! : regular!, order++)),
  );
  return {
    number: page,
    box: { left: 0, bottom: 0, right: width, top: height },
    rotation: 0,
    texts,
    paints,
    annotations: [],
    indirectTexts: 0,
  };
}

function piecesOf({ words, size }: RecognizedLine): RecognizedWord[][] {
  const pieces: RecognizedWord[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const word of inOrder(words)) {
    if (word.box[0] - end < widestSpace * size) pieces.at(-1)!.push(word);
    else pieces.push([word]);
    end = word.box[2];
  }
  return pieces;
}

/**
 * Returns the words of a line from the left, with boxes that do not overlap. Tesseract estimates the boxes of Chinese and
 * Japanese words, so their order is more reliable than their positions.
 */
function inOrder(words: readonly RecognizedWord[]): RecognizedWord[] {
  if (words.some(({ text }) => rightToLeft.test(text)))
    return [...words].sort((one, other) => one.box[0] - other.box[0]);
  let end = Number.NEGATIVE_INFINITY;
  return words.map((word, index) => {
    const limit = words.slice(index + 1).reduce((least, { box }) => Math.min(least, box[2]), word.box[2]);
    const left = Math.max(word.box[0], end);
    const right = Math.max(left + minWidth, Math.min(word.box[2], Math.max(limit, left)));
    end = right;
    return { ...word, box: [left, word.box[1], right, word.box[3]] };
  });
}

function toText(
  words: readonly RecognizedWord[],
  { baseline, size, ground, ink }: RecognizedLine,
  font: TextFont,
  order: number,
): RecognizedText {
  const start = words[0]!.box[0];
  const glyphs: ShownGlyph[] = [];
  const wordOf: RecognizedText['wordOf'] = [];
  const add = (text: string, left: number, right: number, word?: RecognizedWord): void => {
    glyphs.push({ text, x: (left - start) / size, advance: (right - left) / size });
    wordOf.push(word);
  };
  for (const [index, word] of words.entries()) {
    const [left, , right] = word.box;
    const before = words[index - 1];
    if (before && hasSpace(before, word, size)) add(' ', before.box[2], left);
    // Without a gap, no space is found between the glyphs.
    else if (before) glyphs.at(-1)!.advance = (left - start) / size - glyphs.at(-1)!.x;
    const characters = [...word.text];
    // The characters of a right-to-left word are in logical order, and glyphs are listed from the left.
    if (rightToLeft.test(word.text)) characters.reverse();
    const step = (right - left) / characters.length;
    for (const [at, character] of characters.entries())
      add(character, left + at * step, left + (at + 1) * step, word);
  }
  return {
    place: { use: 0, start: 0, end: 0 },
    order,
    glyphs,
    font,
    matrix: [size, 0, 0, size, start, baseline],
    color: ink.every((value) => value < darkest) ? '' : `${operands(ink)} rg`,
    optionalContent: [],
    kept: null,
    words,
    wordOf,
    ground,
  };
}

function hasSpace(before: RecognizedWord, after: RecognizedWord, size: number): boolean {
  const ends = [[...before.text].at(-1)!, [...after.text][0]!];
  if (ends.some((character) => hangul.test(character)))
    return after.box[0] - before.box[2] > hangulSpace * size;
  return !ends.some((character) => dense.test(character));
}

/** Returns the words of a block, in reading order. */
export function wordsOf(glyphs: readonly GlyphRange[]): RecognizedWord[] {
  const words = new Set<RecognizedWord>();
  for (const { text, from, to } of glyphs)
    for (const word of (text as RecognizedText).wordOf.slice(from, to)) if (word) words.add(word);
  return [...words];
}

/** The margin around the words of a line that is painted over, in em of the font, and in points. */
const above = 0.78;
const below = 0.24;
const margin = 0.6;

/** Returns the operators that paint over words with the color of the paper, in the space of the straightened page. */
export function paintOver(glyphs: readonly GlyphRange[]): string {
  return glyphs
    .map(({ text, from, to }) => {
      const { matrix, ground, wordOf } = text as RecognizedText;
      const [size, , , , , baseline] = matrix;
      const boxes = wordOf.slice(from, to).flatMap((word) => (word ? [rectangleOf(word.box)] : []));
      if (boxes.length === 0) return '';
      const left = Math.min(...boxes.map(({ left }) => left)) - margin;
      const right = Math.max(...boxes.map(({ right }) => right)) + margin;
      const bottom = Math.min(baseline - below * size, ...boxes.map(({ bottom }) => bottom - margin));
      const top = Math.max(baseline + above * size, ...boxes.map(({ top }) => top + margin));
      const area = [left, bottom, right - left, top - bottom].map((value) => value.toFixed(2)).join(' ');
      return `${operands(ground)} rg ${area} re f`;
    })
    .filter(Boolean)
    .join('\n');
}

function operands(color: Rgb): string {
  return color.map((value) => (value / 255).toFixed(3)).join(' ');
}

function rectangleOf([left, bottom, right, top]: PageRectangle): Rectangle {
  return { left, bottom, right, top };
}
