import { describe, expect, test } from 'vitest';
import { embedPending, embedSet } from '#server/language/translation-memory/embed-golden-sets.ts';
import { findExamples } from '#server/language/translation-memory/lookup/examples.ts';
import { project, quantize } from '#server/matching/vectors.ts';
import { atItsPath, embeddedTexts, embeddings, isEmbedding, meaningOf } from '#test/fakes/embeddings.ts';
import { failure } from '#test/fakes/openai.ts';
import type { Signup } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { useEmbeddingApp } from './embedding-app.ts';

const { app, fake, importPairs } = await useEmbeddingApp({ MAX_BATCH_ITEMS: '700' });

const sentences = (count: number) =>
  Array.from({ length: count }, (_, at) => `Tighten bolt number ${at} of the pump.`);

/** Publishes translations into French, and returns the IDs of the jobs. */
async function publish(tenant: Signup, texts: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const source_text of texts) {
    const { body } = await app.json('POST', '/api/translations', {
      headers: tenant.headers,
      body: { source_text, source_lang: 'en', target_lang: 'fr' },
    });
    expect(body.status).toBe('published');
    ids.push(body.id);
  }
  return ids;
}

/** Deletes a job with an administrator's session. */
async function remove({ accessToken }: Signup, job: string): Promise<void> {
  const headers = { authorization: `Bearer ${accessToken}` };
  const { body } = await app.json('DELETE', `/api/translations/${job}`, { headers });
  expect(body.tm_pairs_removed).toBe(1);
}

const goldenSet = async (tenant: Signup) =>
  (await app.json('GET', '/api/tm', tenant)).body.find(
    ({ origin }: { origin: string }) => origin === 'golden_approved',
  );

/** The source texts of a tenant's approved translations, by block. */
const blocks = async ({ tenantId }: Signup) => {
  const sql = openSuperuser(app.superuserUrl);
  return sql<{ sources: string[]; nos: number; codes: number; vectors: number }[]>`
    select length(codes) / 32 as codes, length(vectors) / 256 as vectors, cardinality(segment_nos) as nos,
      array(select source_text from unnest(segment_nos) with ordinality as n(no, at)
        join memory_segments m on m.content_id = v.content_id and m.segment_no = n.no order by at) as sources
    from memory_vectors v where tenant_id = ${tenantId} order by block_no`;
};

/** The data that is stored for a source text in its block. */
const storedVector = async ({ tenantId }: Signup, source: string) => {
  const sql = openSuperuser(app.superuserUrl);
  const [row] = await sql<{ code: Buffer; vector: Buffer }[]>`
    select substring(codes from 32 * i - 31 for 32) as code, substring(vectors from 256 * i - 255 for 256) as vector
    from (select codes, vectors, array_position(segment_nos, segment_no) as i
      from memory_segments m join memory_vectors v using (tenant_id, content_id)
      where tenant_id = ${tenantId} and source_text = ${source}) stored`;
  return row;
};

/** The sets for which the sweep adds jobs. */
async function waiting(services = app.services): Promise<string[]> {
  const sql = openSuperuser(app.superuserUrl);
  await sql`delete from graphile_worker._private_jobs`;
  await embedPending(services);
  const jobs = await sql<{ id: string }[]>`
    select payload ->> 'setId' as id from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id where identifier = 'embed_memory'`;
  return jobs.map(({ id }) => id);
}

