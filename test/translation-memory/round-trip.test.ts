import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { memories, tmxFile, unitsOf } from './corpus.ts';
import { openSets, type Sets } from './sets.ts';
import { pairsOf, readTmx, tmx, type Unit } from './tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const order = (units: Unit[]) => units.toSorted((a, b) => (a.source < b.source ? -1 : 1));

/** Imports a file under a name, and returns its export. */
async function through(file: string | Uint8Array, name: string, source_lang: string, target_lang: string) {
  const made = await mine.importFile(file, { name, source_lang, target_lang });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const { status, text } = await mine.exportMemory(made.body.id);
  expect(status).toBe(200);
  return text;
}

/** The units of an export, read by an independent parser. */
const unitsIn = (text: string, source: string, target: string) =>
  order(pairsOf(readTmx(text), [source.toLowerCase()], [target.toLowerCase()]));

describe.each(memories)('Round trip: %s.tmx from %s into %s', (name, source, target) => {
  test('imported, exported, imported again is the same set, with its tuid and changedate', async () => {
    const original = order(unitsOf(tmxFile(name), source, target));
    const first = await through(tmxFile(name), 'first', source, target);
    const exported = unitsIn(first, source, target);
    // Fields that the original lacks are generated (C 6); its own fields are kept.
    for (const unit of exported)
      expect(unit).toMatchObject({ tuid: expect.any(String), changedate: expect.any(String) });
    expect(exported).toHaveLength(original.length);
    for (const [at, unit] of original.entries()) expect(exported[at]).toMatchObject(unit);
    const second = await through(first, 'second', source, target);
    expect(unitsIn(second, source, target)).toEqual(exported);
  });
});

describe('B 4.5: tuid and changedate survive', () => {
  test('whatever characters they have', async () => {
    const units: Unit[] = [
      { source: 'a', target: 'A', tuid: 'x'.repeat(200), changedate: '19991231T235959Z' },
      { source: 'b', target: 'B', tuid: '<&"é日本> 1', changedate: '20240229T000000Z' },
      { source: 'c', target: 'C', tuid: 'same' },
      { source: 'd', target: 'D', tuid: 'same' },
    ];
    const exported = unitsIn(await through(tmx(units), 'one', 'en', 'fr'), 'en', 'fr');
    expect(exported).toHaveLength(4);
    for (const [at, unit] of units.entries()) expect(exported[at]).toMatchObject(unit);
  });

  test('a changedate that is none refuses nothing', async () => {
    const file = tmx([{ source: 'a', target: 'A', changedate: 'yesterday' }]);
    expect((await mine.importFile(file)).status).toBe(200);
    expect((await mine.job({ source_text: 'a' })).final_translation).toBe('A');
  });
});

describe('B 4.5: the texts survive', () => {
  test('as they are: spaces, lines, tabs, scripts, characters of XML', async () => {
    const units: Unit[] = [
      { source: '  two  spaces ', target: ' deux\n  lignes\t! ' },
      { source: 'a < b && c > "d" \'e\' ]]>', target: 'a &lt; b &amp;amp; c' },
      { source: 'e\u0301 decomposed', target: 'e\u0301 d\u00e9compos\u00e9' },
      { source: '日本語 😀', target: 'مرحبا 👨‍👩‍👧' },
    ];
    const exported = unitsIn(await through(tmx(units), 'one', 'en', 'fr'), 'en', 'fr');
    expect(exported.map(({ source, target }) => ({ source, target }))).toEqual(order(units));
  });

  test('at any length', async () => {
    const long = { source: `${'long '.repeat(10_000)}end`, target: `${'lang '.repeat(10_000)}Ende` };
    const exported = unitsIn(await through(tmx([long]), 'one', 'en', 'fr'), 'en', 'fr');
    expect(exported).toHaveLength(1);
    expect(exported[0]).toMatchObject(long);
  });
});
