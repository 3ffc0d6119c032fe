import { beforeEach, describe, expect, test } from 'vitest';
import { corpusFile } from '#test/corpus/files.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';
import { tmx, tmxOf, type Unit, unit } from '../translation-memory/tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const upload = (content: string | Uint8Array, target_lang = 'fr', source_lang = 'en') =>
  mine.uploadFile(content, { source_lang, target_lang }, { name: 'terms.tmx', type: 'application/xml' });

async function served(
  source_text: string,
  target_lang = 'fr',
  source_lang = 'en',
): Promise<string | undefined> {
  const { request, final_translation } = await mine.job({ source_text, target_lang, source_lang });
  return request.metadata.provenance?.fast_path === 'glossary_exact' ? final_translation : undefined;
}

describe('B 4.4 "TMX terminology"', () => {
  test('each unit with variants for both languages becomes an entry', async () => {
    const body = [
      unit({ en: 'ledger', fr: 'grand livre', de: 'Hauptbuch' }),
      unit({ fr: 'stock', 'en-US': 'inventory' }),
      unit({ en: 'no French', de: 'kein Französisch' }),
      unit({ fr: 'pas d’anglais' }),
      unit({ en: '', fr: 'vide' }),
    ];
    const { status, body: set } = await upload(tmxOf(body.join('\n')));
    expect(status, JSON.stringify(set)).toBe(200);
    expect(set).toMatchObject({ entry_count: 2, source_lang: 'en', target_lang: 'fr' });
    expect([await served('ledger'), await served('inventory')]).toEqual(['grand livre', 'stock']);
    expect([await served('ledger', 'de'), await served('ledger', 'fr-CA')]).toEqual([undefined, undefined]);
  });

  test('is not case-sensitive', async () => {
    await upload(tmx([['Ledger', 'grand livre']]));
    for (const text of ['Ledger', 'ledger', 'LEDGER']) expect(await served(text)).toBe('grand livre');
  });

  test('has priority 0', async () => {
    await upload(tmx([['ledger', 'from TMX']]));
    await mine.glossary(['ledger,lower,,,,-1'], { name: 'lower' });
    expect(await served('ledger')).toBe('from TMX');
    await mine.glossary(['ledger,higher,,,,1'], { name: 'higher' });
    expect(await served('ledger')).toBe('higher');
  });

  test('C 7: of units of one source the newest changedate wins, then the last; all of them are kept', async () => {
    const dated = (target: string, changedate?: string): Unit => ({
      source: 'ledger',
      target,
      ...(changedate && { changedate }),
    });
    const newest = dated('newest', '20240301T000000Z');
    const tied = dated('tied', '2024-03-01T01:00:00+01:00');
    const others = [dated('old', '20200101T000000Z'), dated('undated')];
    for (const [winner, units] of [
      ['newest', [newest, ...others]],
      ['newest', [tied, newest, ...others]],
      ['tied', [...others, newest, tied]],
      ['undated', [dated('first'), dated('undated')]],
    ] as const) {
      expect((await upload(tmx([...units]))).body.entry_count).toBe(units.length);
      expect(await served('ledger')).toBe(winner);
    }
  });

  test('inline containers are dropped, and what is highlighted is kept', async () => {
    const seg = {
      en: '<bpt i="1">&lt;b></bpt>gear <hi>box</hi><ept i="1">&lt;/b></ept>',
      fr: 'boîte<ph>x</ph> de vitesses',
    };
    await upload(tmxOf(unit(seg)));
    expect(await served('gear box')).toBe('boîte de vitesses');
  });

  test('languages are read as those that their codes stand for; variants never cross', async () => {
    const file = corpusFile('tmx/made-language-codes.tmx');
    for (const [target, entries, source, text] of [
      ['zh-Hant', 2, 'Turn left.', '左轉。'],
      ['nb', 2, 'Good night.', 'God natt.'],
      ['fr', 1, 'Parking lot', 'Parking'],
      ['fr-CA', 1, 'Parking lot', 'Stationnement'],
      ['pt-PT', 1, 'Thank you very much.', 'Muito obrigado.'],
    ] as const) {
      const { status, body } = await upload(file, target);
      expect([target, status, body.entry_count]).toEqual([target, 200, entries]);
      expect(await served(source, target)).toBe(text);
    }
    expect(await served('Parking lot', 'fr')).toBeUndefined();
  });

  test('bad/bare-zh-pt.tmx: a variant that names only the base of a split language is the declared one', async () => {
    const file = corpusFile('tmx-bad/bare-zh-pt.tmx');
    for (const target of ['zh-Hans', 'zh-Hant']) {
      expect((await upload(file, target)).body).toMatchObject({ entry_count: 1, target_lang: target });
      expect(await served('Hello', target)).toBe('你好');
    }
    expect(await served('Hello', 'zh-Hans')).toBeUndefined();
    expect((await upload(file, 'pt-PT')).body).toMatchObject({ entry_count: 1 });
    expect([await served('Thanks', 'pt-PT'), await served('Thanks', 'pt-BR')]).toEqual([
      'Obrigado',
      undefined,
    ]);
    expect((await upload(file, 'fr')).status).toBe(400);
  });

  test.each(['xxe', 'xxe-parameter-entity', 'entity-bomb', 'malformed', 'no-matching-language'])(
    'bad/%s.tmx is 400, and leaves the set of that name as it was',
    async (name) => {
      await mine.glossary(['ledger,grand livre']);
      const { status, body } = await upload(corpusFile(`tmx-bad/${name}.tmx`));
      expect([status, typeof body.detail]).toEqual([400, 'string']);
      expect(await mine.glossaries()).toMatchObject([{ entry_count: 1 }]);
      expect(await served('ledger')).toBe('grand livre');
    },
  );

  test('bad/deeply-nested.tmx is refused or read, and the service answers on', async () => {
    expect([200, 400]).toContain((await upload(corpusFile('tmx-bad/deeply-nested.tmx'))).status);
    expect((await upload(tmx([['ledger', 'grand livre']]))).status).toBe(200);
  });

  test.each([
    ['empty', ''],
    ['CSV', 'ledger,grand livre'],
    ['other XML', '<html><body/></html>'],
    ['without a unit', tmxOf('')],
  ])('%s is 400', async (_, content) => {
    expect((await upload(content)).status).toBe(400);
    expect(await mine.glossaries()).toEqual([]);
  });

  test('files of the corpus in UTF-16, with a DOCTYPE that is not fetched', async () => {
    const { status, body } = await upload(corpusFile('tmx/inline-tags-utf16.tmx'), 'fr-CA');
    expect([status, body.entry_count]).toEqual([200, 7]);
    expect(await served('The big black cat sleeps.', 'fr-CA')).toBe('Le gros chat noir dors.');
  });

  test('B 8: over 2000 entries is 422', async () => {
    const { status, body } = await upload(corpusFile('tmx/made-5200-units.tmx'));
    expect([status, body.detail]).toEqual([422, expect.stringMatching(/^terminology_max_terms_exceeded:/)]);
  });
});
