import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { indexPair, indexPendingPairs } from '#server/language/translation-memory/index-pair.ts';
import { indexPending, indexSet } from '#server/language/translation-memory/index-set.ts';
import { findClose } from '#server/language/translation-memory/lookup/close-match.ts';
import { PostingCache } from '#server/language/translation-memory/lookup/posting-cache.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const pair = { pairSource: 'en', pairTarget: 'fr' };

/** Sentences that have only their structure in common. */
const sentence = (index: number) =>
  `Valve ${index * 7919} of the ${['north', 'south', 'east', 'west'][index % 4]} wing leaks ${index} drops.`;

/** Source texts of 1,900 characters that consist of the same words in different orders. */
const words = 'valve pump wing north south leaks drops machine cellar weekly checked before started'.split(
  ' ',
);
function long(seed: number): string {
  let [state, text] = [seed + 1, `Text ${seed}:`];
  while (text.length < 1900) {
    state = (Math.imul(state, 48271) + 12345) & 0x7fffffff;
    text += ` ${words[(state >>> 8) % words.length]}`;
  }
  return text.slice(0, 1899).trimEnd().padEnd(1900, '.');
}
/** A text that is very similar to `source`. */
const like = (source: string) => `${source.slice(0, 20)}exactly ${source.slice(20, -12)}.`;

/**
 * Creates a tenant with `count` approved translations in the state after their publication: the index contains none of
 * them.
 */
async function withGolden(count: number) {
  const mine = await openSets(app);
  const { id: setId } = (await mine.memory([[sentence(0), 'Vanne 0.']])) as { id: string };
  const { tenantId } = mine;
  await append(tenantId, setId, 1, count);
  return { tenantId, setId };
}

const append = (tenantId: string, setId: string, from: number, count: number) =>
  add(tenantId, setId, range(from, count).map(sentence));

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

/** Numbers that are far above those of imported segments. */
let segmentNo = 1_000_000;

/**
 * Adds source texts to a set in the state after publication: the index does not contain them. Later texts are newer.
 */
function add(tenantId: string, setId: string, sources: string[]) {
  const rows = sources.map((s) => ({ n: ++segmentNo, s }));
  return app.database.inTenant(tenantId, (tx) =>
    tx.execute(sql`
      insert into memory_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text)
      select ${tenantId}, (select content_id from memory_sets where set_id = ${setId}), n, substring(sha256(s::bytea) for 16), s, 'Vanne ' || n
      from json_to_recordset(${JSON.stringify(rows)}::json) as r(n int, s text)`),
  );
}

const places = (tenantId: string) =>
  app.database.inTenant(tenantId, async (tx) => {
    const [row] = await tx.execute<{
      waiting: number;
      shards: number;
      segments: number;
      places: number;
    }>(sql`
      select (select count(*)::int from memory_segments where shard_no is null) as waiting,
        (select count(*)::int from memory_shards) as shards,
        (select sum(segments)::int from memory_shards) as segments,
        (select count(distinct place)::int from memory_shards, generate_series(1, length(segment_nos), 8) at,
          substring(segment_nos from at for 8) place
          where ('x' || encode(place, 'hex'))::bit(64)::bigint in (select segment_no from memory_segments)) as places`);
    return row!;
  });

const find = async (tenantId: string, text: string) =>
  (await findClose(app.database, tenantId, pair, text)).close.map(({ sourceText }) => sourceText);

async function jobsOf(task: string): Promise<string[]> {
  const jobs = await app.database.inPlatform((tx) =>
    tx.execute<{ key: string }>(sql`select key from graphile_worker.jobs where task_identifier = ${task}`),
  );
  return jobs.map(({ key }) => key);
}

describe('segments that come one by one', () => {
  test('are found before they are indexed, and after', async () => {
    const { tenantId, setId } = await withGolden(300);
    const text = sentence(42).replace('drops', 'drips');
    expect(await find(tenantId, text)).toContain(sentence(42));
    await indexSet(app.services, tenantId, setId);
    expect(await places(tenantId)).toEqual({ waiting: 0, shards: 1, segments: 301, places: 301 });
    expect(await find(tenantId, text)).toContain(sentence(42));
  });

  test('are indexed together with a small shard, which is replaced', async () => {
    const { tenantId, setId } = await withGolden(300);
    await indexSet(app.services, tenantId, setId);
    await append(tenantId, setId, 400, 50);
    await indexSet(app.services, tenantId, setId);
    expect(await places(tenantId)).toEqual({ waiting: 0, shards: 1, segments: 351, places: 351 });
    for (const index of [42, 420])
      expect(await find(tenantId, sentence(index).replace('drops', 'drips'))).toContain(sentence(index));
  });

  test('a lookup never uses what it has read of a shard that is gone, though the next one has its number', async () => {
    const { tenantId, setId } = await withGolden(300);
    const text = sentence(420).replace('drops', 'drips');
    await indexSet(app.services, tenantId, setId);
    expect(await find(tenantId, text)).not.toContain(sentence(420));
    await app.database.inTenant(tenantId, async (tx) => {
      await tx.execute(sql`delete from memory_segments where shard_no is not null`);
      await tx.execute(sql`delete from memory_shards`);
    });
    await append(tenantId, setId, 400, 300);
    await indexSet(app.services, tenantId, setId);
    expect(await places(tenantId)).toEqual({ waiting: 0, shards: 1, segments: 300, places: 300 });
    expect(await find(tenantId, text)).toContain(sentence(420));
  });

  test('deleted segments are no longer found, though the index still has their grams', async () => {
    const { tenantId, setId } = await withGolden(300);
    await indexSet(app.services, tenantId, setId);
    await app.database.inTenant(tenantId, (tx) =>
      tx.execute(sql`delete from memory_segments where source_text = ${sentence(42)}`),
    );
    expect(await find(tenantId, sentence(42).replace('drops', 'drips'))).not.toContain(sentence(42));
  });

  test('the sweep adds a job if many wait, and none if few do', async () => {
    const many = await withGolden(300);
    const few = await withGolden(30);
    await indexPending(app.services);
    const keys = await jobsOf('index_memory');
    expect(keys).toContain(`index_memory:${many.setId}`);
    expect(keys).not.toContain(`index_memory:${few.setId}`);
  });
});

