import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets } from './sets.ts';
import { pairs, tmx } from './tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const missing = [404, 'translation memory set not found'];
const final = async (source_text: string, of = mine, target_lang = 'fr') =>
  (await of.job({ source_text, target_lang })).final_translation;

describe('an import into a name that exists (B 3.3)', () => {
  test('replaces its segments wholesale, and keeps its id', async () => {
    const first = await mine.memory([
      ['Hello', 'Bonjour'],
      ['Bye', 'Au revoir'],
    ]);
    const second = await mine.memory([['Hello', 'Salut']]);
    expect(second).toMatchObject({ id: first.id, entry_count: 1, imported: 1, total_units: 1 });
    expect(await mine.memories()).toMatchObject([{ id: first.id, entry_count: 1 }]);
    expect([await final('Hello'), await final('Bye')]).toEqual(['Salut', '[fr] Bye']);
  });

  test('may change its languages', async () => {
    const first = await mine.memory([['Hello', 'Bonjour']]);
    const second = await mine.memory([['Hello', 'Hallo']], { target_lang: 'de' });
    expect(second).toMatchObject({ id: first.id, target_lang: 'de' });
    expect(await mine.memories()).toHaveLength(1);
    expect([await final('Hello'), await final('Hello', mine, 'de')]).toEqual(['[fr] Hello', 'Hallo']);
  });

  test('is case-sensitive about the name', async () => {
    await mine.memory([['Hello', 'Bonjour']], { name: 'Manuals' });
    await mine.memory([['Bye', 'Au revoir']], { name: 'manuals' });
    expect(await mine.memories()).toHaveLength(2);
  });
});

test('one import of a name runs at a time, small ones too; others of the tenant beside it', async () => {
  const long = (n: number) => tmx(pairs(2000, `file ${n}`));
  const answers = await Promise.all([1, 2, 3, 4].map((n) => mine.importFile(long(n), { name: 'Manuals' })));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 409, 409, 409]);
  for (const answer of answers.filter(({ status }) => status === 409))
    expect(refusal(answer)).toEqual([409, expect.stringMatching(/^tm_import_in_progress:/)]);
  const short = tmx(pairs(20));
  const again = await Promise.all(['Manuals', 'Letters'].map((name) => mine.importFile(short, { name })));
  expect(again.map(({ status }) => status)).toEqual([200, 200]);
  const other = await openSets(app);
  const both = await Promise.all([mine, other].map((of) => of.importFile(short, { name: 'Manuals' })));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
});

describe('deletion (B 4.5)', () => {
  test('is 204 without a body, and what it held is no longer served', async () => {
    const { id } = await mine.memory([['Hello', 'Bonjour']]);
    const { status, body } = await mine.removeMemory(id);
    expect([status, body]).toEqual([204, undefined]);
    expect(await mine.memories()).toEqual([]);
    expect(await final('Hello')).toBe('[fr] Hello');
    expect(refusal(await mine.removeMemory(id))).toEqual(missing);
    expect((await mine.exportMemory(id)).status).toBe(404);
  });

  test('of an unknown set, or of no id at all, is 404', async () => {
    for (const id of ['0'.repeat(32), 'nonsense', '..%2f..'])
      expect(refusal(await mine.removeMemory(id))).toEqual(missing);
  });
});

describe('another tenant’s memory (B 5, 8)', () => {
  test('of the same name is another set', async () => {
    const other = await openSets(app);
    const { id } = await mine.memory([['Hello', 'Bonjour']]);
    expect((await other.memory([['Hello', 'Salut']])).id).not.toBe(id);
    expect([await final('Hello'), await final('Hello', other)]).toEqual(['Bonjour', 'Salut']);
  });
});
