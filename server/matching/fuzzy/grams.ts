import { countCodePoints } from '#server/formats/text.ts';

/** The maximum length of a text that has fuzzy matches or is one, in code points of its normal form. */
export const maxFuzzyLength = 2000;

/** Whether a text is short enough to have fuzzy matches, or to be one. */
export function isShortEnough(text: string): boolean {
  return (
    text.length <= maxFuzzyLength ||
    (text.length <= 2 * maxFuzzyLength && countCodePoints(text) <= maxFuzzyLength)
  );
}

/** The maximum number of buckets that a lookup reads in one shard. Limits the rows read for a long text. */
const maxGrams = 256;

/**
 * The number of buckets into which grams are hashed. Buckets are stored: if this number or the hash changes, stored indexes
 * become useless.
 */
export const bucketCount = 2 ** 14;

/**
 * Numbers above all code points: the edge of a text in its first and last gram, and the missing third character of a bigram.
 */
const edge = 0x110000;
const none = 0x110001;

/**
 * Returns the distinct buckets that a lookup of this text reads: those of all its grams. If there are more than 256, it takes
 * 256 spread evenly over the text, which are enough to find it. Returns no buckets if the text is too long for a fuzzy match.
 */
export function grams(normal: string): Uint16Array {
  const distinct = [...new Set(gramCutter()(normal))];
  const read = Math.min(distinct.length, maxGrams);
  return Uint16Array.from(
    { length: read },
    (_, index) => distinct[Math.floor((index * distinct.length) / read)]!,
  );
}

/**
 * Returns a function that cuts a text into the buckets of its grams, with repetitions. A gram has three characters, or two if
 * one of the first two is of a script with thousands of characters. Letter case is folded. The returned array is valid until
 * the next call.
 */
export function gramCutter(): (normal: string) => Uint16Array {
  // Only İ has a lower case of two code points. The two extra elements are for the edges.
  const points = new Uint32Array(2 * maxFuzzyLength + 2);
  const buckets = new Uint16Array(points.length);
  return (normal) => {
    if (countCodePoints(normal) > maxFuzzyLength) return buckets.subarray(0, 0);
    const folded = normal.toLowerCase();
    let end = 0;
    points[end++] = edge;
    for (let index = 0; index < folded.length; index++) {
      const point = folded.codePointAt(index) as number;
      if (point > 0xffff) index++;
      points[end++] = point;
    }
    points[end] = edge;

    let count = 0;
    for (let first = 0; first < end; first++) {
      const [a, b] = [points[first]!, points[first + 1]!];
      if (isLogographic(a) || isLogographic(b)) buckets[count++] = bucketOf(a, b, none);
      else if (first + 2 <= end) buckets[count++] = bucketOf(a, b, points[first + 2]!);
    }
    return buckets.subarray(0, count);
  };
}

/**
 * Whether a character is Han, kana, bopomofo or Hangul, or a character used as a letter in these scripts, such as the iteration
 * mark.
 */
function isLogographic(point: number): boolean {
  return (
    point >= 0x3005 &&
    (point <= 0x3007 ||
      (point >= 0x3040 && point <= 0x31ff) ||
      (point >= 0x3400 && point <= 0x9fff) ||
      (point >= 0xac00 && point <= 0xd7af) ||
      (point >= 0xf900 && point <= 0xfaff) ||
      (point >= 0xff66 && point <= 0xff9f) ||
      (point >= 0x20000 && point <= 0x3ffff))
  );
}

/**
 * Hashes with multiplications by odd constants and shifts, so that each bit of the three numbers affects each bit of the
 * bucket.
 */
function bucketOf(a: number, b: number, c: number): number {
  let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) ^ Math.imul(c, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
  return (hash ^ (hash >>> 16)) & (bucketCount - 1);
}
