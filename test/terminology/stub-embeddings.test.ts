import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets } from '../translation-memory/sets.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const withModel = useTestApp({
  env,
  embedder: { model: 'near-9', embed: () => Promise.reject(new Error('unasked')) },
});

describe('stub_embeddings (C 6)', () => {
  test('is false if an embedding model is configured, which gets no request for terms', async () => {
    const mine = await openSets(withModel);
    const set = { embedding_model: 'near-9', stub_embeddings: false };
    expect(await mine.glossary('ledger,livre')).toMatchObject(set);
    expect(await mine.glossaries()).toMatchObject([set]);
  });
});