describe('approved pairs', () => {
  test('get their vectors in the background, never in the publication', async () => {
    const tenant = await app.signUp();
    await publish(tenant, sentences(3));
    expect(fake.requests.filter(isEmbedding)).toEqual([]);
    const set = await goldenSet(tenant);
    expect(set).toMatchObject({ embedding_model: 'near-1', stub_embeddings: false });
    expect(await waiting()).toContain(set.id);
    await embedSet(app.services, tenant.tenantId, set.id);
    expect(embeddedTexts(fake.requests)).toEqual(sentences(3));
    expect((await blocks(tenant)).map(({ sources }) => sources)).toEqual([sentences(3)]);
    expect(await goldenSet(tenant)).toMatchObject({
      embedding_model: 'near-1',
      stub_embeddings: false,
      entry_count: 3,
      updated_at: set.updated_at,
    });
    expect(await waiting()).not.toContain(set.id);
    const pair = { pairSource: 'en', pairTarget: 'fr' };
    const { relevant } = await findExamples(app.services, tenant.tenantId, pair, {
      text: 'Pump: bolt! Tighten!',
      parts: [],
    });
    expect(relevant[0]).toMatchObject({ origin: 'golden_approved', likeness: 'meaning' });
  });

  test('that come later fill the last block first', async () => {
    const tenant = await app.signUp();
    await publish(tenant, sentences(2));
    const { id } = await goldenSet(tenant);
    await embedSet(app.services, tenant.tenantId, id);
    await publish(tenant, sentences(3).slice(2));
    expect(await waiting()).toContain(id);
    fake.requests.length = 0;
    await embedSet(app.services, tenant.tenantId, id);
    expect(embeddedTexts(fake.requests)).toEqual(sentences(3).slice(2));
    expect(await blocks(tenant)).toEqual([{ sources: sentences(3), nos: 3, codes: 3, vectors: 3 }]);
  });

  test('that are deleted lose their vectors, and the others keep theirs', async () => {
    const tenant = await app.signUp();
    const jobs = await publish(tenant, sentences(6));
    const { id } = await goldenSet(tenant);
    await embedSet(app.services, tenant.tenantId, id);
    const left = [1, 3].map((at) => sentences(6)[at]!);
    await Promise.all([0, 2, 4, 5].map((at) => remove(tenant, jobs[at]!)));
    expect(await blocks(tenant)).toEqual([{ sources: left, nos: 2, codes: 2, vectors: 2 }]);
    expect(await waiting()).not.toContain(id);
    for (const source of left) {
      const vector = quantize(project(meaningOf(source)))!;
      expect(await storedVector(tenant, source)).toEqual({
        code: Buffer.from(vector.code),
        vector: Buffer.from(vector.vector.buffer),
      });
    }
    await Promise.all([1, 3].map((at) => remove(tenant, jobs[at]!)));
    expect(await blocks(tenant)).toEqual([{ sources: [], nos: 0, codes: 0, vectors: 0 }]);
    await publish(tenant, sentences(1));
    await embedSet(app.services, tenant.tenantId, id);
    expect(await blocks(tenant)).toEqual([{ sources: sentences(1), nos: 1, codes: 1, vectors: 1 }]);
  });

  test('that are deleted during the model’s call get none', async () => {
    const tenant = await app.signUp();
    const [job] = await publish(tenant, sentences(2));
    const { id } = await goldenSet(tenant);
    fake.otherwise(
      atItsPath(async (response, request) => {
        if (fake.requests.filter(isEmbedding).length === 1) await remove(tenant, job!);
        await embeddings()(response, request);
      }),
    );
    await embedSet(app.services, tenant.tenantId, id);
    expect((await blocks(tenant)).map(({ sources }) => sources)).toEqual([sentences(2).slice(1)]);
    expect(await waiting()).not.toContain(id);
  });

  test('stay waiting when the model does not answer, and the task fails', async () => {
    const tenant = await app.signUp();
    await publish(tenant, sentences(1));
    const { id } = await goldenSet(tenant);
    fake.otherwise(atItsPath(failure(500)));
    await expect(embedSet(app.services, tenant.tenantId, id)).rejects.toThrow('is unreachable');
    expect(await goldenSet(tenant)).toMatchObject({ embedding_model: 'near-1', stub_embeddings: false });
    expect(await waiting()).toContain(id);
  });

  test('are embedded anew for another model', async () => {
    const tenant = await app.signUp();
    await publish(tenant, sentences(2));
    const { id } = await goldenSet(tenant);
    await embedSet(app.services, tenant.tenantId, id);
    const services = {
      ...app.services,
      embedder: { model: 'near-2', embed: app.services.embedder!.embed },
    };
    expect(await waiting(services)).toContain(id);
    await embedSet(services, tenant.tenantId, id);
    expect(embeddedTexts(fake.requests)).toEqual([...sentences(2), ...sentences(2)]);
    expect(await goldenSet(tenant)).toMatchObject({ embedding_model: 'near-2' });
    expect(await blocks(tenant)).toMatchObject([{ nos: 2 }]);
    expect(await waiting(services)).not.toContain(id);
  });
});

test('imported sets without vectors stay so, and no model means no jobs', async () => {
  const tenant = await app.signUp();
  const { embedder } = app.services;
  Object.assign(app.services, { embedder: null });
  await importPairs(tenant, [['One', 'Un']]).finally(() => Object.assign(app.services, { embedder }));
  await publish(tenant, sentences(1));
  const [golden, imported] = (await app.json('GET', '/api/tm', tenant)).body;
  expect(imported).toMatchObject({ origin: 'tmx_import', stub_embeddings: true, embedding_model: null });
  expect(await waiting()).toContain(golden.id);
  expect(await waiting()).not.toContain(imported.id);
  expect(await waiting({ ...app.services, embedder: null })).toEqual([]);
});
