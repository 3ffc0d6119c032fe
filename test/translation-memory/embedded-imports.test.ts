import { describe, expect, test } from 'vitest';
import { runImport } from '#server/language/translation-memory/imports/run-import.ts';
import { atItsPath, embeddedTexts, embeddings } from '#test/fakes/embeddings.ts';
import { failure, type Reply } from '#test/fakes/openai.ts';
import type { Signup } from '#test/setup/app.ts';
import { refusalOf } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { heldReply } from '#test/translations/live.ts';
import { manyPairs, useEmbeddingApp } from './embedding-app.ts';

const { app, fake, importPairs } = await useEmbeddingApp({
  TM_ASYNC_THRESHOLD: '700',
  MAX_TM_SEGMENTS: '30000',
});

const unavailable =
  'memory import backend unavailable: the embedding model returned no usable response; nothing was imported, send the file again later';

const sets = async ({ headers }: Signup) => (await app.json('GET', '/api/tm', { headers })).body;

/** The data that is stored for a tenant's vectors, by block. */
const blocks = async ({ tenantId }: Signup) => {
  const sql = openSuperuser(app.superuserUrl);
  return sql<{ nos: string[]; codes: number; vectors: number; model: string }[]>`
    select segment_nos::text[] as nos, length(codes) as codes, length(vectors) as vectors, embedding_model as model
    from memory_vectors join memory_sets using (tenant_id, content_id)
    where tenant_id = ${tenantId} order by block_no`;
};

describe('an import that is stored at once', () => {
  test('has a vector for each segment that may be offered, and records the model', async () => {
    const tenant = await app.signUp();
    const pairs = [...manyPairs(600), ['x '.repeat(1500), 'long'], ['short', 'y '.repeat(1500)]] as const;
    const { status, body } = await importPairs(tenant, pairs);
    expect([status, body.imported]).toEqual([200, 602]);
    expect(body).toMatchObject({ embedding_model: 'near-1', stub_embeddings: false });
    expect(await sets(tenant)).toMatchObject([{ embedding_model: 'near-1', stub_embeddings: false }]);
    expect(embeddedTexts(fake.requests).toSorted()).toEqual(
      manyPairs(600)
        .map(([source]) => source)
        .toSorted(),
    );
    const stored = await blocks(tenant);
    expect(stored.flatMap(({ nos }) => nos.map(Number))).toEqual(
      Array.from({ length: 600 }, (_, at) => at + 1),
    );
    for (const { nos, codes, vectors } of stored)
      expect([codes, vectors]).toEqual([32 * nos.length, 256 * nos.length]);
  });

  test.each<[string, Reply]>([
    ['500', failure(500)],
    ['too few vectors', embeddings({ change: (body) => ({ data: body.data.slice(1) }) })],
  ])('is a 502 if the model returns %s; the earlier set stays', async (_, reply) => {
    const tenant = await app.signUp();
    await importPairs(tenant, [['Old source', 'Ancienne cible']]);
    fake.otherwise(atItsPath(reply));
    expect(await importPairs(tenant, manyPairs(3))).toEqual({ status: 502, body: refusalOf(unavailable) });
    expect(await importPairs(tenant, manyPairs(3), 'New')).toEqual({
      status: 502,
      body: refusalOf(unavailable),
    });
    expect(await sets(tenant)).toMatchObject([{ name: 'Manuals', entry_count: 1, stub_embeddings: false }]);
    expect((await blocks(tenant)).map(({ nos }) => nos)).toEqual([['1']]);
    const exported = await app.request(`/api/tm/${(await sets(tenant))[0].id}/export`, tenant);
    expect(await exported.text()).toContain('Ancienne cible');
  });

  test('a set that is replaced has the vectors of its new segments alone; deleted, none', async () => {
    const tenant = await app.signUp();
    await importPairs(tenant, manyPairs(600));
    await importPairs(tenant, manyPairs(2));
    expect((await blocks(tenant)).map(({ nos }) => nos)).toEqual([['1', '2']]);
    const [{ id }] = await sets(tenant);
    await app.json('DELETE', `/api/tm/${id}`, tenant);
    expect(await blocks(tenant)).toEqual([]);
  });
});

describe('an import in the background', () => {
  const begin = async (pairs = manyPairs(800)) => {
    const tenant = await app.signUp();
    const { status, body } = await importPairs(tenant, pairs);
    expect(status).toBe(202);
    const poll = async () => (await app.json('GET', body.poll_url, tenant)).body.job;
    return { tenant, poll, run: () => runImport(app.services, tenant.tenantId, body.job.id) };
  };

  test('that another worker has ended already is left unchanged', async () => {
    const { tenant, poll, run } = await begin();
    const { held, reached, letGo } = heldReply(embeddings());
    fake.otherwise(atItsPath(held));
    const late = run();
    await reached;
    fake.otherwise(atItsPath(embeddings()));
    await run();
    const ended = await poll();
    expect(ended.status).toBe('completed');
    letGo();
    await late;
    expect(await poll()).toEqual(ended);
    expect((await blocks(tenant)).flatMap(({ nos }) => nos)).toHaveLength(800);
  });

  test('ends failed after its tries, with the message of the 502, and nothing is imported', async () => {
    const { tenant, poll, run } = await begin();
    fake.otherwise(atItsPath(failure(500)));
    for (let attempt = 1; attempt < 5; attempt++) {
      await expect(run()).rejects.toThrow('memory import backend unavailable');
      expect((await poll()).status).toBe('running');
    }
    await run();
    expect(await poll()).toMatchObject({ status: 'failed', error: unavailable, result: null });
    expect(await sets(tenant)).toEqual([]);
    expect((await importPairs(tenant, manyPairs(1))).status).toBe(502);
    fake.otherwise(atItsPath(embeddings()));
    expect((await importPairs(tenant, manyPairs(1))).status).toBe(200);
  });
});
