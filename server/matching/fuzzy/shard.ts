import { countCodePoints } from '#server/formats/text.ts';
import { bucketCount, gramCutter, maxFuzzyLength } from './grams.ts';

/** The maximum number of segments of a shard. */
export const maxShardSegments = 65_536;

/**
 * A shard to store. Ordinals number its segments from 0, shortest first; segments of equal length keep the order of the input.
 */
export interface BuiltShard {
  /** The position in the input, by ordinal. */
  order: Uint32Array;
  /** The numbers of segments with 0, 1, 2, … code points, up to the length of the longest, as varints. */
  lengthMarks: Uint8Array;
  /** The buckets that occur, in ascending order. */
  buckets: Uint16Array;
  /** The number of segments with a gram in each of these buckets. */
  counts: Uint32Array;
  /**
   * The ordinals of each bucket, ascending, one list after the other. An ordinal is stored as a varint of its difference from
   * the previous one; the first ordinal of a list, as its difference from 0.
   */
  lists: Uint8Array;
  /** The offset in `lists` at which each bucket's list ends and the next one begins. */
  ends: Uint32Array;
}

/**
 * Builds the index of some sources in normal form. It cuts each source into grams twice, first to measure the lists and then to
 * fill them, so that it allocates only the result.
 *
 * @throws RangeError for more than `maxShardSegments` sources, or a source of more than `maxFuzzyLength` code points
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
 * Sorts the segments of a shard by length in code points with a counting sort. Segments of equal length keep their order.
 * @throws RangeError as `buildShard` does
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
 * Calls `each` for every bucket of every segment, in order, with the difference from the bucket's previous ordinal; for the
 * first ordinal, from 0.
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
 * Returns the length of a number as a varint (LEB128): each byte has seven bits, lowest bits first, and the eighth bit is set
 * on all bytes except the last. Numbers are below 2^28.
 */
function varintLength(value: number): number {
  return value < 2 ** 7 ? 1 : value < 2 ** 14 ? 2 : value < 2 ** 21 ? 3 : 4;
}

/** Writes a number at `offset`, and returns the offset after it. */
function writeVarint(bytes: Uint8Array, offset: number, value: number): number {
  let [rest, end] = [value, offset];
  while (rest >= 0x80) {
    bytes[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  return end;
}

/** Calls `each` for each number in turn. Skips an incomplete number at the end. */
export function readVarints(bytes: Uint8Array, each: (value: number) => void): void {
  let [value, shift] = [0, 0];
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      each(value);
      value = 0;
      shift = 0;
    } else shift += 7;
  }
}
