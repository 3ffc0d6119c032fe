import { expect, onTestFinished, test } from 'vitest';
import { embeddedTexts } from '#test/fakes/embeddings.ts';
import { killableBeside } from '#test/faults/kills.ts';
import type { Signup } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { manyPairs, useEmbeddingApp } from './embedding-app.ts';

const { app, fake, importPairs } = await useEmbeddingApp({ TM_ASYNC_THRESHOLD: '2' });

const sets = async (tenant: Signup) => (await app.json('GET', '/api/tm', tenant)).body;

test('a process of workers, by its environment alone, embeds imports and approved pairs', async () => {
  const tenant = await app.signUp();
  const source_text = 'A text of which nothing is known';
  const { body } = await app.json('POST', '/api/translations', {
    headers: tenant.headers,
    body: { source_text, source_lang: 'en', target_lang: 'fr' },
  });
  expect(body.status).toBe('published');
  expect((await importPairs(tenant, manyPairs(3))).status).toBe(202);
  expect(embeddedTexts(fake.requests)).toEqual([]);

  const killable = killableBeside(app, {
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_EMBEDDING_MODEL: 'near-3',
    SWEEP_INTERVAL_SECONDS: '1',
  });
  onTestFinished(killable.end);
  await killable.start('worker');
  await poll(async () => {
    const models = (await sets(tenant)).map(
      ({ embedding_model }: { embedding_model: string }) => embedding_model,
    );
    return models.length === 2 && models.every((model: string | null) => model === 'near-3');
  });
  const texts = [source_text, ...manyPairs(3).map(([source]) => source)];
  expect(embeddedTexts(fake.requests).toSorted()).toEqual(texts.toSorted());
});
