import type { Database } from '#db/client.ts';
import {
  candidateLimit,
  closest,
  grams,
  isOffered,
  leastSimilarity,
  selectCandidates,
} from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import type { Pair } from '../queries/capacity.ts';
import {
  type FoundShard,
  type Place,
  selectPostings,
  selectSourcesAt,
  selectUnindexed,
} from '../queries/close.ts';
import { type MemoryHit, selectWinners } from '../queries/exact.ts';

/** A stored pair whose source is like the text, 0 to 1: by their characters, or by what they mean. */
export interface CloseHit extends MemoryHit {
  similarity: number;
  likeness: 'surface' | 'meaning';
}

/** C 6: what goes to the engine. Close ones are at least 70 % alike; relevant ones are the most like behind those. */
export interface CloseHits {
  close: CloseHit[];
  relevant: CloseHit[];
}

const most = { close: 5, relevant: 5 };
/** A pair that shares less than this with the text says nothing about it. */
const relevantFrom = 0.3;

interface Ranked {
  hash: string;
  similarity: number;
}

/**
 * The stored pairs that are most like a text (B 8 "Fuzzy tier"): candidates from the index, ranked by edit similarity; of
 * equal sources the pair that the exact tier would serve. The text's own source is left out: that is the exact tier's.
 */
export async function findClose(
  database: Database,
  tenantId: string,
  pair: Pair,
  text: string,
): Promise<CloseHits> {
  const normal = normalForm(text);
  if (normal === '' || !isOffered(normal)) return { close: [], relevant: [] };
  const buckets = [...grams(normal)];
  // Two transactions: ranking must not hold a connection.
  const { sources, places } = await database.inTenant(tenantId, async (tx) => {
    const [shards, unindexed] = await Promise.all([
      selectPostings(tx, tenantId, pair, buckets),
      selectUnindexed(tx, tenantId, pair),
    ]);
    return { sources: unindexed, places: bestPlaces(normal, shards) };
  });
  const found = await database.inTenant(tenantId, (tx) => selectSourcesAt(tx, tenantId, places));
  const ranked = rank(normal, [...sources, ...found.map(({ sourceText }) => sourceText)]);
  if (ranked.length === 0) return { close: [], relevant: [] };

  const winners = await database.inTenant(tenantId, (tx) =>
    selectWinners(
      tx,
      tenantId,
      ranked.map(({ hash }) => ({ hash, ...pair })),
    ),
  );
  const hits = ranked.flatMap(({ similarity }, index): CloseHit[] => {
    const winner = winners[index];
    // Gone since, or a newer target of the same source that is too long.
    return winner && isOffered(winner.targetText) ? [{ ...winner, similarity, likeness: 'surface' }] : [];
  });
  const close = hits.slice(0, most.close).filter(({ similarity }) => similarity >= leastSimilarity);
  return { close, relevant: hits.slice(close.length, close.length + most.relevant) };
}

/** The most promising segments of all shards. Counts are taken over all of them together, so that their scores compare. */
function bestPlaces(normal: string, shards: readonly FoundShard[]): Place[] {
  const counts = new Map<number, number>();
  for (const { lists } of shards)
    for (const { bucket, count } of lists) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  const segments = shards.reduce((sum, shard) => sum + shard.segments, 0);
  const limit = candidateLimit(normal);
  return shards
    .flatMap(({ setId, shardNo, lengthMarks, lists }) => {
      const shared = lists.map((list) => ({ ...list, count: counts.get(list.bucket) ?? list.count }));
      return selectCandidates(normal, { segments, lengthMarks, lists: shared }, limit).map(
        ({ ordinal, score }) => ({ setId, shardNo, ordinal, score }),
      );
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

/** The sources that are most like the text, each once. */
function rank(normal: string, sources: readonly string[]): Ranked[] {
  const others = [...new Set(sources.map(normalForm))].filter((other) => other !== normal);
  return closest(normal, others, most.close + most.relevant, relevantFrom).map(({ index, similarity }) => ({
    hash: sourceHashHex(others[index]!),
    similarity,
  }));
}
