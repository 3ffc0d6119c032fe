import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { indexPending, indexSet } from '#server/language/translation-memory/index-set.ts';
import { findClose } from '#server/language/translation-memory/lookup/close-match.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const pair = { pairSource: 'en', pairTarget: 'fr' };

/** Sentences that have little in common except their form. */
const sentence = (index: number) =>
  `Valve ${index * 7919} of the ${['north', 'south', 'east', 'west'][index % 4]} wing leaks ${index} drops.`;

/** A tenant with a golden set of `count` pairs, as publication leaves them: none of them in the index. */
async function withGolden(count: number) {
  const mine = await openSets(app);
  const { id: setId } = (await mine.memory([[sentence(0), 'Vanne 0.']])) as { id: string };
  const { tenantId } = mine;
  await append(tenantId, setId, 1, count);
  return { tenantId, setId };
}

function append(tenantId: string, setId: string, from: number, count: number) {
  const rows = Array.from({ length: count }, (_, index) => ({ n: from + index, s: sentence(from + index) }));
  return app.database.inTenant(tenantId, (tx) =>
    tx.execute(sql`
      insert into memory_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text)
      select ${tenantId}, (select content_id from memory_sets where set_id = ${setId}), 1000 + n, substring(sha256(s::bytea) for 16), s, 'Vanne ' || n
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
    const jobs = await app.database.inPlatform((tx) =>
      tx.execute<{ key: string }>(
        sql`select key from graphile_worker.jobs where task_identifier = 'index_memory'`,
      ),
    );
    const keys = jobs.map(({ key }) => key);
    expect(keys).toContain(`index_memory:${many.setId}`);
    expect(keys).not.toContain(`index_memory:${few.setId}`);
  });
});
