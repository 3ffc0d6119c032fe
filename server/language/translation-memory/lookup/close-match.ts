import { setImmediate } from 'node:timers/promises';
import type { Database } from '#db/client.ts';
import { countCodePoints } from '#server/formats/text.ts';
import type { LanguageCode, LanguagePair } from '#server/languages.ts';
import { inCapitals, isInCapitals } from '#server/matching/capitals.ts';
import {
  buildShard,
  candidateLimit,
  candidatesFor,
  closest,
  grams,
  isShortEnough,
  minSimilarity,
  postingsBudget,
} from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { lessPenalty } from '../penalties.ts';
import { type MemoryHit, selectWinners } from './exact-match.ts';
import { postingCacheOf } from './posting-cache.ts';
import {
  type FoundShard,
  pause,
  type ShardPosition,
  selectPostings,
  selectSourcesAt,
  selectUnindexed,
} from './posting-lists.ts';

/**
 * A segment whose source is similar to the text, by its characters (`surface`) or by its meaning. The similarity is
 * from 0 to 1.
 */
export interface CloseHit extends MemoryHit {
  similarity: number;
  likeness: 'surface' | 'meaning';
}

/**
 * The segments that are sent to the engine. Close segments are at least 70% similar; relevant segments are the most
 * similar of the rest.
 */
export interface CloseHits {
  close: CloseHit[];
  relevant: CloseHit[];
}

/** Maximum number of segments of each kind that are sent to the engine. */
export const maxHits = { close: 5, relevant: 5 };
const maxRanked = maxHits.close + maxHits.relevant;
/**
 * How much less is read for a text with parts, and for a part: only the best matches of a part are used, and few segments
 * are as long as the whole. `share` divides the postings, `compared` the candidates. `npm run bench -- memory/paragraph`
 * measures the recall.
 */
const inWhole = { share: 8, compared: 2, grams: 64 };
const inPart = { share: 8, compared: 8, grams: 32 };
const only = { share: 1, compared: 1, grams: undefined };
/** The minimum similarity of a relevant segment. A less similar one does not help to translate the text. */
const relevantFrom = 0.3;

interface Ranked {
  hash: string;
  similarity: number;
  /** Whether the text is in capitals and the segment is not. */
  isRecased: boolean;
}

/** The maximum similarity of a text in capitals and a segment that is not. */
const maxRecased = 0.98;

/** A text whose most similar segments are searched. */
interface CloseLookup {
  text: string;
  /**
   * Whether the text is only a part of the translated text. Otherwise its own source is left out, because it would be
   * served as an exact match.
   */
  isPart?: boolean;
}

/** Returns the segments most similar to a text (`findCloseEach`). */
export async function findClose(
  database: Database,
  tenantId: string,
  pair: LanguagePair,
  text: string,
): Promise<CloseHits> {
  const [hits] = await findCloseEach(database, tenantId, pair, [{ text }]);
  return hits!;
}

/**
 * Returns the segments most similar to each text: candidates from the index, ranked by edit similarity. If several
 * segments have the same source, the one is returned that would be served as an exact match. All texts are looked up in
 * the same three transactions, because the texts of a paragraph or page are searched together.
 */
