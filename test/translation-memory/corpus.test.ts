import { beforeEach, describe, expect, test } from 'vitest';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { useTestApp } from '#test/setup/app.ts';
import { memories, tmxFile, unitsOf } from './corpus.ts';
import { expectServed } from './fast-path-jobs.ts';
import { openSets, type Sets } from './sets.ts';
import { pairsOf, readTmx, tmx, type Unit } from './tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const ofMine = async (source_text: string, target_lang: string, source_lang = 'en') =>
  mine.job({ source_text, target_lang, source_lang });
const order = (units: Unit[]) => units.toSorted((a, b) => (a.source < b.source ? -1 : 1));

/** Imports a file under a name. Returns the set, and the units in its export, which an independent parser reads. */
async function through(file: string | Uint8Array, name: string, source_lang: string, target_lang: string) {
  const { status, body } = await mine.importFile(file, { name, source_lang, target_lang });
  expect(status, JSON.stringify(body)).toBe(200);
  const { text } = await mine.exportMemory(body.id);
  const units = order(pairsOf(readTmx(text), [source_lang.toLowerCase()], [target_lang.toLowerCase()]));
  return { set: body, text, units };
}

test('every file of the corpus is here', () => {
  const background = 'made-5200-units';
  const names = new Set([...memories.map(([name]) => name), background].map((name) => `${name}.tmx`));
  expect(corpusNames('tmx').filter((name) => name.endsWith('.tmx'))).toEqual([...names].toSorted());
});

test.each(memories)(
  '%s.tmx from %s into %s is served, and exported so that an import of the export is the same set',
  async (name, source, target, [total, imported, skipped, dropped]) => {
    const original = order(unitsOf(tmxFile(name), source, target));
    const { set, text, units } = await through(tmxFile(name), 'first', source, target);
    expect(set).toMatchObject({
      total_units: total,
      imported,
      skipped_units: skipped,
      duplicates_dropped: dropped,
      entry_count: imported,
      source_lang: source,
      target_lang: target,
    });
    for (const unit of [original[0]!, original.at(-1)!])
      expectServed(await ofMine(unit.source, target, source), 'tm_exact', unit.target);
    // The import generates fields that the original does not have, and keeps the fields that it has.
    expect(units).toHaveLength(imported);
    for (const unit of units)
      expect(unit).toMatchObject({ tuid: expect.any(String), changedate: expect.any(String) });
    for (const [at, unit] of original.entries()) expect(units[at]).toMatchObject(unit);
    expect((await through(text, 'second', source, target)).units).toEqual(units);
  },
);

test('texts, tuids and dates survive an import and an export, whatever they are', async () => {
  const units: Unit[] = [
    { source: '  two  spaces ', target: ' deux\n  lignes\t! ', tuid: 'x'.repeat(200) },
    { source: 'a < b && c > "d" \'e\' ]]>', target: 'a &lt; b &amp;amp; c', tuid: '<&"é日本> 1' },
    { source: 'e\u0301 decomposed', target: 'e\u0301 d\u00e9compos\u00e9', tuid: 'same' },
    { source: '日本語 😀', target: 'مرحبا 👨‍👩‍👧', tuid: 'same', changedate: '19991231T235959Z' },
    { source: `${'long '.repeat(10_000)}end`, target: `${'lang '.repeat(10_000)}Ende` },
  ];
  const { units: exported } = await through(tmx(units), 'one', 'en', 'fr');
  expect(exported).toHaveLength(units.length);
  for (const [at, unit] of order(units).entries()) expect(exported[at]).toMatchObject(unit);
});

describe('of duplicates in one file the newest changedate is kept, then the last', () => {
  test('made-duplicates-changedate.tmx: what is served of each source', async () => {
    await mine.importFile(tmxFile('made-duplicates-changedate'));
    const expected = {
      'Save the file.': 'Sauvegardez le fichier.',
      'save the file.': 'enregistrez le fichier minuscule.',
      'Caf\u00e9': 'Caf\u00e9 d\u00e9compos\u00e9',
    };
    for (const [source, target] of Object.entries(expected))
      expect((await ofMine(source, 'fr')).final_translation.normalize('NFC')).toBe(target);
  });
});

describe('hostile and broken files', () => {
  test.each(['xxe', 'entity-bomb', 'malformed'])('%s.tmx is 400, and nothing is stored', async (name) => {
    const { status, body } = await mine.importFile(corpusFile(`tmx-bad/${name}.tmx`));
    expect([status, typeof body.detail]).toEqual([400, 'string']);
    expect(await mine.memories()).toEqual([]);
  });

  test('bare-zh-pt.tmx: the base of a split language is read as its declared variant', async () => {
    const file = corpusFile('tmx-bad/bare-zh-pt.tmx');
    for (const target_lang of ['zh-Hans', 'zh-Hant', 'pt-BR', 'pt-PT']) {
      const { body } = await mine.importFile(file, { target_lang });
      expect(body).toMatchObject({ total_units: 2, imported: 1, skipped_units: 1 });
      const [source, text] = target_lang.startsWith('zh') ? ['Hello', '你好'] : ['Thanks', 'Obrigado'];
      expectServed(await ofMine(source!, target_lang), 'tm_exact', text!);
    }
    expect((await mine.importFile(file)).status).toBe(400);
  });
});
