import { countCodePoints } from '#server/formats/text.ts';

/** B 8 "Close-match text length": the longest text, in code points of its normal form, that has close matches or is one. */
export const longestFuzzy = 2000;

/** Whether a text is short enough to have close matches, or to be one (B 8). */
export function isShortEnough(text: string): boolean {
  return (
    text.length <= longestFuzzy || (text.length <= 2 * longestFuzzy && countCodePoints(text) <= longestFuzzy)
  );
}

/** The least similarity of a close match (C 6). */
export const leastSimilarity = 0.7;

/** The most segments of one shard. */
export const largestShard = 65_536;

/** The most buckets that a lookup reads in one shard. Limits the rows read for a long text. */
export const mostGrams = 256;

/**
 * How many postings a lookup reads in one shard, rarest buckets first. docs/performance.md has the measurements behind this and
 * `candidateLimit`: with both halved, recall on real sentences stays above 95 %.
 */
export const postingsBudget = 40_000;

/**
 * How many candidates of a query are compared by edit similarity: 200, fewer above 100 characters. The comparison takes time
 * quadratic in the length, and more grams tell texts apart better.
 */
export function candidateLimit(query: string): number {
  return Math.max(25, Math.min(200, Math.floor(20_000 / Math.max(1, countCodePoints(query)))));
}