/** Several sets of a tenant that the index does not contain yet. */
describe('segments of many sets', () => {
  let tenantId: string;
  let setIds: string[];

  beforeEach(async () => {
    const mine = await openSets(app);
    tenantId = mine.tenantId;
    setIds = [];
    for (let n = 0; n < 8; n++)
      setIds.push((await mine.memory([[`Set ${n}`, 'Vanne']], { name: `Set ${n}` })).id);
  });

  async function swept(): Promise<string[]> {
    await indexPendingPairs(app.services);
    const keys = await jobsOf('index_memory_pair');
    return keys.filter((key) => key === `index_memory_pair:${tenantId}:en:fr`);
  }

  describe('many long segments in no index', () => {
    beforeEach(async () => {
      for (const [set, setId] of setIds.entries())
        await add(tenantId, setId, range(set * 255, 255).map(long));
    });

    test('a lookup reads a part of them, and finds the newest', async () => {
      const source = long(8 * 255 - 3);
      expect((await find(tenantId, like(source)))[0]).toBe(source);
      expect(await find(tenantId, like(long(1)))).not.toContain(long(1));
    });

    test('the sweep brings all of their sets into the index, where the oldest is found too', async () => {
      expect(await swept()).toHaveLength(1);
      await indexPair(app.services, { tenantId, ...pair });
      expect((await find(tenantId, like(long(1))))[0]).toBe(long(1));
    });
  });

  describe('small sets', () => {
    test('are indexed once 1000 segments of their pair wait, and not before', async () => {
      for (const [set, setId] of setIds.slice(1).entries())
        await add(tenantId, setId, range(set * 138, 138).map(sentence));
      expect(await swept()).toEqual([]);
      await add(tenantId, setIds[0]!, range(5000, 31).map(sentence));
      expect(await swept()).toHaveLength(1);
    });

    test('a source is found behind many newer ones that are much longer or shorter', async () => {
      await add(tenantId, setIds[0]!, [sentence(42)]);
      await add(tenantId, setIds[1]!, range(0, 200).map(long));
      await add(
        tenantId,
        setIds[2]!,
        range(0, 200).map((n) => `Valve ${n}`),
      );
      expect(await find(tenantId, sentence(42).replace('drops', 'drips'))).toEqual([sentence(42)]);
    });
  });
});

/** A list of 100,000 bytes. */
const large = (bucket: number) => ({ bucket, count: 1, ordinals: new Uint8Array(100_000).fill(bucket) });
const key = 'tenant content 0 700';

describe('the cache of posting lists', () => {
  test('keeps the lists and lengths of a shard apart from those of another shard', () => {
    const cache = new PostingCache();
    const lengths = new Uint8Array([1, 2]);
    const absent = { bucket: 4, count: 0, ordinals: undefined };
    cache.addLengthMarks(key, lengths);
    cache.add(key, large(3));
    cache.add(key, absent);
    expect(cache.lengthMarks(key)).toBe(lengths);
    expect(cache.lists(key)(3)).toEqual(large(3));
    expect(cache.lists(key)(4)).toEqual(absent);
    expect(cache.lists(key)(5)).toBeUndefined();
    for (const other of ['tenant content 1 700', 'tenant content 0 701', 'tenan content 0 700']) {
      expect(cache.lengthMarks(other)).toBeUndefined();
      expect(cache.lists(other)(3)).toBeUndefined();
    }
  });

  test('keeps lists that are used, and at most 33 MB', () => {
    const cache = new PostingCache();
    cache.addLengthMarks(key, new Uint8Array([7]));
    for (let bucket = 0; bucket < 1000; bucket++) {
      cache.add(key, large(bucket));
      cache.lists(key)(0);
      cache.lengthMarks(key);
    }
    const known = cache.lists(key);
    const kept = Array.from({ length: 1000 }, (_, bucket) => bucket).filter((bucket) => known(bucket));
    expect(kept.length).toBeGreaterThan(100);
    expect(kept.length).toBeLessThanOrEqual(330);
    expect(kept).toContain(0);
    expect(kept).toContain(999);
    for (const bucket of [0, 999]) expect(known(bucket)).toEqual(large(bucket));
    expect(cache.lengthMarks(key)).toEqual(new Uint8Array([7]));
  });

  test('is bounded by the number of shards, too', () => {
    const cache = new PostingCache();
    const keyOf = (shard: number) => `tenant content ${shard} 700`;
    for (let shard = 0; shard < 200_000; shard++) cache.addLengthMarks(keyOf(shard), new Uint8Array([1]));
    const known = [0, 50_000, 100_000, 199_999].map((shard) => cache.lengthMarks(keyOf(shard)) !== undefined);
    expect(known).toEqual([false, false, false, true]);
  });
});
