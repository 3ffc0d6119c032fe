import { countCodePoints } from '#server/formats/text.ts';
import { bucketCount, grams } from './grams.ts';
import { maxShardSegments } from './shard.ts';

/** The minimum similarity that a fuzzy match must have. */
export const minSimilarity = 0.7;

/**
 * The maximum number of postings that a lookup reads in one shard, starting with the rarest buckets.
 * test/bench/results.tsv contains the measurements for this value and for `candidateLimit`. If both were half as large,
 * the recall on real sentences would still be above 95%.
 */
export const postingsBudget = 40_000;

/**
 * Returns how many candidates of a query are compared by edit similarity: 200, or fewer for queries of more than 100
 * characters. A comparison takes time that is quadratic in the length, and for longer texts fewer candidates are
 * enough, because their scores differ more.
 */
export function candidateLimit(query: string): number {
  return Math.max(25, Math.min(200, Math.floor(20_000 / Math.max(1, countCodePoints(query)))));
}

/** The part of a shard that one query reads. */
export interface ShardPostings {
  /**
   * The number of segments among which each `count` was counted: those of this shard, or those of all shards that the
   * query reads.
   */
  segments: number;
  /** The number of segments of each length, encoded as in `BuiltShard`. */
  lengthMarks: Uint8Array;
  /**
   * The buckets of the query that occur in the shard. A list that would exceed `postingsBudget` is not read, so its
   * `ordinals` are empty. Its count still determines the weight of the bucket.
   */
  lists: readonly { bucket: number; count: number; ordinals: Uint8Array }[];
  /** Returns whether a segment must be skipped; undefined if no segment must be skipped. */
  isGone?: ((ordinal: number) => boolean) | undefined;
}

export interface Candidate {
  ordinal: number;
  /**
   * The share of the query's grams that the segment contains, from 0 to 1. Rare grams have a greater weight. If the
   * segment is longer than the query, the score is reduced in proportion. Scores of different shards are comparable;
   * this is exact if both were computed with the same `segments`.
   */
  score: number;
}

/**
 * Returns up to `limit` segments that are most likely similar to the query, best first. Skips segments whose length
 * excludes a similarity of `minSimilarity`.
 */
export function selectCandidates(query: string, shard: ShardPostings, limit: number): Candidate[] {
  return candidatesFor(query)(shard, limit);
}

/** Buffers of all calls: allocating them for each shard of each query takes longer than the search. */
const scratch = {
  scores: new Float32Array(maxShardSegments),
  lengths: new Uint16Array(maxShardSegments),
  touched: new Uint32Array(maxShardSegments),
  weights: new Float64Array(bucketCount),
  atStep: new Uint32Array(1025),
};

/**
 * Returns a function that selects candidates like `selectCandidates`, for one query and many shards. It returns only
 * candidates with a score of more than `above`.
 */
export function candidatesFor(
  query: string,
): (shard: ShardPostings, limit: number, above?: number) => Candidate[] {
  const length = countCodePoints(query);
  const shortest = Math.ceil(minSimilarity * length - 1e-9);
  const longest = Math.floor(length / minSimilarity + 1e-9);
  const all = grams(query);
  return ({ segments, lengthMarks, lists, isGone }, limit, above = 0) => {
    const { scores, lengths, touched, weights } = scratch;
    const { begin, size } = readLengths(lengthMarks, shortest, longest, lengths);
    let [whole, open, count] = [0, 0, 0];
    for (const { bucket, count, ordinals } of lists) {
      const weight = weightOf(count, segments);
      weights[bucket] = weight;
      if (ordinals.length > 0) open += weight;
    }
    const unseen = weightOf(1, segments);
    for (const bucket of all) whole += weights[bucket] || unseen;
    try {
      for (const { bucket, ordinals } of lists) {
        if (ordinals.length === 0) continue;
        const weight = weights[bucket]! / whole;
        // A segment in none of the lists so far cannot reach a score that is high enough. The factor is for rounding.
        const isLate = (open / whole) * 1.0001 <= above;
        open -= weights[bucket]!;
        let place = -begin;
        for (let index = 0; index < ordinals.length; ) {
          let byte = ordinals[index++]!;
          let gap = byte & 0x7f;
          for (let shift = 7; byte >= 0x80; shift += 7) {
            byte = ordinals[index++]!;
            gap |= (byte & 0x7f) << shift;
          }
          place += gap;
          if (place >= size) break;
          if (place < 0) continue;
          const score = scores[place]!;
          if (score === 0) {
            if (isLate) continue;
            touched[count++] = place;
          }
          scores[place] = score + weight;
        }
      }
      let kept = 0;
      for (let index = 0; index < count; index++) {
        const place = touched[index]!;
        if (scores[place]! <= above || isGone?.(begin + place)) scores[place] = 0;
        else scores[place]! *= Math.min(1, length / lengths[place]!);
        if (scores[place]! > above) touched[kept++] = place;
        else scores[place] = 0;
      }
      return highest(scores, touched.subarray(0, kept), limit).map((place) => ({
        ordinal: begin + place,
        score: scores[place]!,
      }));
    } finally {
      for (const { bucket } of lists) weights[bucket] = 0;
      for (let index = 0; index < count; index++) scores[touched[index]!] = 0;
    }
  };
}

/** Returns the weight of a bucket, which is its inverse document frequency: rare buckets have a greater weight. */
function weightOf(count: number, segments: number): number {
  return Math.log(1 + segments / Math.max(1, count));
}

/**
 * Finds the segments with `shortest` to `longest` code points: returns the ordinal of the first one and their number, and
 * writes the length of each into `lengths`.
 */
function readLengths(marks: Uint8Array, shortest: number, longest: number, lengths: Uint16Array) {
  let [length, begin, size] = [0, 0, 0];
  for (let index = 0; index < marks.length && length <= longest; length++) {
    let byte = marks[index++]!;
    let count = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = marks[index++]!;
      count |= (byte & 0x7f) << shift;
    }
    if (length < shortest) begin += count;
    else {
      lengths.fill(length, size, size + count);
      size += count;
    }
  }
  return { begin, size };
}

/**
 * Returns those of the positions that have the highest scores, from the highest to the lowest. Of equal scores, the
 * earlier position comes first.
 */
function highest(scores: Float32Array, among: Uint32Array, limit: number): number[] {
  const { atStep } = scratch;
  const steps = atStep.length - 1;
  const stepOf = (score: number) => Math.min(steps, Math.ceil(score * steps));
  atStep.fill(0);
  for (const place of among) atStep[stepOf(scores[place]!)]! += 1;
  let least = steps;
  for (let above = atStep[least]!; least > 1 && above < limit; ) above += atStep[--least]!;

  const places: number[] = [];
  for (const place of among) if (stepOf(scores[place]!) >= least) places.push(place);
  return places.sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, limit);
}
