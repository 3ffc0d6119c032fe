import { countCodePoints } from '#server/formats/text.ts';
import { grams } from './grams.ts';
import { readVarints } from './shard.ts';

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
  const length = countCodePoints(query);
  const { begin, lengths } = readLengths(
    shard.lengthMarks,
    Math.ceil(minSimilarity * length - 1e-9),
    Math.floor(length / minSimilarity + 1e-9),
  );
  const scores = new Float32Array(lengths.length);

  const weights = new Map(shard.lists.map(({ bucket, count }) => [bucket, weightOf(count, shard.segments)]));
  let whole = 0;
  for (const bucket of grams(query)) whole += weights.get(bucket) ?? weightOf(1, shard.segments);
  for (const { bucket, ordinals } of shard.lists) {
    const weight = weights.get(bucket)! / whole;
    let place = -begin;
    readVarints(ordinals, (gap) => {
      place += gap;
      if (place >= 0 && place < scores.length) scores[place]! += weight;
    });
  }
  const { isGone } = shard;
  for (let place = 0; place < scores.length; place++)
    if (scores[place]! > 0)
      scores[place]! *= isGone?.(begin + place) ? 0 : Math.min(1, length / lengths[place]!);

  return highest(scores, limit).map((place) => ({ ordinal: begin + place, score: scores[place]! }));
}

/** Returns the weight of a bucket, which is its inverse document frequency: rare buckets have a greater weight. */
function weightOf(count: number, segments: number): number {
  return Math.log(1 + segments / Math.max(1, count));
}

/**
 * Returns the segments with `shortest` to `longest` code points: the ordinal of the first one, and the length of each.
 */
function readLengths(marks: Uint8Array, shortest: number, longest: number) {
  let [length, begin, end] = [0, 0, 0];
  readVarints(marks, (count) => {
    if (length < shortest) begin += count;
    if (length <= longest) end += count;
    length++;
  });
  const lengths = new Uint32Array(Math.max(0, end - begin));
  let [at, ofLength] = [0, 0];
  readVarints(marks, (count) => {
    if (ofLength >= shortest && ofLength <= longest) {
      lengths.fill(ofLength, at, at + count);
      at += count;
    }
    ofLength++;
  });
  return { begin, lengths };
}

/**
 * Returns the positions of the highest scores above 0, from the highest to the lowest. Of equal scores, the earlier
 * position comes first.
 */
function highest(scores: Float32Array, limit: number): number[] {
  const steps = 1024;
  const stepOf = (score: number) => Math.min(steps, Math.ceil(score * steps));
  const atStep = new Uint32Array(steps + 1);
  for (const score of scores) if (score > 0) atStep[stepOf(score)]! += 1;
  let least = steps;
  for (let above = atStep[least]!; least > 1 && above < limit; ) above += atStep[--least]!;

  const places: number[] = [];
  for (let place = 0; place < scores.length; place++)
    if (scores[place]! > 0 && stepOf(scores[place]!) >= least) places.push(place);
  return places.sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, limit);
}
