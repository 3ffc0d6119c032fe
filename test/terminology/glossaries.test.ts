import { expect, test } from 'vitest';
import type { Database } from '#db/client.ts';
import { languageCodes } from '#server/languages.ts';
import { createGlossaries } from '#server/terminology/service.ts';

const pair = { sourceLang: 'en', targetLang: 'fr' } as const;

/** A database that knows one statement: a glossary of `terms` terms of `units` units on the source's side. */
function spied({ terms = 1, units = 10 } = {}) {
  const loads: string[] = [];
  const state = { failing: false };
  const set = () => ({
    set_id: 'one',
    name: 'One',
    numbers: Array.from({ length: terms }, (_, index) => index),
    sources: Array.from({ length: terms }, (_, index) => `term ${index} `.padEnd(units, 'x')),
    targets: Array.from({ length: terms }, () => 'y'),
    cases: Array.from({ length: terms }, () => true),
    priorities: Array.from({ length: terms }, () => 0),
  });
  const tx = { execute: () => null, last: async () => (terms === 0 ? [] : [set()]) };
  const inTenant = async (tenantId: string, work: (scope: unknown) => Promise<unknown>) => {
    loads.push(tenantId);
    if (state.failing) throw new Error('the database is away');
    return work(tx);
  };
  // Of a database, glossaries use this one scope and nothing else.
  return { loads, state, database: { inTenant } as unknown as Database };
}

test('who asks while a glossary is being read waits for the same: one load, one compiled glossary', async () => {
  const { loads, database } = spied();
  const glossaries = createGlossaries();
  const all = await Promise.all(Array.from({ length: 20 }, () => glossaries.of(database, 'ann', 'r1', pair)));
  expect(loads).toHaveLength(1);
  expect(new Set(all).size).toBe(1);
  expect(all[0]?.terms).toBe(1);
  expect(await glossaries.of(database, 'ann', 'r1', pair)).toBe(all[0]);
  expect(loads).toHaveLength(1);
});

test('another revision, pair or tenant is another load, at the same time too', async () => {
  const { loads, database } = spied();
  const glossaries = createGlossaries();
  await Promise.all([
    glossaries.of(database, 'ann', 'r1', pair),
    glossaries.of(database, 'ann', 'r2', pair),
    glossaries.of(database, 'ann', 'r1', { ...pair, targetLang: 'de' }),
    glossaries.of(database, 'bob', 'r1', pair),
  ]);
  expect(loads.toSorted()).toEqual(['ann', 'ann', 'ann', 'bob']);
});

test('a load that failed fails for all who waited, and the next one tries again', async () => {
  const { loads, state, database } = spied();
  const glossaries = createGlossaries();
  state.failing = true;
  const both = await Promise.allSettled([1, 2].map(() => glossaries.of(database, 'ann', 'r1', pair)));
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(loads).toHaveLength(1);
  state.failing = false;
  expect(await glossaries.of(database, 'ann', 'r1', pair)).toMatchObject({ terms: 1 });
  expect(loads).toHaveLength(2);
});

test('that no term applies is kept too', async () => {
  const { loads, database } = spied({ terms: 0 });
  const glossaries = createGlossaries();
  for (let time = 0; time < 3; time++) expect(await glossaries.of(database, 'ann', 'r1', pair)).toBeNull();
  expect(loads).toHaveLength(1);
});

test('a glossary larger than a tenant’s share is used and not kept, and drives nothing out', async () => {
  const small = spied();
  const large = spied({ terms: 2000, units: 300 });
  const glossaries = createGlossaries();
  await glossaries.of(small.database, 'ann', 'r1', pair);
  for (let time = 0; time < 2; time++) {
    const glossary = await glossaries.of(large.database, 'ann', 'r1', { ...pair, targetLang: 'de' });
    expect(glossary?.terms).toBe(2000);
    expect(glossary?.matcher.find(`a ${'term 7 '.padEnd(300, 'x')} b`)).toHaveLength(1);
  }
  expect(large.loads).toHaveLength(2);
  await glossaries.of(small.database, 'ann', 'r1', pair);
  expect(small.loads).toHaveLength(1);
});

test('one tenant has a quarter: its own oldest goes, and nobody else’s', async () => {
  // 14.4 million bytes each by the measure of the cache: two fit into a share of 37.5 million.
  const { loads, database } = spied({ terms: 600, units: 290 });
  const glossaries = createGlossaries();
  const of = async (tenantId: string, targetLang: 'fr' | 'de' | 'es') => {
    const before = loads.length;
    await glossaries.of(database, tenantId, 'r1', { ...pair, targetLang });
    return loads.length > before ? 'read' : 'kept';
  };
  await of('bob', 'fr');
  for (const targetLang of ['fr', 'de'] as const) await of('ann', targetLang);
  expect(await of('ann', 'fr')).toBe('kept');
  expect(await of('ann', 'es')).toBe('read');
  expect([await of('ann', 'fr'), await of('ann', 'es'), await of('bob', 'fr')]).toEqual([
    'kept',
    'kept',
    'kept',
  ]);
  expect(await of('ann', 'de')).toBe('read');
});

test('all tenants together have the whole: what was not used for longest goes', async () => {
  // 36 million bytes each: four fit into 150 million.
  const { loads, database } = spied({ terms: 1500, units: 290 });
  const glossaries = createGlossaries();
  const of = (tenantId: string) => glossaries.of(database, tenantId, 'r1', pair);
  for (const tenantId of ['a', 'b', 'c', 'd', 'a', 'e', 'a', 'c', 'd', 'e']) await of(tenantId);
  expect(loads).toEqual(['a', 'b', 'c', 'd', 'e']);
  await of('b');
  expect(loads).toEqual(['a', 'b', 'c', 'd', 'e', 'b']);
});

test('small ones are counted: 50 of one tenant', async () => {
  const { loads, database } = spied();
  const glossaries = createGlossaries();
  const pairs = languageCodes
    .slice(0, 10)
    .flatMap((sourceLang) => languageCodes.slice(0, 10).map((targetLang) => ({ sourceLang, targetLang })));
  const of = (at: number) => glossaries.of(database, 'ann', 'r1', pairs[at]!);
  for (let at = 0; at < 51; at++) await of(at);
  for (const at of [50, 1]) await of(at);
  expect(loads).toHaveLength(51);
  await of(0);
  expect(loads).toHaveLength(52);
});
