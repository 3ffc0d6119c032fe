import { describe, expect, test } from 'vitest';
import type { Database } from '#db/client.ts';
import { createGlossaries } from '#server/language/terminology/glossary.ts';
import { languageCodes } from '#server/languages.ts';
import type { Glossaries } from '#server/matching/terms/glossary.ts';
import { checkTerms, type ExpectedTerm } from '#server/matching/terms/index.ts';

const pair = { sourceLang: 'en', targetLang: 'fr' } as const;

/**
 * A database that supports one statement: it returns a glossary of `terms` terms with `units` UTF-16 units in their
 * source, and the revision of the glossary.
 */
function spied({ terms = 1, units = 10 } = {}) {
  const loads: string[] = [];
  const state = { failing: false, revision: 'r1' };
  const set = () => ({
    revision: state.revision,
    set_id: 'one',
    name: 'One',
    numbers: Array.from({ length: terms }, (_, index) => index),
    sources: Array.from({ length: terms }, (_, index) => termOf(index, units)),
    targets: Array.from({ length: terms }, () => 'y'),
    cases: Array.from({ length: terms }, () => true),
    priorities: Array.from({ length: terms }, () => 0),
  });
  const tx = {
    execute: () => null,
    last: async () => [terms === 0 ? { revision: state.revision, set_id: null } : set()],
  };
  const inTenant = async (tenantId: string, work: (scope: unknown) => Promise<unknown>) => {
    loads.push(tenantId);
    if (state.failing) throw new Error('the database is away');
    return work(tx);
  };
  // Glossaries use only this function of a database.
  return { loads, state, database: { inTenant } as unknown as Database };
}

const termOf = (index: number, units: number) => `term ${index} `.padEnd(units, 'x');

/**
 * 2,000 terms with 99 characters in the source and one in the target: the limit for a language pair, mostly in its
 * sources.
 */
const largest = { terms: 2000, units: 99 };

