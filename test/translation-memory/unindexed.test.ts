import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { indexPair, indexPendingPairs } from '#server/language/translation-memory/index-pair.ts';
import { findClose } from '#server/language/translation-memory/lookup/close-match.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const pair = { pairSource: 'en', pairTarget: 'fr' };

/** Sources of 1900 characters that have the same words, in an order of their own. */
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
const short = (seed: number) => `Valve ${seed * 7919} of the north wing leaks ${seed} drops.`;
/** Nearly the same text. */
const like = (source: string) => `${source.slice(0, 20)}exactly ${source.slice(20, -12)}.`;

let tenantId: string;
let setIds: string[];

beforeEach(async () => {
  const mine = await openSets(app);
  tenantId = mine.tenantId;
  setIds = [];
  for (let n = 0; n < 8; n++)
    setIds.push((await mine.memory([[`Set ${n}`, 'Vanne']], { name: `Set ${n}` })).id);
});

/** Far above the numbers of imported segments. */
let segmentNo = 1_000_000;

/** Adds sources to a set, as publication leaves them: in no index. The later ones are the newer ones. */
function add(setId: string, sources: string[]) {
  const rows = sources.map((s) => ({ n: ++segmentNo, s }));
  return app.database.inTenant(tenantId, (tx) =>
    tx.execute(sql`
      insert into memory_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text)
      select ${tenantId}, (select content_id from memory_sets where set_id = ${setId}), n, substring(sha256(s::bytea) for 16), s, 'Vanne ' || n
      from json_to_recordset(${JSON.stringify(rows)}::json) as r(n int, s text)`),
  );
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
const find = async (text: string) =>
  (await findClose(app.database, tenantId, pair, text)).close.map(({ sourceText }) => sourceText);

async function swept(): Promise<string[]> {
  await indexPendingPairs(app.services);
  const jobs = await app.database.inPlatform((tx) =>
    tx.execute<{ key: string }>(sql`
      select key from graphile_worker.jobs where task_identifier = 'index_memory_pair'`),
  );
  return jobs.map(({ key }) => key).filter((key) => key === `index_memory_pair:${tenantId}:en:fr`);
}

describe('many long segments in no index', () => {
  beforeEach(async () => {
    for (const [set, setId] of setIds.entries()) await add(setId, range(set * 255, 255).map(long));
  });

  test('a lookup reads a part of them, and finds the newest', async () => {
    const source = long(8 * 255 - 3);
    expect((await find(like(source)))[0]).toBe(source);
    expect(await find(like(long(1)))).not.toContain(long(1));
  });

  test('the sweep brings all of their sets into the index, where the oldest is found too', async () => {
    expect(await swept()).toHaveLength(1);
    await indexPair(app.services, { tenantId, ...pair });
    expect((await find(like(long(1))))[0]).toBe(long(1));
  });
});

describe('small sets', () => {
  test('are indexed once 1000 segments of their pair wait, and not before', async () => {
    for (const [set, setId] of setIds.slice(1).entries()) await add(setId, range(set * 138, 138).map(short));
    expect(await swept()).toEqual([]);
    await add(setIds[0]!, range(5000, 31).map(short));
    expect(await swept()).toHaveLength(1);
  });

  test('a source is found behind many newer ones that are much longer or shorter', async () => {
    await add(setIds[0]!, [short(42)]);
    await add(setIds[1]!, range(0, 200).map(long));
    await add(
      setIds[2]!,
      range(0, 200).map((n) => `Valve ${n}`),
    );
    expect(await find(short(42).replace('drops', 'drips'))).toEqual([short(42)]);
  });
});
