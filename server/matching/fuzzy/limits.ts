import { countCodePoints } from '#server/formats/text.ts';

/** B 8 "Close-match text length": longer texts, in code points of the normal form, neither look for matches nor are one. */
export const longestFuzzy = 2000;

/** B 8: whether a text is short enough to have close matches, or to be one. */
export function isOffered(text: string): boolean {
  return (
    text.length <= longestFuzzy || (text.length <= 2 * longestFuzzy && countCodePoints(text) <= longestFuzzy)
  );
}

/** The least similarity of a close match (C 6). */
export const leastSimilarity = 0.7;

/** The most segments of one shard. */
export const largestShard = 65_536;

/** The most buckets that a lookup reads, in one shard: what bounds the rows of a long text's lookup. */
export const mostGrams = 256;

/**
 * How many postings a lookup reads in one shard, the rarest buckets' first. The figures behind this and the next one are in
 * docs/performance.md: with both halved, recall is still above 95 % over real sentences.
 */
export const postingsBudget = 40_000;

/**
 * How many candidates of a query are worth an exact look: 200, fewer where it has more than 100 characters, since the
 * look takes time by the square of the length, and the more grams there are the better they tell texts apart.
 */
export function candidateLimit(query: string): number {
  return Math.max(25, Math.min(200, Math.floor(20_000 / Math.max(1, countCodePoints(query)))));
}
