import { describe, expect, test, vi } from 'vitest';
import { findExamples } from '#server/language/translation-memory/lookup/examples.ts';
import { atItsPath, embeddedTexts, isEmbedding } from '#test/fakes/embeddings.ts';
import { askedOf, failure, hang, type Reply } from '#test/fakes/openai.ts';
import type { Signup } from '#test/setup/app.ts';
import { manyPairs, useEmbeddingApp } from './embedding-app.ts';

const { app, fake, importPairs } = await useEmbeddingApp();

const pair = { pairSource: 'en', pairTarget: 'fr' };
const find = (tenant: Signup, text: string) =>
  findExamples(app.services, tenant.tenantId, pair, { text, parts: [] });

/** A text with the same meaning in other words. */
const text = 'Launch the appliance, then erase each photo.';
const paraphrase = ['Start your machine and delete every picture', 'Démarrez la machine'] as const;
const others = [
  ['Close the valve before lunch', 'Fermez la vanne'],
  ['Launch the applicant, then praise each photon.', 'Lancez le candidat'],
  ...manyPairs(40),
] as const;

describe('the relevant pairs (C 6)', () => {
  test('are those that mean the nearest, though they share hardly a character', async () => {
    const tenant = await app.signUp();
    await importPairs(tenant, [...others, paraphrase]);
    const { close, relevant } = await find(tenant, text);
    expect(close.map(({ targetText }) => targetText)).toEqual(['Lancez le candidat']);
    expect(relevant[0]).toMatchObject({
      sourceText: paraphrase[0],
      targetText: paraphrase[1],
      likeness: 'meaning',
      setName: 'Manuals',
      origin: 'tmx_import',
      tuid: 'u42',
    });
    expect(relevant[0]!.similarity).toBeGreaterThan(0.5);
  });

  test('are five at most, each once, without close matches and the text itself', async () => {
    const tenant = await app.signUp();
    const variants = ['one', 'two', 'six', 'ten', 'all', 'big', 'old', 'new', 'red', 'hot', 'dry', 'wet'];
    await importPairs(tenant, [
      [text, 'le texte'],
      ...variants.map((word): [string, string] => [text.replace('each', word), word]),
    ]);
    await importPairs(
      tenant,
      variants.map((word) => [text.replace('each', word), `other ${word}`]),
      'Again',
    );
    const { close, relevant } = await find(tenant, text);
    const sources = [...close, ...relevant].map(({ sourceText }) => sourceText);
    expect([close.length, relevant.length]).toEqual([5, 5]);
    expect(new Set(sources).size).toBe(10);
    expect(sources).not.toContain(text);
    // If several pairs have the same source, the match is the one that would be the exact match: that of the set that
    // was imported last.
    for (const { targetText } of [...close, ...relevant]) expect(targetText).toMatch(/^other /);
  });

  test('are those of all sets of the pair, and of no other tenant or pair', async () => {
    const [tenant, stranger] = [await app.signUp(), await app.signUp()];
    await importPairs(tenant, others);
    await importPairs(tenant, [paraphrase], 'Second');
    await importPairs(stranger, [['Commence the unit, discard the image', 'étranger']]);
    const { relevant } = await find(tenant, text);
    expect(relevant[0]).toMatchObject({ setName: 'Second', targetText: paraphrase[1] });
    expect(relevant.map(({ targetText }) => targetText)).not.toContain('étranger');
    const reversed = { pairSource: 'fr', pairTarget: 'en' };
    expect(await findExamples(app.services, tenant.tenantId, reversed, { text, parts: [] })).toEqual({
      close: [],
      relevant: [],
    });
  });

  test('are found by characters if the vectors are of another model, which is not called', async () => {
    const tenant = await app.signUp();
    await importPairs(tenant, [...others, paraphrase]);
    fake.requests.length = 0;
    const embedder = { model: 'near-2', embed: app.services.embedder!.embed };
    const { close, relevant } = await findExamples({ ...app.services, embedder }, tenant.tenantId, pair, {
      text,
      parts: [],
    });
    expect(close).toHaveLength(1);
    expect(relevant.filter(({ likeness }) => likeness === 'meaning')).toEqual([]);
    expect(fake.requests).toEqual([]);
    const without = await findExamples({ ...app.services, embedder: null }, tenant.tenantId, pair, {
      text,
      parts: [],
    });
    expect(without).toEqual({ close, relevant });
  });
});

describe('without the search by meaning the job continues', () => {
  test.each<[string, Reply]>([['500', failure(500)]])('if the model returns %s', async (_, reply) => {
    const warn = vi.spyOn(app.services.log, 'warn');
    const tenant = await app.signUp();
    await importPairs(tenant, [...others, paraphrase]);
    fake.otherwise(atItsPath(reply));
    const { status, body } = await app.json('POST', '/api/translations', {
      headers: tenant.headers,
      body: { source_text: text, source_lang: 'en', target_lang: 'fr' },
    });
    expect([status, body.status]).toEqual([200, 'published']);
    const asked = fake.requests.filter((request) => !isEmbedding(request)).map(askedOf);
    expect(asked[0]!.data['examples']).toContainEqual({
      source: 'Launch the applicant, then praise each photon.',
      target: 'Lancez le candidat',
    });
    expect(warn.mock.calls.map(([, message]) => message)).toContain(
      'could not search the translation memory for segments with a similar meaning',
    );
    expect(JSON.stringify(warn.mock.calls)).not.toContain('appliance');
    warn.mockRestore();
  });

  test('where the model takes longer than five seconds', async () => {
    const tenant = await app.signUp();
    await importPairs(tenant, [...others, paraphrase]);
    fake.otherwise(atItsPath(hang));
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    const { close, relevant } = await find(tenant, text);
    expect(timeout.mock.calls).toEqual([[5000]]);
    timeout.mockRestore();
    expect(close).toHaveLength(1);
    expect(relevant.filter(({ likeness }) => likeness === 'meaning')).toEqual([]);
  });
});

test('a job: the model gets the pair as an example, and the tenant sees its provenance', async () => {
  const tenant = await app.signUp();
  await importPairs(tenant, [...others, paraphrase]);
  fake.requests.length = 0;
  const { body } = await app.json('POST', '/api/translations', {
    headers: tenant.headers,
    body: { source_text: text, source_lang: 'en', target_lang: 'fr' },
  });
  expect(embeddedTexts(fake.requests)).toEqual([text]);
  const asked = fake.requests.filter((request) => !isEmbedding(request)).map(askedOf);
  expect(asked[0]!.data['examples']).toContainEqual({ source: paraphrase[0], target: paraphrase[1] });
  const decisions = JSON.stringify(body);
  expect(decisions).toMatch(/"relevant_pair"[^}]*% alike in meaning/);
  expect(decisions).toContain('"tuid":"u42"');
});
