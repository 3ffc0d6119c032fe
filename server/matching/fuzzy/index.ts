/**
 * The index and the similarity measure of fuzzy matches, without storage. `buildShard` turns sources into packed posting lists
 * of hashed grams, `selectCandidates` turns the lists of a query's grams into candidates, and `closest` ranks candidates by
 * edit similarity.
 */

export {
  type Candidate,
  candidateLimit,
  minSimilarity,
  postingsBudget,
  type ShardPostings,
  selectCandidates,
} from './candidates.ts';
export { type Closest, closest, editSimilarity, similarityTo } from './edit-similarity.ts';
export { grams, isShortEnough, maxFuzzyLength } from './grams.ts';
export { type BuiltShard, buildShard, maxShardSegments } from './shard.ts';
