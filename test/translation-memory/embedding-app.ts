import { afterAll, beforeEach } from 'vitest';
import { tmxHead, tmxTail, tmxUnit } from '#server/formats/tmx/writer.ts';
import { createOpenAiEmbedder } from '#server/platform/engines/openai/embedder.ts';
import { createOpenAiEngine } from '#server/platform/engines/openai/openai-engine.ts';
import { atItsPath, embeddings } from '#test/fakes/embeddings.ts';
import { type FakeOpenAi, startFakeOpenAi } from '#test/fakes/openai.ts';
import { type Signup, type TestApp, useTestApp } from '#test/setup/app.ts';

export interface EmbeddingApp {
  app: TestApp;
  fake: FakeOpenAi;
  /** Sends pairs in English and French as a TMX file. */
  importPairs(
    tenant: Signup,
    pairs: readonly (readonly [source: string, target: string])[],
    name?: string,
    // biome-ignore lint/suspicious/noExplicitAny: the parsed body, into which the tests look freely
  ): Promise<{ status: number; body: any }>;
}

const settings = {
  OPENAI_API_KEY: 'key',
  OPENAI_MODEL: 'translator-1',
  OPENAI_REFINER_MODEL: 'judge-1',
  OPENAI_EMBEDDING_MODEL: 'near-1',
  OPENAI_TIMEOUT_SECONDS: 20,
  OPENAI_MAX_RETRIES: 1,
};

/**
 * An application with a fake model that embeds and translates. Before each test, the fake is reset to respond to all
 * requests.
 */
export async function useEmbeddingApp(env: Record<string, string> = {}): Promise<EmbeddingApp> {
  const fake = await startFakeOpenAi();
  const live = { ...settings, OPENAI_BASE_URL: fake.baseUrl };
  const parts = { sleep: async () => {} };
  const app = useTestApp({
    engine: createOpenAiEngine(live, parts),
    embedder: createOpenAiEmbedder(live, parts),
    env,
  });
  beforeEach(() => {
    fake.otherwise(atItsPath(embeddings()));
    fake.requests.length = 0;
  });
  afterAll(() => fake.close());

  return {
    app,
    fake,
    async importPairs(tenant, pairs, name = 'Manuals') {
      const languages = { sourceLang: 'en', targetLang: 'fr' };
      const units = pairs.map(([source, target], at) =>
        tmxUnit({ ...languages, source, target, tuid: `u${at}`, changedate: null }),
      );
      const file = `${tmxHead({ ...languages, creationDate: new Date() })}${units.join('')}${tmxTail}`;
      const body = new FormData();
      body.append('tmx_file', new File([file], 'pairs.tmx', { type: 'application/xml' }));
      for (const [field, value] of Object.entries({ name, source_lang: 'en', target_lang: 'fr' }))
        body.append(field, value);
      const response = await app.request('/api/tm', { method: 'POST', headers: tenant.headers, body });
      return { status: response.status, body: await response.json() };
    },
  };
}

/** Pairs whose source texts are all different. */
export const manyPairs = (count: number): [string, string][] =>
  Array.from({ length: count }, (_, at) => [`Part number ${at} of the kit`, `Pièce numéro ${at} du kit`]);
