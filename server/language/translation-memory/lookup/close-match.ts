import { setImmediate } from 'node:timers/promises';
import type { Database } from '#db/client.ts';
import { countCodePoints } from '#server/formats/text.ts';
import type { LanguagePair } from '#server/languages.ts';
import {
  buildShard,
  candidateLimit,
  closest,
  grams,
  isShortEnough,
  minSimilarity,
  selectCandidates,
} from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { type MemoryHit, selectWinners } from './exact-match.ts';
import {
  type FoundShard,
  type ShardPosition,
  selectPostings,
  selectSourcesAt,
  selectUnindexed,
} from './posting-lists.ts';

/** A stored pair whose source is similar to the text, 0 to 1: by its characters (`surface`) or by its meaning. */
export interface CloseHit extends MemoryHit {
  similarity: number;
  likeness: 'surface' | 'meaning';
}

/**
 * The pairs that go to the engine. Close ones are at least 70% similar; relevant ones are the most similar of the
 * rest.
 */
export interface CloseHits {
  close: CloseHit[];
  relevant: CloseHit[];
}

/** Maximum number of pairs of each kind that go to the engine. */
export const maxHits = { close: 5, relevant: 5 };
/** The minimum similarity of a relevant pair. A less similar pair does not help to translate the text. */
const relevantFrom = 0.3;

interface Ranked {
  hash: string;
  similarity: number;
}

/**
 * Returns the stored pairs most similar to a text: candidates from the index, ranked by edit similarity. If
 * several pairs have the same source, it returns the one that the exact tier would serve. It leaves out the text's own source,
 * which the exact tier serves, unless the text is only a part of the translated text.
 */
export async function findClose(
  database: Database,
  tenantId: string,
  pair: LanguagePair,
  text: string,
  { isPart = false }: { isPart?: boolean } = {},
): Promise<CloseHits> {
  const normal = normalForm(text);
  if (normal === '' || !isShortEnough(text)) return { close: [], relevant: [] };
  const buckets = [...grams(normal)];
  // Two transactions: ranking must not hold a connection.
  const [shards, unindexed] = await database.inTenant(tenantId, (tx) =>
    Promise.all([
      selectPostings(tx, tenantId, pair, buckets),
      selectUnindexed(tx, tenantId, pair, countCodePoints(normal)),
    ]),
  );
  const { places, sources } = await bestCandidates(normal, shards, indexInMemory(unindexed, buckets));
  const found = await database.inTenant(tenantId, (tx) => selectSourcesAt(tx, tenantId, pair, places));
  const others = [...new Set([...sources, ...found.map(({ sourceText }) => normalForm(sourceText))])];
  const ranked = await rank(normal, isPart ? others : others.filter((other) => other !== normal));
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
    // The pair has been deleted since, or a newer target of the same source is too long.
    return winner && isShortEnough(winner.targetText) ? [{ ...winner, similarity, likeness: 'surface' }] : [];
  });
  const close = hits.slice(0, maxHits.close).filter(({ similarity }) => similarity >= minSimilarity);
  return { close, relevant: hits.slice(close.length, close.length + maxHits.relevant) };
}

/** The part of a shard, stored or in memory, that `selectCandidates` reads. */
type Postings = Pick<FoundShard, 'segments' | 'lengthMarks' | 'lists' | 'isGone'>;

/** Sources with a separate index. Of equally similar ones, the first comes first. */
interface InMemoryIndex extends Postings {
  /** The normal form of each ordinal. */
  sourceAt: (ordinal: number) => string;
}

/** Indexes sources that are in no shard yet, in memory only, so that they compete with all others. */
function indexInMemory(sources: readonly string[], buckets: readonly number[]): InMemoryIndex {
  const normals = [...new Set(sources.map(normalForm))].filter(isShortEnough);
  const built = buildShard(normals);
  const asked = new Set(buckets);
  const lists = [...built.buckets].flatMap((bucket, index) =>
    asked.has(bucket)
      ? [
          {
            bucket,
            count: built.counts[index]!,
            ordinals: built.lists.subarray(built.ends[index - 1] ?? 0, built.ends[index]),
          },
        ]
      : [],
  );
  return {
    segments: normals.length,
    isGone: undefined,
    lengthMarks: built.lengthMarks,
    lists,
    sourceAt: (ordinal) => normals[built.order[ordinal]!]!,
  };
}

/**
 * Returns the most promising segments, best first: places in the stored shards, and sources from memory. Counts are added up
 * over all shards, so that scores are comparable. Yields to other requests between shards.
 */
async function bestCandidates(
  normal: string,
  stored: readonly FoundShard[],
  here: InMemoryIndex,
): Promise<{ places: ShardPosition[]; sources: string[] }> {
  const all: Postings[] = [...stored, here];
  const counts = new Map<number, number>();
  for (const { lists } of all)
    for (const { bucket, count } of lists) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  const segments = all.reduce((sum, shard) => sum + shard.segments, 0);
  const limit = candidateLimit(normal);
  const promising: { shard: FoundShard | undefined; ordinal: number; score: number }[] = [];
  for (const [index, { lengthMarks, lists, isGone }] of all.entries()) {
    const shared = lists.map((list) => ({ ...list, count: counts.get(list.bucket) ?? list.count }));
    for (const candidate of selectCandidates(normal, { segments, lengthMarks, lists: shared, isGone }, limit))
      promising.push({ shard: stored[index], ...candidate });
    await setImmediate();
  }
  const best = promising.sort((a, b) => b.score - a.score).slice(0, limit);
  return {
    places: best.flatMap(({ shard, ordinal }) => (shard ? [{ shard, ordinal }] : [])),
    sources: best.flatMap(({ shard, ordinal }) => (shard ? [] : [here.sourceAt(ordinal)])),
  };
}

/** Number of sources to compare before yielding to other requests. The longest take a millisecond each. */
const slice = 25;

/** Returns the sources most similar to the text, in normal form; of equally similar ones, the earlier comes first. */
async function rank(normal: string, others: readonly string[]): Promise<Ranked[]> {
  const maxRanked = maxHits.close + maxHits.relevant;
  let best: { source: string; similarity: number }[] = [];
  for (let at = 0; at < others.length; at += slice) {
    // Compare the best so far again: sources known to be worse need no full comparison.
    const compared = [...best.map(({ source }) => source), ...others.slice(at, at + slice)];
    best = closest(normal, compared, maxRanked, relevantFrom).map(({ index, similarity }) => ({
      source: compared[index]!,
      similarity,
    }));
    await setImmediate();
  }
  return best.map(({ source, similarity }) => ({ hash: sourceHashHex(source), similarity }));
}
