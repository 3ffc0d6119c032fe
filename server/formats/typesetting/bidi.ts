import bidiFactory, { type Bidi } from 'bidi-js';
import type { Direction } from './languages.ts';

// The types of the package wrongly declare the default export as a property.
const bidi = (bidiFactory as unknown as () => Bidi)();

/**
 * Characters that can have a level other than 0 in a left-to-right paragraph: right-to-left letters and direction
 * controls.
 */
const rightToLeft =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const letter = /\p{L}/u;

/**
 * The maximum length of a text that is passed to the library. For some texts (only digits, only tabs), the library
 * needs quadratic time, so longer texts are divided into pieces.
 */
const maxPieceLength = 1000;

/**
 * Returns the embedding level of each UTF-16 unit of a paragraph, by the Unicode Bidirectional Algorithm. Odd levels
 * are right-to-left. A text of more than 1000 units is divided into pieces, between two words that have the paragraph's
 * direction.
 */
export function embeddingLevels(text: string, direction: Direction): Uint8Array {
  const levels = new Uint8Array(text.length);
  if (direction === 'ltr' && !rightToLeft.test(text)) return levels;
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start, direction);
    levels.set(bidi.getEmbeddingLevels(plainPlane(text.slice(start, end)), direction).levels, start);
    start = end;
  }
  return levels;
}

function pieceEnd(text: string, start: number, direction: Direction): number {
  const end = start + maxPieceLength;
  if (end >= text.length) return text.length;
  const runsAlong = (index: number): boolean => {
    const character = text[index] ?? '';
    return direction === 'rtl'
      ? rightToLeft.test(character)
      : letter.test(character) && !rightToLeft.test(character);
  };
  for (let at = end - 1; at > start; at--)
    if (text[at] === ' ' && runsAlong(at - 1) && runsAlong(at + 1)) return at + 1;
  return end;
}

/**
 * Replaces emoji by symbols of the same length. The library reads single UTF-16 units, so it would treat an emoji as
 * two letters.
 */
function plainPlane(text: string): string {
  return text.replace(/[\u{10000}-\u{10ffff}]/gu, (character) =>
    /\p{L}|\p{N}/u.test(character) ? character : '\u263a\u263a',
  );
}

/**
 * Returns the items of a line in visual order, from left to right.
 *
 * @param characters one representative character for each item, in logical order
 * @param levels the embedding level of each item
 * @returns the indices of the items
 */
export function visualOrder(characters: string, levels: Uint8Array, direction: Direction): number[] {
  const order = Array.from(levels.keys());
  if (levels.every((level) => level === 0)) return order;
  const paragraph = { start: 0, end: characters.length - 1, level: direction === 'rtl' ? 1 : 0 };
  for (const [start, end] of bidi.getReorderSegments(characters, { levels, paragraphs: [paragraph] })) {
    const flipped = order.slice(start, end! + 1).reverse();
    for (const [offset, index] of flipped.entries()) order[start! + offset] = index;
  }
  return order;
}
