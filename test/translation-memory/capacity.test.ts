import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectServed } from './fast-path-jobs.ts';
import { type Answer, openSets, refusal, type Sets } from './sets.ts';
import { pairs, tmx } from './tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MAX_TM_SEGMENTS: '5' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const exceeded = [422, expect.stringMatching(/^tm_max_segments_exceeded:/)];
const expectExceeded = (answer: Answer) => expect(refusal(answer)).toEqual(exceeded);
const put = (name: string, units: [string, string][], target_lang = 'fr') =>
  mine.importFile(tmx(units, 'en', target_lang), { name, target_lang });
const stored = async () =>
  (await mine.memories()).reduce((sum: number, set: { entry_count: number }) => sum + set.entry_count, 0);

describe('of a tenant and language pair (B 8 "Translation-memory segments")', () => {
  test('one file may fill it; one segment more is 422 tm_max_segments_exceeded:, and nothing is imported', async () => {
    expectExceeded(await put('a', pairs(6)));
    expect(await mine.memories()).toEqual([]);
    expect((await put('a', pairs(5))).status).toBe(200);
  });

  test('across all sets', async () => {
    expect((await put('a', pairs(3))).status).toBe(200);
    expectExceeded(await put('b', pairs(3, 'thing')));
    expect((await put('b', pairs(2, 'thing'))).status).toBe(200);
    expectExceeded(await put('c', [['one', 'more']]));
    expect(await stored()).toBe(5);
  });

  test('a reimport of a name does not count its own old segments, and is refused beyond them', async () => {
    await put('a', pairs(3));
    await put('b', pairs(2, 'thing'));
    expect((await put('a', pairs(3, 'other'))).status).toBe(200);
    expectExceeded(await put('a', pairs(4)));
    // The rejected file has replaced nothing.
    expectServed(await mine.job({ source_text: 'one other 1' }), 'tm_exact', 'une phrase 1');
    expect(await stored()).toBe(5);
  });

  test('a reimport into another pair counts there, and frees its own', async () => {
    await put('a', pairs(3));
    await put('b', pairs(4), 'de');
    expectExceeded(await put('a', pairs(2), 'de'));
    expect((await put('a', pairs(1), 'de')).status).toBe(200);
    expect((await put('c', pairs(5))).status).toBe(200);
  });

  test('the two directions are counted apart, codes of one language together', async () => {
    expect((await put('a', pairs(5))).status).toBe(200);
    const back = await mine.importFile(tmx(pairs(5), 'fr', 'en'), {
      name: 'back',
      source_lang: 'fr',
      target_lang: 'en',
    });
    expect(back.status).toBe(200);
    const regional = await mine.importFile(tmx(pairs(1), 'en-GB', 'fr-BE'), {
      name: 'regional',
      source_lang: 'en-GB',
      target_lang: 'fr-BE',
    });
    expectExceeded(regional);
  });

  test('concurrent imports of different names store no more than the limit', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => put(`${n}`, pairs(2, `thing of ${n}`))),
    );
    const done = answers.filter(({ status }) => status === 200);
    for (const answer of answers) if (answer.status !== 200) expectExceeded(answer);
    expect([done.length, await stored()]).toEqual([2, 4]);
  });
});

describe('a pair that is full (B 8 "Golden set growth", C 7)', () => {
  const sensitive = { metadata: { sensitive: true } };
  const approve = async (source_text: string, final_translation: string) => {
    const { id } = await mine.job({ source_text, ...sensitive });
    return mine.review(id, { action: 'modify', final_translation });
  };
  const golden = async () =>
    (await mine.memories()).find(({ name }: { name: string }) => name === 'golden-approved-en-fr');

  test('a new source is skipped, and its approval succeeds all the same', async () => {
    await put('a', pairs(5));
    const { status, body } = await approve('Something new', 'Du nouveau');
    expect([status, body.status]).toEqual([200, 'human_edited']);
    expect((await golden())?.entry_count ?? 0).toBe(0);
    expect((await mine.job({ source_text: 'Something new' })).final_translation).toBe('[fr] Something new');
  });

  test('a correction to a stored source is appended, and served', async () => {
    await put('a', pairs(5));
    const { status } = await approve('one sentence 1', 'corrigée');
    expect(status).toBe(200);
    expectServed(await mine.job({ source_text: 'one sentence 1' }), 'tm_exact', 'corrigée');
    await approve('one sentence 1', 'encore corrigée');
    expectServed(await mine.job({ source_text: 'one sentence 1' }), 'tm_exact', 'encore corrigée');
  });
});
