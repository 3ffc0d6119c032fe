import { outlineKey } from '../../page-content.ts';
import type { TextStyle } from '../../text-block.ts';
import { functionName, isFormulaGlyph } from '../content/formula-glyphs.ts';
import type { Line } from '../rows/lines.ts';
import { type Character, type LineText, readLine } from './line-text.ts';

/** A line with its text, and with the properties that are used to find paragraphs. */
export interface TextLine extends Line, LineText {
  /** The style of most characters of the line. */
  style: TextStyle;
  /** Whether almost all characters look the same, apart from size and rise. */
  isUniform: boolean;
  /** The styles of the first and the last visible character. */
  edgeStyles: { first: TextStyle; last: TextStyle };
  hasLetters: boolean;
  /** Whether the line consists of dots or underscores that only fill the space before the next text. */
  isLeader: boolean;
  /** Whether the line is in a fixed-width font. */
  isMono: boolean;
  /** Whether the line is a formula without words. */
  isFormula: boolean;
  /** The width of the line's first word, in points. */
  firstWordWidth: number;
}

/**
 * The minimum number of different characters from which a fixed width is detected. In other fonts, this many characters
 * have different widths.
 */
const minWidths = 6;
const letter = /\p{L}/u;
const leader = /^[\s._·․…‥~]+$/u;
/** Scripts that are written without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export function toTextLine(line: Line): TextLine {
  const read = readLine(line);
  const { style, share } = usualStyle(read);
  const shown = withoutFormulas(read.characters.filter(({ glyph, text }) => glyph && text.trim() !== ''));
  const styleAt = (index: number) => shown.at(index)?.glyph?.piece.style ?? style;
  return {
    ...line,
    ...read,
    style,
    isUniform: share > 0.95,
    edgeStyles: { first: styleAt(0), last: styleAt(-1) },
    hasLetters: letter.test(read.text),
    isLeader: leader.test(read.text) && read.text.trim().length >= 3,
    isMono: (style.family === 'mono' && share > 0.7) || hasOneWidth(line),
    isFormula: isFormula(read, line),
    firstWordWidth: firstWordWidth(read, line),
  };
}

/** Whether a line has signs of a formula, and all its letters are variables, superscripts, subscripts or function names. */
function isFormula({ characters }: LineText, { rises }: Line): boolean {
  if (!characters.some(({ glyph }) => glyph && isFormulaGlyph(glyph))) return false;
  const isText = ({ glyph }: Character) => !glyph || (!isFormulaGlyph(glyph) && !rises.has(glyph.piece));
  const text = characters.map((character) => (isText(character) ? character.text : ' ')).join('');
  return !(text.match(/\p{L}{3,}/gu) ?? []).some((word) => /\p{Ll}/u.test(word) && !functionName.test(word));
}

/** Returns the known characters that are not in fonts for formulas. If that leaves none, returns all of them. */
function withoutFormulas(characters: readonly Character[]): readonly Character[] {
  const others = characters.filter(
    ({ glyph }) => !glyph || (glyph.symbol === undefined && !isFormulaGlyph(glyph)),
  );
  return others.some(({ glyph }) => glyph && !glyph.isBlank) ? others : characters;
}

/** Whether many different characters of the line have the same width. The name of the font is not used. */
function hasOneWidth({ glyphs }: Line): boolean {
  const widths = new Map<string, number>();
  for (const { text, index, piece } of glyphs)
    if (/^[ -~]$/.test(text)) widths.set(text, piece.shown.glyphs[index]!.advance);
  const [first = 0] = widths.values();
  return widths.size >= minWidths && [...widths.values()].every((width) => Math.abs(width - first) < 0.01);
}

/** Whether two styles look the same, apart from their size and rise. */
export function isSameStyle(one: TextStyle, other: TextStyle): boolean {
  return (
    one.bold === other.bold &&
    one.italic === other.italic &&
    one.family === other.family &&
    one.color === other.color &&
    outlineKey(one.outline) === outlineKey(other.outline)
  );
}

/**
 * Returns the style of most characters, and the share of the characters that look the same apart from size and rise.
 */
export function usualStyle({ characters }: { characters: readonly LineText['characters'][number][] }): {
  style: TextStyle;
  share: number;
} {
  const counts = new Map<string, { style: TextStyle; count: number }>();
  let total = 0;
  let last: { style: TextStyle; count: number } | undefined;
  for (const { glyph, text } of withoutFormulas(characters)) {
    if (!glyph || glyph.isBlank || text === '') continue;
    const { style } = glyph.piece;
    // A character often belongs to the same piece as the previous one, and then has the same style object.
    if (last?.style !== style) {
      const key = `${style.family} ${style.bold} ${style.light} ${style.italic} ${style.size} ${style.color} ${outlineKey(style.outline)}`;
      last = counts.get(key) ?? { style, count: 0 };
      counts.set(key, last);
    }
    last.count++;
    total++;
  }
  let best: { style: TextStyle; count: number } | undefined;
  // The start of a word in another color is a decoration, so of two equal parts of a word, the end has its style.
  const isWord = !characters.some(({ text }) => text === ' ');
  for (const entry of counts.values())
    if (!best || entry.count > best.count || (isWord && entry.count === best.count)) best = entry;
  if (!best) {
    const style = characters.find(({ glyph }) => glyph)?.glyph?.piece.style;
    if (!style) throw new Error('a line has no glyph');
    return { style, share: 1 };
  }
  let alike = 0;
  for (const { style, count } of counts.values()) if (isSameStyle(style, best.style)) alike += count;
  return { style: best.style, share: alike / total };
}

/**
 * Returns the width of the first word. A line in a script without spaces between words can be broken almost anywhere, so
 * returns the width up to its first character of this script, and of about two characters at least.
 */
function firstWordWidth({ characters, isRightToLeft }: LineText, { size, left, right }: Line): number {
  const first = characters[0]?.glyph;
  if (!first) return 0;
  let [from, to] = [first.left, first.right];
  for (const [index, { glyph, text }] of characters.entries()) {
    if (text === ' ') break;
    if (unspaced.test(text)) return Math.min(Math.max(index && to - from, 2.2 * size), right - left);
    if (!glyph) continue;
    if (isRightToLeft) from = Math.min(from, glyph.left);
    else to = Math.max(to, glyph.right);
  }
  return to - from;
}