export async function findCloseEach(
  database: Database,
  tenantId: string,
  pair: LanguagePair,
  texts: readonly CloseLookup[],
): Promise<CloseHits[]> {
  const asked = texts.map(({ text, isPart = false }) => {
    const normal = isShortEnough(text) ? normalForm(text) : '';
    const { share, compared, grams: most } = isPart ? inPart : texts.length > 1 ? inWhole : only;
    return { normal, isPart, share, compared, buckets: normal === '' ? [] : [...grams(normal, most)] };
  });
  const searched = asked.filter(({ normal }) => normal !== '');
  if (searched.length === 0) return texts.map(() => ({ close: [], relevant: [] }));
  // The candidates and the segments are read in two transactions, so that no connection is held while candidates are
  // ranked.
  const [shards, unindexed] = await selectPostings(
    database,
    postingCacheOf(database),
    tenantId,
    pair,
    searched.map(({ buckets, share }) => ({ buckets, budget: postingsBudget / share })),
    (tx) =>
      selectUnindexed(
        tx,
        tenantId,
        pair,
        searched.map(({ normal }) => countCodePoints(normal)),
      ),
  );
  const here = indexInMemory(unindexed);
  const places: ShardPosition[] = [];
  const found: { first: number; last: number; sources: string[] }[] = [];
  for (const [index, { normal, buckets, compared }] of searched.entries()) {
    const limit = Math.ceil(candidateLimit(normal) / compared);
    const best = await bestCandidates(normal, shards[index]!, here, { buckets: new Set(buckets), limit });
    found.push({ first: places.length, last: places.length + best.places.length, sources: best.sources });
    places.push(...best.places);
  }
  const stored: string[] = [];
  const rows = await database.inTenant(tenantId, (tx) => selectSourcesAt(tx, tenantId, pair, places));
  for (const { at, sourceText } of rows) stored[at] = normalForm(sourceText);

  const others = searched.map(({ normal, isPart }, index) => {
    const { first, last, sources } = found[index]!;
    const different = new Set([
      ...sources,
      ...stored.slice(first, last).filter((source) => source !== undefined),
    ]);
    if (!isPart) different.delete(normal);
    return [...different];
  });
  const rankEach = async (count: number) => {
    const ranked: Ranked[][] = [];
    for (const [index, { normal }] of searched.entries())
      ranked.push(await rank(normal, others[index]!, count, pair.pairSource as LanguageCode));
    const hashes = [...new Set(ranked.flat().map(({ hash }) => hash))];
    const keys = hashes.map((hash) => ({ hash, ...pair, isPart: true }));
    const hits =
      keys.length > 0 ? await database.inTenant(tenantId, (tx) => selectWinners(tx, tenantId, keys)) : [];
    return { ranked, winners: new Map(hashes.map((hash, index) => [hash, hits[index]])) };
  };
  let { ranked, winners } = await rankEach(maxRanked);
  // Segments with a penalty may fall behind less similar ones.
  if (winners.values().some((winner) => winner && winner.penalty > 0))
    ({ ranked, winners } = await rankEach(4 * maxRanked));
  const results = ranked.values();
  return asked.map(({ normal }) =>
    normal === ''
      ? { close: [], relevant: [] }
      : closeHits(results.next().value!, winners, pair.pairTarget as LanguageCode),
  );
}

function closeHits(
  ranked: readonly Ranked[],
  winners: ReadonlyMap<string, MemoryHit | undefined>,
  targetLang: LanguageCode,
): CloseHits {
  const hits = ranked.flatMap(({ hash, similarity, isRecased }): CloseHit[] => {
    const winner = winners.get(hash);
    // Without a winner, the segment has been deleted since. If its target is too long, a newer segment of the same
    // source has won.
    return winner && isShortEnough(winner.targetText)
      ? [
          {
            ...winner,
            ...(isRecased && { targetText: inCapitals(winner.targetText, targetLang) }),
            similarity: lessPenalty(similarity, winner),
            likeness: 'surface',
          },
        ]
      : [];
  });
  hits.sort((a, b) => b.similarity - a.similarity);
  const close = hits.slice(0, maxHits.close).filter(({ similarity }) => similarity >= minSimilarity);
  return { close, relevant: hits.slice(close.length, close.length + maxHits.relevant) };
}

/** The part of a shard that `candidatesFor` reads. The shard may be stored or in memory. */
type Postings = Pick<FoundShard, 'segments' | 'lengthMarks' | 'lists' | 'isGone'>;

/** Sources with their own index in memory. If sources are equally similar, the first one in the list wins. */
interface InMemoryIndex extends Pick<Postings, 'segments' | 'lengthMarks'> {
  /** Returns the posting lists of some buckets. */
  listsOf: (buckets: ReadonlySet<number>) => Postings['lists'];
  /** Returns the normal form of the source with this ordinal. */
  sourceAt: (ordinal: number) => string;
}

/** Indexes sources that are in no shard yet, only in memory, so that they are compared with all other candidates. */
function indexInMemory(sources: readonly string[]): InMemoryIndex {
  const normals = [...new Set(sources.map(normalForm))].filter(isShortEnough);
  const built = buildShard(normals);
  return {
    segments: normals.length,
    lengthMarks: built.lengthMarks,
    listsOf: (asked) =>
      [...built.buckets].flatMap((bucket, index) =>
        asked.has(bucket)
          ? [
              {
                bucket,
                count: built.counts[index]!,
                ordinals: built.lists.subarray(built.ends[index - 1] ?? 0, built.ends[index]),
              },
            ]
          : [],
      ),
    sourceAt: (ordinal) => normals[built.order[ordinal]!]!,
  };
}

