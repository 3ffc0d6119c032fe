import { countCodePoints } from '#server/formats/text.ts';
import { bucketCount, gramCutter, maxFuzzyLength } from './grams.ts';

/** The maximum number of segments in one shard. */
export const maxShardSegments = 65_536;

/**
 * The index of a shard, to be stored. Its segments are numbered from 0 by ordinals, shortest segment first. Segments of
 * equal length keep the order of the input.
 */
export interface BuiltShard {
  /** The position of each segment in the input, by ordinal. */
  order: Uint32Array;
  /** The number of segments with 0, 1, 2, … code points, up to the longest segment, as varints. */
  lengthMarks: Uint8Array;
  /** The buckets that occur in the shard, in ascending order. */
  buckets: Uint16Array;
  /** For each of these buckets, the number of segments with a gram in the bucket. */
  counts: Uint32Array;
  /**
   * The ordinals of the segments in each bucket, in ascending order, one bucket after the other. Each ordinal is stored
   * as a varint of its difference from the previous ordinal of the bucket; the first one as its difference from 0.
   */
  lists: Uint8Array;
  /** For each bucket, the offset in `lists` at which its list ends and the list of the next bucket starts. */
  ends: Uint32Array;
}

/**
 * Builds the index of some sources, which must be in normal form. Each source is cut into grams twice: first to compute
 * the sizes of the lists, and then to fill them. Memory is therefore only needed for the result.
 *
 * @throws {RangeError} if there are more than `maxShardSegments` sources, or if a source has more than `maxFuzzyLength`
 *   code points
 */
export function buildShard(normals: readonly string[]): BuiltShard {
  if (normals.length > maxShardSegments)
    throw new RangeError(`a shard has at most ${maxShardSegments} segments`);
  const { order, lengthMarks } = orderByLength(normals);

  const allCounts = new Uint32Array(bucketCount);
  const offsets = new Uint32Array(bucketCount);
  eachPosting(normals, order, (bucket, gap) => {
    allCounts[bucket]! += 1;
    offsets[bucket]! += varintLength(gap);
  });

  const buckets = Uint16Array.from(allCounts.keys().filter((bucket) => allCounts[bucket]! > 0));
  const counts = Uint32Array.from(buckets, (bucket) => allCounts[bucket]!);
  const ends = new Uint32Array(buckets.length);
  let end = 0;
  for (const [index, bucket] of buckets.entries()) {
    const begin = end;
    end += offsets[bucket]!;
    offsets[bucket] = begin;
    ends[index] = end;
  }

  const lists = new Uint8Array(end);
  eachPosting(normals, order, (bucket, gap) => {
    offsets[bucket] = writeVarint(lists, offsets[bucket]!, gap);
  });
  return { order, lengthMarks, buckets, counts, lists, ends };
}

/**
 * Returns the order of the segments by length in code points, and the length marks. Segments of equal length keep the
 * order of the input.
 *
 * @throws {RangeError} as `buildShard` does
 */
function orderByLength(normals: readonly string[]): { order: Uint32Array; lengthMarks: Uint8Array } {
  const lengths = Uint16Array.from(normals, (normal) => {
    const length = countCodePoints(normal);
    if (length > maxFuzzyLength) throw new RangeError(`a segment has at most ${maxFuzzyLength} characters`);
    return length;
  });
  const ofLength = new Uint32Array(lengths.reduce((longest, length) => Math.max(longest, length), 0) + 1);
  for (const length of lengths) ofLength[length]! += 1;

  const next = new Uint32Array(ofLength.length);
  const marks = new Uint8Array(4 * ofLength.length);
  let [first, end] = [0, 0];
  for (const [length, count] of ofLength.entries()) {
    end = writeVarint(marks, end, count);
    next[length] = first;
    first += count;
  }
  const order = new Uint32Array(normals.length);
  for (const [index, length] of lengths.entries()) order[next[length]!++] = index;
  return { order, lengthMarks: marks.slice(0, end) };
}

/**
 * Calls `each` for each bucket of each segment, in order. `gap` is the difference from the previous ordinal of the
 * bucket; for the first ordinal, the difference from 0.
 */
function eachPosting(
  normals: readonly string[],
  order: Uint32Array,
  each: (bucket: number, gap: number) => void,
): void {
  const cut = gramCutter();
  const last = new Int32Array(bucketCount).fill(-1);
  for (let ordinal = 0; ordinal < order.length; ordinal++) {
    const buckets = cut(normals[order[ordinal]!]!);
    for (let index = 0; index < buckets.length; index++) {
      const bucket = buckets[index]!;
      const before = last[bucket]!;
      if (before === ordinal) continue;
      last[bucket] = ordinal;
      each(bucket, ordinal - Math.max(0, before));
    }
  }
}

/**
 * Returns the number of bytes of a number below 2^28 as a varint (LEB128). Each byte contains seven bits, the lowest
 * bits first. The eighth bit is set in all bytes except the last.
 */
function varintLength(value: number): number {
  return value < 2 ** 7 ? 1 : value < 2 ** 14 ? 2 : value < 2 ** 21 ? 3 : 4;
}

/** Writes a number as a varint at `offset`, and returns the offset after the number. */
function writeVarint(bytes: Uint8Array, offset: number, value: number): number {
  let [rest, end] = [value, offset];
  while (rest >= 0x80) {
    bytes[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  return end;
}
