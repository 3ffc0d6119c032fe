import { beforeEach, describe, expect, test } from 'vitest';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { useTestApp } from '#test/setup/app.ts';
import { memories, tmxFile, unitsOf } from './corpus.ts';
import { expectServed } from './fast-path-jobs.ts';
import { openSets, type Sets } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const importOf = (file: Uint8Array, source_lang: string, target_lang: string) =>
  mine.importFile(file, { source_lang, target_lang }, { type: 'text/xml' });
const ofMine = async (source_text: string, target_lang: string, source_lang = 'en') =>
  mine.job({ source_text, target_lang, source_lang });

test('every file of the corpus is here', () => {
  const background = 'made-5200-units';
  const names = new Set([...memories.map(([name]) => name), background].map((name) => `${name}.tmx`));
  expect(corpusNames('tmx').filter((name) => name.endsWith('.tmx'))).toEqual([...names].toSorted());
});

describe.each(memories)(
  'B 4.5: %s.tmx from %s into %s',
  (name, source, target, [total, imported, skipped, dropped]) => {
    test('its counts, and a segment of it served', async () => {
      const { status, body } = await importOf(tmxFile(name), source, target);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(body).toMatchObject({
        total_units: total,
        imported,
        skipped_units: skipped,
        duplicates_dropped: dropped,
        entry_count: imported,
        source_lang: source,
        target_lang: target,
      });
      const units = unitsOf(tmxFile(name), source, target);
      expect(units).toHaveLength(imported);
      for (const unit of [units[0]!, units.at(-1)!])
        expectServed(await ofMine(unit.source, target, source), 'tm_exact', unit.target);
    });
  },
);

describe('B 4.5: files of the corpus without a unit for the declared languages: 400', () => {
  test.each([
    ['utf16-doctype', 'en', 'fr'],
    ['many-variants', 'en', 'de'],
    ['inline-tags-utf16', 'en', 'fr'],
    ['inline-sub-props-notes', 'en', 'fr-CA'],
    ['pt-br-paragraphs', 'en', 'pt-PT'],
    ['olifant-changedate', 'fr-CA', 'en'],
    ['made-language-codes', 'fr', 'fr-CA'],
  ])('%s.tmx from %s into %s', async (name, source, target) => {
    expect((await importOf(tmxFile(name), source, target)).status).toBe(400);
    expect(await mine.memories()).toEqual([]);
  });
});

describe('C 7 "Duplicates of one file": newest changedate, then the last', () => {
  test('made-duplicates-changedate.tmx: what is served of each source', async () => {
    await importOf(tmxFile('made-duplicates-changedate'), 'en', 'fr');
    const expected = {
      'Save the file.': 'Sauvegardez le fichier.',
      'save the file.': 'enregistrez le fichier minuscule.',
      'Caf\u00e9': 'Caf\u00e9 d\u00e9compos\u00e9',
    };
    for (const [source, target] of Object.entries(expected))
      expect((await ofMine(source, 'fr')).final_translation.normalize('NFC')).toBe(target);
  });

  test('olifant-changedate.tmx, of seven without a date: the last', async () => {
    await importOf(tmxFile('olifant-changedate'), 'en', 'fr');
    const job = await ofMine('One entry in the TM.', 'fr');
    expect(job.final_translation).toBe('Une entrée dans la MT (no file, no group)');
  });
});

describe('B 4.4 "Language code reading": variants never cross', () => {
  test('made-language-codes.tmx: fr-CA and fr, pt-BR and pt-PT, zh-Hans and zh-Hant', async () => {
    const file = tmxFile('made-language-codes');
    const declared = ['fr', 'fr-CA', 'pt-BR', 'pt-PT', 'zh-Hans', 'zh-Hant', 'nb', 'es'];
    for (const target_lang of declared) {
      const answer = await mine.importFile(file, { name: target_lang, target_lang });
      expect(answer.status).toBe(200);
    }
    const served: [string, string, string | undefined][] = [
      ['Parking lot', 'fr', 'Parking'],
      ['Parking lot', 'fr-CA', 'Stationnement'],
      ['Thank you.', 'pt-BR', 'Obrigado.'],
      ['Thank you.', 'pt-PT', undefined],
      ['Thank you very much.', 'pt-PT', 'Muito obrigado.'],
      ['Thank you very much.', 'pt-BR', undefined],
      ['The door is open.', 'zh-Hans', '门开着。'],
      ['The door is open.', 'zh-Hant', undefined],
      ['Turn left.', 'zh-Hant', '左轉。'],
      ['Turn left.', 'zh-Hans', undefined],
      ['Good morning.', 'nb', 'God morgen.'],
      ['Good night.', 'nb', 'God natt.'],
      ['Computer', 'es', 'Computadora'],
    ];
    for (const [source, target, text = `[${target}] ${source}`] of served)
      expect([target, (await ofMine(source, target)).final_translation]).toEqual([target, text]);
  });
});

describe('hostile and broken files', () => {
  test.each(['xxe', 'xxe-parameter-entity', 'entity-bomb', 'malformed', 'no-matching-language'])(
    'bad/%s.tmx is 400, and nothing is stored',
    async (name) => {
      const { status, body } = await importOf(corpusFile(`tmx-bad/${name}.tmx`), 'en', 'fr');
      expect([status, typeof body.detail]).toEqual([400, 'string']);
      expect(await mine.memories()).toEqual([]);
    },
  );

  test('bad/deeply-nested.tmx is refused or read, and the service answers on', async () => {
    const { status } = await importOf(corpusFile('tmx-bad/deeply-nested.tmx'), 'en', 'fr');
    expect([200, 400]).toContain(status);
    expect((await app.request('/healthz')).status).toBe(200);
    expect((await mine.importFile(tmxFile('omegat'), { name: 'another' })).status).toBe(200);
  });

  test('C 7: bad/bare-zh-pt.tmx: a base of a split language is the declared variant of it, in memory too', async () => {
    const file = corpusFile('tmx-bad/bare-zh-pt.tmx');
    const of = { total_units: 2, imported: 1, skipped_units: 1 };
    for (const target of ['zh-Hans', 'zh-Hant', 'pt-BR', 'pt-PT']) {
      expect((await importOf(file, 'en', target)).body).toMatchObject(of);
      const [source, text] = target.startsWith('zh') ? ['Hello', '你好'] : ['Thanks', 'Obrigado'];
      expectServed(await ofMine(source!, target), 'tm_exact', text!);
    }
    expect((await importOf(file, 'en', 'fr')).status).toBe(400);
  });
});