/** The number of iterations of the event loop during `work`. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let iterations = 0;
  const counting = setInterval(() => {
    iterations += 1;
  }, 1);
  await work.finally(() => clearInterval(counting));
  return iterations;
}

const use = (
  glossaries: Glossaries,
  database: Database,
  {
    tenantId = 'ann',
    revision = 'r1',
    text = 'a text',
    languages = pair as { sourceLang: 'en'; targetLang: 'fr' },
  } = {},
) => glossaries.of(database, tenantId, revision, languages).find(text, null);

test('concurrent requests for a glossary share one load', async () => {
  const { loads, database } = spied();
  const glossaries = createGlossaries();
  const text = `a ${termOf(0, 10)} b`;
  const all = await Promise.all(Array.from({ length: 20 }, () => use(glossaries, database, { text })));
  expect(loads).toHaveLength(1);
  for (const found of all) expect(found?.matches).toHaveLength(1);
  await use(glossaries, database);
  expect(loads).toHaveLength(1);
});

test('another revision, pair or tenant is another load, at the same time too', async () => {
  const { loads, database } = spied();
  const glossaries = createGlossaries();
  await Promise.all([
    use(glossaries, database),
    use(glossaries, database, { revision: 'r2' }),
    glossaries.of(database, 'ann', 'r1', { ...pair, targetLang: 'de' }).find('a', null),
    use(glossaries, database, { tenantId: 'bob' }),
  ]);
  expect(loads.toSorted()).toEqual(['ann', 'ann', 'ann', 'bob']);
});

test('a request for an older revision does not replace the newer one', async () => {
  const { loads, state, database } = spied();
  const glossaries = createGlossaries();
  for (const revision of ['r1', 'r2', 'r1', 'r2', 'r1']) {
    state.revision = revision;
    await use(glossaries, database, { revision });
  }
  expect(loads).toHaveLength(2);
});

test('terms are cached for the revision that they have, not for that of the request', async () => {
  const { loads, state, database } = spied();
  const glossaries = createGlossaries();
  state.revision = 'r1 r2';
  await use(glossaries, database, { revision: 'r1' });
  await use(glossaries, database, { revision: 'r1 r2' });
  expect(loads).toHaveLength(1);
  state.revision = 'r1';
  for (let time = 0; time < 2; time++) await use(glossaries, database, { revision: 'r1' });
  expect(loads).toHaveLength(2);
});

test('a load that failed fails for all waiting requests, and the next one tries again', async () => {
  const { loads, state, database } = spied();
  const glossaries = createGlossaries();
  state.failing = true;
  const both = await Promise.allSettled([1, 2].map(() => use(glossaries, database)));
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(loads).toHaveLength(1);
  state.failing = false;
  expect(await use(glossaries, database)).toMatchObject({ matches: [] });
  expect(loads).toHaveLength(2);
});

test('an empty result is cached too', async () => {
  const { loads, database } = spied({ terms: 0 });
  const glossaries = createGlossaries();
  for (let time = 0; time < 3; time++) expect(await use(glossaries, database)).toBeNull();
  expect(loads).toHaveLength(1);
});

describe('the largest glossary that an upload may make', () => {
  test('is compiled once for concurrent requests, and kept', async () => {
    const { loads, database } = spied(largest);
    const glossaries = createGlossaries();
    const text = `a ${termOf(7, 99)} b`;
    const all = await Promise.all(Array.from({ length: 8 }, () => use(glossaries, database, { text })));
    for (const found of all) expect(found?.matches).toMatchObject([{ start: 2, end: 101 }]);
    // The database is read once for the size of the glossary, and once in a slot.
    expect(loads).toHaveLength(2);
    await use(glossaries, database);
    expect(loads).toHaveLength(2);
  });

  test('is matched in the longest text by a thread, with the same result', async () => {
    const { database } = spied(largest);
    const glossaries = createGlossaries();
    const piece = `a ${termOf(7, 99)} and ${termOf(8, 99)}; `;
    const [long, short] = await Promise.all(
      [20, 240].map((times) => use(glossaries, database, { text: piece.repeat(times) })),
    );
    expect(short?.matches).toHaveLength(480);
    expect(short?.matches.slice(0, 40)).toEqual(long?.matches);
    // Matches of one term share their entries, whether they were found in the event loop or on a thread.
    expect(short?.matches[2]?.entries).toBe(short?.matches[0]?.entries);
  });

  test('is compiled without blocking other requests', async () => {
    const { database } = spied({ terms: 2000, units: 500 });
    // This call starts the thread, so that the next one measures only the compilation.
    await use(createGlossaries(), database);
    // If the glossary were compiled without interruption, there would be one or two iterations.
    expect(await turnsDuring(use(createGlossaries(), database))).toBeGreaterThan(20);
  });
});

describe('a check', () => {
  const expected = (count: number, units: number): ExpectedTerm[] =>
    Array.from({ length: count }, (_, at) => ({
      sourceTerm: `source ${at}`,
      targetTerms: [termOf(at, units)],
      caseSensitive: false,
      count: 1,
    }));
  const ofText = (count: number, units: number, translation: string) => ({
    expected: expected(count, units),
    translation,
    language: 'de' as const,
  });

  test('of few terms in a short text runs in place; of many terms, or in a long text, on a thread', () => {
    const glossaries = createGlossaries();
    expect(glossaries.checkInline(ofText(20, 50, 'x'))?.passed).toBe(false);
    expect(glossaries.checkInline(ofText(20, 500, 'x'))).toBeUndefined();
    expect(glossaries.checkInline(ofText(20, 50, 'x'.repeat(5001)))).toBeUndefined();
  });

  test('has the same result in either place', async () => {
    const glossaries = createGlossaries();
    const translation = expected(1000, 90)
      .map(({ targetTerms: [term] }) => term)
      .join(', ');
    const asked = ofText(1500, 90, translation);
    const answer = await glossaries.check('ann', asked);
    expect(answer).toEqual(checkTerms(asked.expected, asked.translation, asked.language));
    expect(answer.missing_terms).toHaveLength(500);
  });
});

test('of small glossaries 50 of one tenant are kept', async () => {
  const { loads, database } = spied();
  const glossaries = createGlossaries();
  const pairs = languageCodes
    .slice(0, 10)
    .flatMap((sourceLang) => languageCodes.slice(0, 10).map((targetLang) => ({ sourceLang, targetLang })));
  const of = (at: number) => glossaries.of(database, 'ann', 'r1', pairs[at]!).find('a', null);
  for (let at = 0; at < 51; at++) await of(at);
  for (const at of [50, 1]) await of(at);
  expect(loads).toHaveLength(51);
  await of(0);
  expect(loads).toHaveLength(52);
});
