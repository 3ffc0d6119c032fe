import { type Box, heightOf } from './geometry.ts';
import type { Word } from './poppler.ts';

/**
 * Part of the height of the lower word that must overlap. The boxes of words include the ascent and descent of their
 * fonts, so boxes of narrow lines always touch.
 */
const sharedHeight = 0.45;
/** In points. */
const sharedWidth = 1;

/** The words that are on top of another word. */
export function wordsOnWords(words: readonly Word[]): Set<Word> {
  const sorted = words.toSorted((one, other) => one.box[0] - other.box[0]);
  const found = new Set<Word>();
  for (const [index, one] of sorted.entries())
    for (let next = index + 1; next < sorted.length; next++) {
      const other = sorted[next]!;
      if (other.box[0] >= one.box[2] - sharedWidth) break;
      if (areOnEachOther(one.box, other.box)) found.add(one).add(other);
    }
  return found;
}

function areOnEachOther(one: Box, other: Box): boolean {
  const height = Math.min(heightOf(one), heightOf(other));
  return (
    Math.min(one[2], other[2]) - Math.max(one[0], other[0]) > sharedWidth &&
    Math.min(one[3], other[3]) - Math.max(one[1], other[1]) > sharedHeight * height
  );
}
