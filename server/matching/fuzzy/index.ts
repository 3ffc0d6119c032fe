/**
 * The index and the similarity measure of fuzzy matches, without storage. `buildShard` packs sources into posting lists
 * of hashed grams, `selectCandidates` finds candidates from the lists of a query's grams, and `closest` ranks
 * candidates by edit similarity.
 */

export {
  candidateLimit,
  candidatesFor,
  minSimilarity,
  postingsBudget,
  type ShardPostings,
  selectCandidates,
} from './candidates.ts';
export { closest, editSimilarity, similarityTo } from './edit-similarity.ts';
export { grams, isShortEnough, maxFuzzyLength } from './grams.ts';
export { type BuiltShard, buildShard, maxShardSegments } from './shard.ts';
