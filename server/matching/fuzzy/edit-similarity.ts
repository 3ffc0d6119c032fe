import { countCodePoints } from '#server/formats/text.ts';

/**
 * Returns the similarity of two texts, 0 to 1: 1 - Levenshtein distance / length of the longer text. It counts code points and
 * compares letter case. Two empty texts have 1. A similarity below `atLeast` is returned as 0, which is faster than the exact
 * value.
 */
export function editSimilarity(a: string, b: string, atLeast = 0): number {
  return similarityTo(a)(b, atLeast);
}

/** `editSimilarity` of one text to many others: prepares the first text only once. */
export function similarityTo(text: string): (other: string, atLeast?: number) => number {
  const pattern = preparePattern(text);
  return (other, atLeast = 0) => {
    const length = countCodePoints(other);
    const longer = Math.max(pattern.length, length);
    if (longer === 0) return 1;
    // Adding 1e-9 compensates for rounding: (1 - 0.9) * 10 is slightly less than 1.
    const allowed = Math.min(longer, Math.floor((1 - atLeast) * longer + 1e-9));
    const distance = boundedDistance(pattern, other, length, allowed);
    return distance > allowed ? 0 : 1 - distance / longer;
  };
}

/** A text as the rows of its code points: bit r % 32 of word r / 32 is set if the code point is in row r. */
interface Pattern {
  /** In code points. */
  length: number;
  words: number;
  /** A hash table with open addressing: each slot has a code point plus one, or 0 if it is empty. */
  keys: Uint32Array;
  /** `words` of each slot, one slot after the other. */
  places: Int32Array;
  /** The cells of the current column that are one more than the cell above. */
  more: Int32Array;
  /** The cells of the current column that are one less than the cell above. */
  less: Int32Array;
}

function preparePattern(text: string): Pattern {
  const points = Array.from(text, (character) => character.codePointAt(0) as number);
  const length = points.length;
  const words = Math.ceil(length / 32);
  const slots = 2 ** Math.ceil(Math.log2(2 * new Set(points).size + 1));
  const pattern = {
    length,
    words,
    keys: new Uint32Array(slots),
    places: new Int32Array(slots * words),
    more: new Int32Array(words),
    less: new Int32Array(words),
  };
  for (const [row, point] of points.entries()) {
    const slot = slotOf(pattern.keys, point);
    pattern.keys[slot] = point + 1;
    pattern.places[slot * words + (row >>> 5)]! |= 1 << (row & 31);
  }
  return pattern;
}

/** Returns the slot of the code point, or else the empty slot for it. The table always has an empty slot. */
function slotOf(keys: Uint32Array, point: number): number {
  const last = keys.length - 1;
  let slot = (Math.imul(point, 0x9e3779b1) >>> 16) & last;
  while (keys[slot] !== 0 && keys[slot] !== point + 1) slot = (slot + 1) & last;
  return slot;
}

/**
 * Returns the Levenshtein distance, or any number above `allowed` if the distance exceeds it. Uses Myers' bit-parallel
 * algorithm (1999) in Hyyrö's version for words in blocks (2003): it stores a column of the distance matrix as the differences
 * between neighboring cells, 32 to a word. It computes only the words that a path of at most `allowed` edits can reach (Ukkonen
 * 1985). It assumes that a cell at the edge of that band is one more than its neighbor inside, which is the maximum.
 */
function boundedDistance(pattern: Pattern, other: string, length: number, allowed: number): number {
  const { words, keys, places, more, less } = pattern;
  const difference = pattern.length - length;
  if (Math.abs(difference) > allowed) return allowed + 1;
  if (words === 0 || length === 0) return Math.max(pattern.length, length);
  const below = (allowed + difference) >> 1;
  const above = (allowed - difference) >> 1;
  const lastRow = (pattern.length - 1) & 31;

  let bottom = -1;
  /** The distance at the lowest row of word `bottom`. */
  let distance = 0;
  for (let column = 0, index = 0; column < length; column++, index++) {
    const point = other.codePointAt(index) as number;
    if (point > 0xffff) index++;
    const slot = slotOf(keys, point) * words;

    const top = Math.max(0, column - above) >>> 5;
    const reached = Math.min(pattern.length - 1, column + below) >>> 5;
    while (bottom < reached) {
      bottom++;
      more[bottom] = -1;
      less[bottom] = 0;
      distance += bottom === words - 1 ? lastRow + 1 : 32;
    }

    let carry = 1;
    for (let word = top; word <= bottom; word++) {
      const up = more[word]!;
      const down = less[word]!;
      let equal = places[slot + word]!;
      const vertical = equal | down;
      if (carry < 0) equal |= 1;
      const horizontal = (((equal & up) + up) ^ up) | equal;
      let right = down | ~(horizontal | up);
      let left = up & horizontal;
      const row = word === words - 1 ? lastRow : 31;
      const out = ((right >>> row) & 1) - ((left >>> row) & 1);
      right = (right << 1) | (carry > 0 ? 1 : 0);
      left = (left << 1) | (carry < 0 ? 1 : 0);
      more[word] = left | ~(vertical | right);
      less[word] = right & vertical;
      carry = out;
    }
    distance += carry;
    // A cell k rows up is at most k less, and the path from a cell to the end costs at least the difference of the remaining
    // lengths.
    const rows = Math.min(pattern.length, 32 * (bottom + 1));
    if (distance - (rows - column - 1 - difference) > allowed) return allowed + 1;
  }
  return distance;
}

/** A text that was compared with the query: its position, and its similarity to the query, 0 to 1. */
export interface Closest {
  index: number;
  similarity: number;
}

/**
 * Returns the texts most similar to the query by `editSimilarity`, best first; for equal similarity, the earlier text first.
 * Returns up to `limit` texts, all with a similarity of `atLeast` or more. It is fastest if the best texts come first: it stops
 * comparing a text that cannot be among the best.
 */
export function closest(query: string, texts: readonly string[], limit: number, atLeast: number): Closest[] {
  const similarity = similarityTo(query);
  const best: Closest[] = [];
  for (const [index, text] of texts.entries()) {
    const bar = best.length < limit ? atLeast : best.at(-1)!.similarity;
    const alike = similarity(text, bar);
    if (alike < bar || alike === 0) continue;
    const place = best.findLastIndex((other) => other.similarity >= alike) + 1;
    best.splice(place, 0, { index, similarity: alike });
    if (best.length > limit) best.pop();
  }
  return best;
}
