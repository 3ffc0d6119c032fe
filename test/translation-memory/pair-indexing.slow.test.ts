import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { indexPair, indexPendingPairs, markOf } from '#server/language/translation-memory/index-pair.ts';
import { indexSet } from '#server/language/translation-memory/index-set.ts';
import { findClose } from '#server/language/translation-memory/lookup/close-match.ts';
import { PostingCache } from '#server/language/translation-memory/lookup/posting-cache.ts';
import { selectPostings } from '#server/language/translation-memory/lookup/posting-lists.ts';
import { grams, postingsBudget } from '#server/matching/fuzzy/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const pair = { pairSource: 'en', pairTarget: 'fr' };
const sentence = (seed: number) =>
  `Valve ${seed * 7919} of the ${['north', 'south', 'east', 'west'][seed % 4]} wing leaks ${seed} drops.`;
const like = (seed: number) => sentence(seed).replace('drops', 'drips');

/**
 * The number of a tenant's sets. Six have 300 segments each, which form a separate shard; six have 60 segments each,
 * which are in no shard.
 */
const sets = 12;
const sizeOf = (set: number) => (set < 6 ? 300 : 60);
const seedOf = (set: number, index: number) => set * 1000 + index;

let mine: Awaited<ReturnType<typeof openSets>>;
let tenantId: string;
let setIds: string[];

beforeEach(async () => {
  mine = await openSets(app);
  tenantId = mine.tenantId;
  setIds = [];
  for (let set = 0; set < sets; set++) setIds.push(await upload(set, seedOf(set, 0)));
});

async function upload(set: number, firstSeed: number): Promise<string> {
  const units = Array.from({ length: sizeOf(set) }, (_, index): [string, string] => [
    sentence(firstSeed + index),
    `Vanne ${firstSeed + index}.`,
  ]);
  return (await mine.memory(units, { name: `Set ${set}` })).id;
}

const index = () => indexPair(app.services, { tenantId, ...pair });
const find = async (seed: number) =>
  (await findClose(app.database, tenantId, pair, like(seed))).close.map(({ sourceText }) => sourceText);

const stored = () =>
  app.database.inTenant(tenantId, async (tx) => {
    const [row] = await tx.execute<{ own: number; shared: number; waiting: number; lists: number }>(sql`
      select (select count(*)::int from memory_shards) as own, (select count(*)::int from memory_pair_shards) as shared,
        (select count(*)::int from memory_segments where shard_no is null) as waiting,
        (select count(distinct shard_no)::int from memory_pair_postings) as lists`);
    return row!;
  });

/** The number of posting lists that a lookup reads. */
async function listsRead(): Promise<number> {
  const texts = [{ buckets: [...grams(like(3))], budget: postingsBudget }];
  const [[shards]] = await selectPostings(
    app.database,
    new PostingCache(),
    tenantId,
    pair,
    texts,
    async () => {},
  );
  return shards!.reduce((sum, { lists }) => sum + lists.length, 0);
}

/** Whether the sweep adds a job for the language pair. */
async function due(): Promise<boolean> {
  const key = `index_memory_pair:${tenantId}:en:fr`;
  await indexPendingPairs(app.services);
  const jobs = await app.database.inPlatform((tx) =>
    tx.execute(
      sql`select graphile_worker.remove_job(job_key => key) from graphile_worker.jobs where key = ${key}`,
    ),
  );
  return jobs.length > 0;
}

test('the small sets of a pair share a shard, in which each of their segments is found, by their tenant only', async () => {
  expect(await stored()).toEqual({ own: 6, shared: 0, waiting: 360, lists: 0 });
  const before = await listsRead();
  expect(await due()).toBe(true);
  await index();
  expect(await stored()).toEqual({ own: 0, shared: 1, waiting: 0, lists: 1 });
  expect(await listsRead()).toBeLessThan(before / 3);
  for (const set of [0, 5, 11]) expect(await find(seedOf(set, 42))).toContain(sentence(seedOf(set, 42)));
  const { tenantId: other } = await app.signUp();
  expect((await findClose(app.database, other, pair, like(3))).close).toEqual([]);
});

test('later segments go into the same shard, once', async () => {
  await index();
  await mine.memory([[sentence(50_000), 'Vanne.']], { name: 'Later' });
  expect(await find(50_000)).toContain(sentence(50_000));
  await Promise.all([index(), index(), index()]);
  expect(await stored()).toMatchObject({ own: 0, shared: 1, waiting: 0, lists: 1 });
  for (const seed of [50_000, seedOf(3, 7)]) expect(await find(seed)).toContain(sentence(seed));
});

test('the segments of a deleted set are skipped at once, and do not crowd out others', async () => {
  await index();
  // All sets except one. If their segments were still candidates, a lookup would hardly find segments of the last set.
  for (const setId of setIds.slice(0, 11))
    expect((await app.json('DELETE', `/api/tm/${setId}`, { headers: mine.headers })).status).toBe(204);
  expect(await find(seedOf(2, 42))).not.toContain(sentence(seedOf(2, 42)));
  expect(await find(seedOf(11, 42))).toContain(sentence(seedOf(11, 42)));
  expect(await due()).toBe(true);
  await index();
  expect(await stored()).toEqual({ own: 0, shared: 1, waiting: 0, lists: 1 });
  expect(await due()).toBe(false);
  expect(await find(seedOf(11, 42))).toContain(sentence(seedOf(11, 42)));
});

test('a set indexed by itself while its pair is indexed stays in one shard: that of the pair', async () => {
  const { fileWork } = app.services;
  /** Indexes the language pair after the indexing of the set has read its segments, and before it stores the result. */
  const meanwhile: typeof app.services = {
    ...app.services,
    fileWork: {
      ...fileWork,
      stream: async (...work) => {
        const parts = await fileWork.stream(...work);
        await index();
        return parts;
      },
    },
  };
  const inNone = 7;
  await indexSet(meanwhile, tenantId, setIds[inNone]!);
  expect(await stored()).toEqual({ own: 0, shared: 1, waiting: 0, lists: 1 });
  const places = await app.database.inTenant(tenantId, (tx) =>
    tx.execute(sql`select distinct shard_no as place from memory_segments`),
  );
  expect([...places]).toEqual([{ place: markOf(0) }]);
  expect(await find(seedOf(inNone, 42))).toContain(sentence(seedOf(inNone, 42)));
});
