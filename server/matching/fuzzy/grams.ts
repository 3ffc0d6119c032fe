import { countCodePoints } from '#server/formats/text.ts';

/**
 * The maximum length of a text for fuzzy matching, in code points of its normal form. It applies both to the text that
 * is looked up and to the matches.
 */
export const maxFuzzyLength = 2000;

/** Whether a text is short enough for fuzzy matching. */
export function isShortEnough(text: string): boolean {
  return (
    text.length <= maxFuzzyLength ||
    (text.length <= 2 * maxFuzzyLength && countCodePoints(text) <= maxFuzzyLength)
  );
}

/**
 * The maximum number of buckets that a lookup reads in one shard. It limits the number of rows that are read for a long
 * text.
 */
const maxGrams = 256;

/**
 * The number of buckets into which grams are hashed. Stored indexes contain bucket numbers, so they become useless if
 * this number or the hash function changes.
 */
export const bucketCount = 2 ** 14;

/**
 * Numbers above all code points. `edge` stands for the edge of a text, in its first and last gram. `none` stands for
 * the missing third character of a gram with two characters.
 */
const edge = 0x110000;
const none = 0x110001;

/**
 * Returns the distinct buckets that a lookup of this text reads: the buckets of its grams. If there are more than `most`
 * (256 by default), returns so many that are spread evenly over the text; these are enough to find similar texts. Returns no buckets
 * if the text is too long for fuzzy matching.
 */
export function grams(normal: string, most = maxGrams): Uint16Array {
  const distinct = [...new Set(gramCutter()(normal))];
  const read = Math.min(distinct.length, most);
  return Uint16Array.from(
    { length: read },
    (_, index) => distinct[Math.floor((index * distinct.length) / read)]!,
  );
}

/**
 * Returns a function that cuts a text into grams and returns their buckets, with repetitions. A gram has three
 * characters. If one of the first two belongs to a script with thousands of characters, the gram has only these two.
 * Letter case is folded. The returned array is valid until the next call.
 */
export function gramCutter(): (normal: string) => Uint16Array {
  // İ is the only character whose lower case has two code points. The two additional elements are for the edges of the
  // text.
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
 * Whether a character is Han, kana, bopomofo or Hangul, or a sign that is used like a letter in these scripts, such as
 * the iteration mark.
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
 * Returns the bucket of a gram. The hash multiplies by odd constants and shifts, so that each bit of the three numbers
 * can change each bit of the bucket.
 */
function bucketOf(a: number, b: number, c: number): number {
  let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) ^ Math.imul(c, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
  return (hash ^ (hash >>> 16)) & (bucketCount - 1);
}
