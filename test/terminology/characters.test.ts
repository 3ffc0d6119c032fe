import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', WORKSPACE_LIMITS: '{"glossary_chars":100}' },
});

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const exceeded = (count: number, pair: string) => [
  422,
  `terminology_max_characters_exceeded: with this change, the terms that apply to ${pair} would have ${count} characters, counting source and target terms; at most 100 are allowed`,
];
/** Uploads a glossary with this many characters in total. */
const put = (name: string, characters: number, pair?: [string, string], letter = 'a') =>
  mine.uploadFile(`${letter.repeat(characters - 10)},${letter.repeat(10)}`, {
    name,
    ...(pair && { source_lang: pair[0], target_lang: pair[1] }),
  });

describe('the characters of a language pair’s terms are bounded, across all sets, as the terms are', () => {
  test('one file may come to the bound; a character more is 422 that names it, and nothing is stored', async () => {
    expect(refusal(await put('a', 101, ['en', 'fr']))).toEqual(exceeded(101, 'en to fr'));
    expect(await mine.glossaries()).toEqual([]);
    expect((await put('a', 100, ['en', 'fr'])).status).toBe(200);
    expect(refusal(await put('b', 20, ['en-GB', 'fr-FR']))).toEqual(exceeded(120, 'en to fr'));
    expect((await put('b', 100, ['en', 'de'])).status).toBe(200);
    expect(await mine.glossaries()).toHaveLength(2);
  });

  test('characters are code points', async () => {
    expect((await put('a', 100, ['ja', 'fr'], '𠮷')).status).toBe(200);
    expect(refusal(await put('a', 101, ['ja', 'fr'], '𠮷'))).toEqual(exceeded(101, 'ja to fr'));
  });
});