/**
 * Returns the most promising segments, best first: places in the stored shards, and sources from memory. Counts are
 * added up over all shards, so that the scores of different shards can be compared. Lets other requests run in between.
 */
async function bestCandidates(
  normal: string,
  stored: readonly FoundShard[],
  here: InMemoryIndex,
  { buckets, limit }: { buckets: ReadonlySet<number>; limit: number },
): Promise<{ places: ShardPosition[]; sources: string[] }> {
  const all: Postings[] = [...stored, { ...here, lists: here.listsOf(buckets), isGone: undefined }];
  const counts = new Map<number, number>();
  for (const { lists } of all)
    for (const { bucket, count } of lists) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  const segments = all.reduce((sum, shard) => sum + shard.segments, 0);
  const candidates = candidatesFor(normal);
  let begun = performance.now();
  let best: { shard: FoundShard | undefined; ordinal: number; score: number }[] = [];
  for (const [index, { lengthMarks, lists, isGone }] of all.entries()) {
    const shared = lists.map((list) => ({ ...list, count: counts.get(list.bucket) ?? list.count }));
    // Of equal scores, those of the earlier shard come first, so the others must be higher.
    const above = best.length < limit ? 0 : best.at(-1)!.score;
    const found = candidates({ segments, lengthMarks, lists: shared, isGone }, limit, above);
    if (found.length > 0)
      best = [...best, ...found.map((candidate) => ({ shard: stored[index], ...candidate }))]
        .sort((a, b) => b.score - a.score)
        .slice(0, limit);
    begun = await pause(begun);
  }
  return {
    places: best.flatMap(({ shard, ordinal }) => (shard ? [{ shard, ordinal }] : [])),
    sources: best.flatMap(({ shard, ordinal }) => (shard ? [] : [here.sourceAt(ordinal)])),
  };
}

/**
 * Number of sources that are compared before other requests may run. Comparing a source takes at most a millisecond.
 */
const slice = 25;

/**
 * Returns the sources most similar to the text, in normal form. If sources are equally similar, the earlier one comes
 * first. A text in capitals is compared with the capitals of the sources, too.
 */
async function rank(
  normal: string,
  others: readonly string[],
  count: number,
  language: LanguageCode,
): Promise<Ranked[]> {
  const ranked = (await mostSimilar(normal, others, count)).map((one) => ({ ...one, isRecased: false }));
  if (!isInCapitals(normal)) return ranked.map(hashed);
  const sources = new Map(others.map((source) => [inCapitals(source, language), source]));
  const recased = await mostSimilar(normal, [...sources.keys()], count);
  const all = [
    ...ranked,
    ...recased.flatMap(({ source, similarity }) => {
      const own = sources.get(source)!;
      return own === source
        ? []
        : [{ source: own, similarity: Math.min(similarity, maxRecased), isRecased: true }];
    }),
  ].sort((one, other) => other.similarity - one.similarity);
  return [...new Map(all.toReversed().map((one) => [one.source, one])).values()]
    .sort((one, other) => other.similarity - one.similarity)
    .slice(0, count)
    .map(hashed);
}

const hashed = ({ source, ...one }: Omit<Ranked, 'hash'> & { source: string }): Ranked => ({
  hash: sourceHashHex(source),
  ...one,
});

async function mostSimilar(
  normal: string,
  others: readonly string[],
  count: number,
): Promise<{ source: string; similarity: number }[]> {
  let best: { source: string; similarity: number }[] = [];
  for (let at = 0; at < others.length; at += slice) {
    // Compare the best sources so far again: then a source that is known to be worse needs no full comparison.
    const compared = [...best.map(({ source }) => source), ...others.slice(at, at + slice)];
    best = closest(normal, compared, count, relevantFrom).map(({ index, similarity }) => ({
      source: compared[index]!,
      similarity,
    }));
    await setImmediate();
  }
  return best;
}
