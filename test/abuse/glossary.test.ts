import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createGlossaries } from '#server/language/terminology/glossary.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from '#test/translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

/** A glossary of the maximum size for a language pair: 2,000 terms that have no word in common. */
const largest = Array.from({ length: 2000 }, (_, n) => `${`term${n} `.padEnd(94, `${n}x`)},t${n}`);

/** From now on, counts how often terms are read from the database. */
function countReads(): () => Promise<number> {
  const inTenant = vi.spyOn(app.services.database, 'inTenant');
  return async () => {
    const answers = await Promise.all(inTenant.mock.results.map(({ value }) => value as Promise<unknown>));
    inTenant.mockRestore();
    return answers.filter((read) => typeof read === 'object' && read !== null && 'terms' in read).length;
  };
}

describe('the most expensive valid glossary', () => {
  test('is read and compiled once for one-character texts on eight connections, and for a batch', async () => {
    await mine.glossary(largest, { source_lang: 'en', target_lang: 'fr' });
    const reads = countReads();
    const jobs = Array.from({ length: 8 }, () => mine.job({ source_text: 'a' }));
    for (const job of await Promise.all(jobs)) expect(job.status).toBe('published');
    const batch = {
      inputs: Array.from({ length: 5 }, () => ({
        Text: 'a',
        Language: 'en',
        Targets: [{ Language: 'fr' }],
      })),
    };
    const { status } = await app.json('POST', '/api/translations', { headers: mine.headers, body: batch });
    expect(status).toBe(200);
    // The terms are read twice: once to determine their size, and once in a slot.
    expect(await reads()).toBe(2);
  });

  test('of another tenant blocks nobody: tenants share the threads fairly', async () => {
    const { check } = createGlossaries();
    const expected = Array.from({ length: 300 }, (_, at) => ({
      sourceTerm: `source ${at}`,
      targetTerms: [`target number ${at}`] as const,
      caseSensitive: false,
      count: 1,
    }));
    const asked = { expected, translation: 'x', language: 'de' as const };
    let done = 0;
    const flood = Array.from({ length: 40 }, () =>
      check('ann', asked).then(() => {
        done += 1;
      }),
    );
    await check('bob', asked);
    // The calls that already had a thread have ended, and one more call on each thread.
    expect(done).toBeLessThanOrEqual(10);
    await Promise.all(flood);
  });
});
