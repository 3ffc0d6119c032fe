import type { Database } from '#db/client.ts';
import { editSimilarity, grams, longestFuzzy, selectCandidates } from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHash } from '#server/matching/normal-form.ts';
import type { Pair } from '../queries/capacity.ts';
import { type Place, selectPostings, selectSourcesAt, selectUnindexed } from '../queries/close.ts';
import { type MemoryHit, selectWinners } from '../queries/exact.ts';

/** A stored pair whose source is like the text, 0 to 1. */
export interface CloseHit extends MemoryHit {
  similarity: number;
}

/** C 6: what goes to the engine. Close ones are at least 70 % alike; relevant ones are the most like of the others. */
export interface CloseHits {
  close: CloseHit[];
  relevant: CloseHit[];
}

const most = { close: 5, relevant: 5 };
const closeFrom = 0.7;
/** Sources that are compared letter by letter. */
const compared = 300;
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
  if (normal === '' || !isShort(normal)) return { close: [], relevant: [] };
  const buckets = [...grams(normal)];
  // Two transactions: ranking must not hold a connection.
  const { sources, places } = await database.inTenant(tenantId, async (tx) => {
    const [shards, unindexed] = await Promise.all([
      selectPostings(tx, tenantId, pair, buckets),
      selectUnindexed(tx, tenantId, pair),
    ]);
    return { sources: unindexed, places: bestPlaces(normal, shards) };
  });
  const found = await database.inTenant(tenantId, (tx) => tx.last(selectSourcesAt(tx, tenantId, places)));
  const ranked = rank(normal, [...sources, ...found.map(({ sourceText }) => sourceText)]);
  if (ranked.length === 0) return { close: [], relevant: [] };

  const winners = await database.inTenant(tenantId, (tx) =>
    tx.last(
      selectWinners(
        tx,
        tenantId,
        ranked.map(({ hash }) => ({ hash, ...pair })),
      ),
    ),
  );
  const hits = ranked.flatMap(({ similarity }, index): CloseHit[] => {
    const winner = winners[index];
    // Gone since, or a newer target of the same source that is too long.
    return winner && isShort(winner.targetText) ? [{ ...winner, similarity }] : [];
  });
  return {
    close: hits.filter(({ similarity }) => similarity >= closeFrom).slice(0, most.close),
    relevant: hits.filter(({ similarity }) => similarity < closeFrom).slice(0, most.relevant),
  };
}

function bestPlaces(normal: string, shards: Awaited<ReturnType<typeof selectPostings>>): Place[] {
  return shards
    .flatMap(({ setId, shardNo, ...shard }) =>
      selectCandidates(normal, shard, compared).map(({ ordinal, score }) => ({
        setId,
        shardNo,
        ordinal,
        score,
      })),
    )
    .sort((a, b) => b.score - a.score)
    .slice(0, compared);
}

/** The best of each kind, each source once. */
function rank(normal: string, sources: readonly string[]): Ranked[] {
  const seen = new Map<string, number>();
  for (const source of sources) {
    const other = normalForm(source);
    if (other === normal || seen.has(other)) continue;
    seen.set(other, editSimilarity(normal, other, relevantFrom));
  }
  const byLikeness = [...seen]
    .filter(([, similarity]) => similarity >= relevantFrom)
    .sort(([, a], [, b]) => b - a);
  const below = byLikeness.findIndex(([, similarity]) => similarity < closeFrom);
  const close = below < 0 ? byLikeness : byLikeness.slice(0, below);
  const relevant = below < 0 ? [] : byLikeness.slice(below);
  return [...close.slice(0, most.close), ...relevant.slice(0, most.relevant)].map(([other, similarity]) => ({
    hash: sourceHash(other).toString('hex'),
    similarity,
  }));
}

/** B 8: texts over 2000 characters get no close matches, and pairs with one are not offered. */
function isShort(text: string): boolean {
  return text.length <= longestFuzzy || (text.length <= 2 * longestFuzzy && [...text].length <= longestFuzzy);
}
