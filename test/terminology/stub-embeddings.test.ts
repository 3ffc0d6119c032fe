import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets } from '../translation-memory/sets.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const without = useTestApp({ env });
const withModel = useTestApp({
  env,
  embedder: { model: 'near-9', embed: () => Promise.reject(new Error('unasked')) },
});

describe('C 6: stub_embeddings is true where no embedding model is configured', () => {
  test('of a glossary without one', async () => {
    const mine = await openSets(without);
    const set = { embedding_model: null, stub_embeddings: true };
    expect(await mine.glossary('ledger,livre')).toMatchObject(set);
    expect(await mine.glossaries()).toMatchObject([set]);
  });

  test('of a glossary with one: not, and it is not asked for terms', async () => {
    const mine = await openSets(withModel);
    const set = { embedding_model: 'near-9', stub_embeddings: false };
    expect(await mine.glossary('ledger,livre')).toMatchObject(set);
    expect(await mine.glossaries()).toMatchObject([set]);
  });
});
