/**
 * The fuzzy tier's index and its measure, without its store: sources into packed posting lists of hashed grams
 * (`buildShard`), the lists of a query's grams into candidates (`selectCandidates`), and candidates by true similarity (`closest`).
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
