/**
 * The fuzzy tier's index and its measure, without its store: sources into packed posting lists of hashed grams
 * (`buildShard`), the lists of a query's grams into candidates (`selectCandidates`), and candidates by true similarity (`closest`).
 */
export { type BuiltShard, buildShard } from './build-shard.ts';
export { type Closest, closest } from './closest.ts';
export { editSimilarity, similarityTo } from './edit-similarity.ts';
export { grams } from './grams.ts';
export {
  candidateLimit,
  isOffered,
  largestShard,
  leastSimilarity,
  longestFuzzy,
  postingsBudget,
} from './limits.ts';
export { type Candidate, type ShardPostings, selectCandidates } from './select-candidates.ts';
