import { describe, expect, test } from 'vitest';
import type { Embedder } from '#server/platform/engines/engine.ts';
import { createOpenAiEmbedder } from '#server/platform/engines/openai/embedder.ts';
import { selectModels } from '#server/platform/engines/select.ts';
import { readSettings } from '#server/settings.ts';
import { type EmbeddingsBody, embeddings, meaningOf } from '#test/fakes/embeddings.ts';
import { after, failure, hang, reset } from '#test/fakes/openai.ts';
import { failed, key, scope, settings, useFakeUpstream } from './live-engine.ts';

const upstream = useFakeUpstream();

const embedder = (more: object = {}): Embedder =>
  createOpenAiEmbedder(
    { ...settings, OPENAI_EMBEDDING_MODEL: 'near-1', OPENAI_BASE_URL: upstream.fake.baseUrl, ...more },
    { sleep: async (ms) => void upstream.waits.push(ms) },
  );

describe('the request', () => {
  test('names the model and the texts, and nothing that some endpoint refuses', async () => {
    upstream.fake.enqueue(embeddings());
    await embedder().embed(['one', 'two'], scope);
    const [{ method, path, headers, body }] = upstream.fake.requests as [(typeof upstream.fake.requests)[0]];
    expect([method, path, headers.authorization]).toEqual(['POST', '/v1/embeddings', `Bearer ${key}`]);
    expect(body).toEqual({ model: 'near-1', input: ['one', 'two'], encoding_format: 'base64' });
  });

  test('holds at most 64 texts and 60,000 characters; results come back in the order of the texts', async () => {
    const texts = Array.from({ length: 150 }, (_, at) => `text ${at} ${at < 80 ? 'x'.repeat(1800) : ''}`);
    // Requests that arrive first receive their response last.
    let requests = 0;
    upstream.fake.otherwise((response, request) => {
      requests += 1;
      return after(Math.max(1, 200 - 40 * requests), embeddings())(response, request);
    });
    const vectors = await embedder().embed(texts, scope);
    expect(vectors).toEqual(texts.map((text) => meaningOf(text)));
    const inputs = upstream.fake.requests.map(({ body }) => body['input'] as string[]);
    expect(inputs.flat().sort()).toEqual(texts.toSorted());
    for (const input of inputs) {
      expect(input.length).toBeLessThanOrEqual(64);
      expect(input.join('').length).toBeLessThanOrEqual(60_000);
    }
    expect(inputs.length).toBeLessThanOrEqual(6);
  });
});

describe('a response', () => {
  const changed = (change: (body: EmbeddingsBody) => unknown) => embeddings({ change });
  const item = (embedding: unknown, index: unknown = 0) => ({ object: 'embedding', index, embedding });

  test('may hold numbers instead of Base64, be out of order, or lack indexes', async () => {
    upstream.fake.enqueue(
      embeddings({ numbers: true }),
      changed((body) => ({ ...body, data: body.data.toReversed() })),
      changed((body) => ({ data: body.data.map(({ embedding }) => ({ embedding })) })),
    );
    for (let turn = 0; turn < 3; turn++)
      expect(await embedder().embed(['one', 'two'], scope)).toEqual([meaningOf('one'), meaningOf('two')]);
  });

  test.each<[string, (body: EmbeddingsBody) => unknown]>([
    ['fewer vectors than texts', (body) => ({ ...body, data: body.data.slice(1) })],
    ['two vectors of one text', (body) => ({ data: body.data.map((vector) => ({ ...vector, index: 0 })) })],
    ['an index that is none', (body) => ({ data: body.data.map((vector) => ({ ...vector, index: 'x' })) })],
    ['vectors of two lengths', () => ({ data: [item([1, 2]), item([1, 2, 3], 1)] })],
    ['vectors that point nowhere', () => ({ data: [item([0, 0]), item([0, 0], 1)] })],
    ['numbers too large for 32 bits', () => ({ data: [item([1e300, 2]), item([1, 2], 1)] })],
    [
      'vectors of 20,000 components',
      (body) => ({ data: body.data.map((_, at) => item(Array(20_000).fill(1), at)) }),
    ],
  ])('with %s is retried, and then an outage', async (_, change) => {
    upstream.fake.otherwise(changed(change));
    expect((await failed(embedder().embed(['one', 'two'], scope))).code).toBe('transient_error');
    expect(upstream.fake.requests).toHaveLength(3);
  });
});

describe('a failure', () => {
  test.each([
    ['500', failure(500)],
    ['a dropped connection', reset],
  ])('that may pass is retried: %s', async (_, reply) => {
    upstream.fake.enqueue(reply, embeddings());
    expect(await embedder().embed(['one'], scope)).toEqual([meaningOf('one')]);
    expect(upstream.waits).toHaveLength(1);
  });

  test('of an endpoint without embeddings is not retried', async () => {
    upstream.fake.otherwise(failure(404, { code: 'model_not_found' }));
    expect((await failed(embedder().embed(['one'], scope))).code).toBe('service_unavailable');
    expect(upstream.fake.requests).toHaveLength(1);
  });

  test('contains neither the texts nor the key', async () => {
    upstream.fake.otherwise(failure(400, { message: `bad input: secret text, key ${key}` }));
    const error = await failed(embedder().embed(['secret text'], scope));
    expect(`${error.message} ${error.cause}`).not.toMatch(/secret text|5ecret/);
  });

  test('the signal ends it', async () => {
    upstream.fake.otherwise(hang);
    const cut = new AbortController();
    const call = embedder().embed(['one'], { ...scope, signal: cut.signal });
    cut.abort();
    expect((await failed(call)).code).toBe('transient_error');
  });
});

test.each([
  ['a key', { OPENAI_API_KEY: 'k' }, 'text-embedding-3-small'],
  ['a model', { OPENAI_API_KEY: 'k', OPENAI_EMBEDDING_MODEL: 'near-1' }, 'near-1'],
  ['`none`', { OPENAI_API_KEY: 'k', OPENAI_EMBEDDING_MODEL: 'none' }, undefined],
  ['no key', { OPENAI_EMBEDDING_MODEL: 'near-1' }, undefined],
])('the embedding model with %s', async (_, env, model) => {
  expect((await selectModels(readSettings(env))).embedder?.model).toBe(model);
});
