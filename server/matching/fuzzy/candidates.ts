import { countCodePoints } from '#server/formats/text.ts';
import { grams } from './grams.ts';
import { readVarints } from './shard.ts';

/** The minimum similarity of a fuzzy match. */
export const minSimilarity = 0.7;

/**
 * The maximum number of postings that a lookup reads in one shard, rarest buckets first. docs/performance.md has the
 * measurements behind this value and `candidateLimit`: with half of both, recall on real sentences stays above 95%.
 */
export const postingsBudget = 40_000;

/**
 * Returns how many candidates of a query are compared by edit similarity: 200, fewer above 100 characters. The time of a
 * comparison is quadratic in the length, and texts with more grams are easier to tell apart.
 */
export function candidateLimit(query: string): number {
  return Math.max(25, Math.min(200, Math.floor(20_000 / Math.max(1, countCodePoints(query)))));
}

/** The part of a shard that one query reads. */
export interface ShardPostings {
  /** The number of segments that `count` refers to: the segments of this shard, or of all shards that the query reads. */
  segments: number;
  /** As in `BuiltShard`. */
  lengthMarks: Uint8Array;
  /**
   * The buckets of the query that occur in the shard. A list beyond `postingsBudget` is not read: it has no ordinals, but its
   * count still determines the weight of the bucket.
   */
  lists: readonly { bucket: number; count: number; ordinals: Uint8Array }[];
  /** Whether to skip an ordinal; undefined if none is skipped. */
  isGone?: ((ordinal: number) => boolean) | undefined;
}

export interface Candidate {
  ordinal: number;
  /**
   * 0 to 1: the share of the query's grams that the segment has. Rare grams weigh more. The score is reduced in proportion if
   * the segment is longer than the query. Scores of two shards are comparable, exactly so if both have the same `segments`.
   */
  score: number;
}

/**
 * Returns up to `limit` segments that are most likely similar to the query, best first. Skips segments of an impossible length.
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
    scores[place]! *= isGone?.(begin + place) ? 0 : Math.min(1, length / lengths[place]!);

  return highest(scores, limit).map((place) => ({ ordinal: begin + place, score: scores[place]! }));
}

/** Inverse document frequency: a rare bucket weighs more. */
function weightOf(count: number, segments: number): number {
  return Math.log(1 + segments / Math.max(1, count));
}

/** Returns the segments of `shortest` to `longest` code points: the first ordinal, and the length of each. */
function readLengths(marks: Uint8Array, shortest: number, longest: number) {
  let [length, begin] = [0, 0];
  const lengths: number[] = [];
  readVarints(marks, (count) => {
    if (length < shortest) begin += count;
    else if (length <= longest) for (let left = count; left > 0; left--) lengths.push(length);
    length++;
  });
  return { begin, lengths };
}

/** Returns the positions of the highest scores above 0, highest first; for equal scores, the earlier position first. */
function highest(scores: Float32Array, limit: number): number[] {
  const steps = 1024;
  const stepOf = (score: number) => Math.min(steps, Math.ceil(score * steps));
  const atStep = new Uint32Array(steps + 1);
  for (const score of scores) atStep[stepOf(score)]! += 1;
  let least = steps;
  for (let above = atStep[least]!; least > 1 && above < limit; ) above += atStep[--least]!;

  const places: number[] = [];
  for (let place = 0; place < scores.length; place++) if (stepOf(scores[place]!) >= least) places.push(place);
  return places.sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, limit);
}
