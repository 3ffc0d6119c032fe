import { beforeEach, expect, test } from 'vitest';
import { env, type Fields, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { viaRpc } from '../contract/call.ts';

const app = useTestApp({ env });
let mine: Person;
beforeEach(async () => {
  mine = await found(app);
});

const set = (input: Fields, { bearer }: Person = mine) =>
  viaRpc(app, { path: 'terminology.setSpellingWord', type: 'mutation' }, { input, headers: bearer });
const words = async (lang: string, { bearer }: Person = mine) =>
  (
    await viaRpc(
      app,
      { path: 'terminology.spellingWords', type: 'query' },
      { input: { lang }, headers: bearer },
    )
  ).body.words;

test('words are those of one workspace and language, once, and can be removed', async () => {
  // The letter with its accent as one character, and as two.
  for (const word of ['Zo\u00eb', 'Zoe\u0308', 'l’Oréal'])
    expect((await set({ lang: 'en', word })).status).toBe(200);
  expect(await words('en')).toEqual(['Zoë', 'l’Oréal']);
  // The forms of a language have the same words.
  expect(await words('en-GB')).toHaveLength(2);
  expect(await words('fr')).toEqual([]);
  expect(await words('en', await found(app))).toEqual([]);
  expect((await set({ lang: 'en', word: 'Zoe\u0308', correct: false })).body.words).toEqual(['l’Oréal']);
});

test('only a word of letters in a supported language is accepted, and not more than the limit', async () => {
  for (const word of ['', 'two words', '<b>', 'a1', 'x'.repeat(101)])
    expect((await set({ lang: 'en', word })).status).toBe(422);
  expect((await set({ lang: 'klingon', word: 'word' })).status).toBe(422);
  await openSuperuser(app.superuserUrl)`insert into spelling_words (tenant_id, lang, word)
    select ${mine.tenantId}, 'en', 'word' || number from generate_series(1, 10000) number`;
  expect((await set({ lang: 'en', word: 'onemore' })).status).toBe(400);
  expect((await set({ lang: 'en', word: 'word1', correct: false })).status).toBe(422);
  expect(await words('en')).toHaveLength(10_000);
});
