/**
 * The fuzzy tier's index and measure, without storage. `buildShard` turns sources into packed posting lists of hashed grams,
 * `selectCandidates` turns the lists of a query's grams into candidates, and `closest` ranks candidates by true similarity.
 */

export { type Candidate, type ShardPostings, selectCandidates } from './candidates.ts';
export { type Closest, closest, editSimilarity, similarityTo } from './edit-similarity.ts';
export { grams } from './grams.ts';
export {
  candidateLimit,
  isShortEnough,
  largestShard,
  leastSimilarity,
  longestFuzzy,
  postingsBudget,
} from './limits.ts';
export { type BuiltShard, buildShard } from './shard.ts';
