import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BuiltShard,
  buildShard,
  candidateLimit,
  closest,
  grams,
  minSimilarity,
  postingsBudget,
  type ShardPostings,
  selectCandidates,
} from '#server/matching/fuzzy/index.ts';
import { corpusLanguages, countFound, fuzzyCorpus } from '#test/bench/fuzzy-corpus.ts';

const root = process.env['BENCH_DEBIAN_ROOT'];

/** All machines use generated sentences, so that no packages need to be installed. */
beforeAll(() => {
  process.env['BENCH_DEBIAN_ROOT'] = '/nonexistent';
});

afterAll(() => {
  if (root === undefined) delete process.env['BENCH_DEBIAN_ROOT'];
  else process.env['BENCH_DEBIAN_ROOT'] = root;
});

/**
 * The posting lists of a query, in the same form as for a lookup: the rarest lists up to the budget, and only the
 * counts of all others.
 */
function postingsOf(query: string, shard: BuiltShard): ShardPostings {
  let read = 0;
  const lists = [...grams(query)]
    .map((bucket) => ({ bucket, index: shard.buckets.indexOf(bucket) }))
    .filter(({ index }) => index >= 0)
    .sort((a, b) => shard.counts[a.index]! - shard.counts[b.index]!)
    .map(({ bucket, index }) => {
      const count = shard.counts[index]!;
      read += count;
      const list = shard.lists.subarray(index === 0 ? 0 : shard.ends[index - 1], shard.ends[index]);
      return { bucket, count, ordinals: read > postingsBudget ? new Uint8Array() : list };
    });
  return { segments: shard.order.length, lengthMarks: shard.lengthMarks, lists };
}

describe('of the 5 segments most like a query, at least 95 % are found', () => {
  // The benchmark has 50,000 segments in a database; they are real if the packages with texts are installed.
  it.each(corpusLanguages)('in %s, among 3000', (language) => {
    const { segments, queries } = fuzzyCorpus(language, 3000, 40);
    const shard = buildShard(segments);
    // The kind `found` is not tested here, because too few of 3,000 generated sentences are similar to another one. The
    // benchmark tests it.
    for (const kind of ['characters', 'words', 'short'] as const) {
      let [found, all] = [0, 0];
      for (const query of queries.filter((any) => any.kind === kind)) {
        const limit = candidateLimit(query.text);
        const texts = selectCandidates(query.text, postingsOf(query.text, shard), limit).map(
          ({ ordinal }) => segments[shard.order[ordinal]!]!,
        );
        const answers = closest(query.text, texts, 5, minSimilarity);
        const alike = answers.map(({ similarity }) => similarity);
        found += countFound(query, alike);
        all += query.closest.length;
      }
      expect(all, kind).toBeGreaterThan(39);
      expect(found / all, kind).toBeGreaterThanOrEqual(0.95);
    }
  });
});
