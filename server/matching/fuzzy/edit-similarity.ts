import { countCodePoints } from '#server/formats/text.ts';

/**
 * Returns the similarity of two texts, from 0 to 1: 1 - (Levenshtein distance / length of the longer text). Lengths and
 * distances are in code points, and letter case matters. The similarity of two empty texts is 1. A similarity below
 * `atLeast` is returned as 0, because this takes less time than computing its value.
 */
export function editSimilarity(a: string, b: string, atLeast = 0): number {
  return similarityTo(a)(b, atLeast);
}

/**
 * Returns a function that computes the `editSimilarity` of one text and many others. The first text is prepared only
 * once.
 */
export function similarityTo(text: string): (other: string, atLeast?: number) => number {
  const pattern = preparePattern(text);
  return (other, atLeast = 0) => {
    const length = countCodePoints(other);
    const longer = Math.max(pattern.length, length);
    if (longer === 0) return 1;
    // The added 1e-9 compensates for rounding errors: (1 - 0.9) * 10 is slightly less than 1.
    const allowed = Math.min(longer, Math.floor((1 - atLeast) * longer + 1e-9));
    const distance = boundedDistance(pattern, other, length, allowed);
    return distance > allowed ? 0 : 1 - distance / longer;
  };
}

/**
 * The positions (rows) of each code point in a text, as bits. Bit r % 32 of word r / 32 is set if the code point is in
 * row r.
 */
interface Pattern {
  /** The length of the text in code points. */
  length: number;
  words: number;
  /**
   * The keys of a hash table with open addressing. A slot contains a code point plus one, or 0 if the slot is empty.
   */
  keys: Uint32Array;
  /** The bits of the code point in each slot: `words` words for each slot, one slot after the other. */
  places: Int32Array;
  /** Bits for the cells of the current column: set if the cell's value is one more than that of the cell above. */
  more: Int32Array;
  /** Bits for the cells of the current column: set if the cell's value is one less than that of the cell above. */
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

/**
 * Returns the slot of the code point. If the code point is not in the table, returns the empty slot for it; the table
 * always has an empty slot.
 */
function slotOf(keys: Uint32Array, point: number): number {
  const last = keys.length - 1;
  let slot = (Math.imul(point, 0x9e3779b1) >>> 16) & last;
  while (keys[slot] !== 0 && keys[slot] !== point + 1) slot = (slot + 1) & last;
  return slot;
}

/**
 * Returns the Levenshtein distance, or any number above `allowed` if the distance exceeds it. Uses Myers' bit-parallel
 * algorithm (1999) in Hyyrö's version for words in blocks (2003): a column of the distance matrix is stored as the
 * differences between neighboring cells, with 32 differences in a word. Only those words are computed that a path of at
 * most `allowed` edits can reach (Ukkonen 1985). The cells outside of this band are not computed; each is assumed to be
 * one more than its neighbor inside, which is the greatest possible value.
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
  /** The distance in the lowest row of the word `bottom`. */
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
    // Stops if no path can stay within `allowed`. A cell that is k rows higher is at most k less, and the path from a
    // cell to the end costs at least the difference of the remaining lengths.
    const rows = Math.min(pattern.length, 32 * (bottom + 1));
    if (distance - (rows - column - 1 - difference) > allowed) return allowed + 1;
  }
  return distance;
}

/** A text that was compared with the query: its index, and its similarity to the query from 0 to 1. */
export interface Closest {
  index: number;
  similarity: number;
}

/**
 * Returns up to `limit` texts that are most similar to the query by `editSimilarity`, best first. Of equally similar
 * texts, the earlier one comes first. All returned texts have a similarity of at least `atLeast`. This function is
 * fastest if the best texts come first, because it stops comparing a text that cannot be among the best.
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
