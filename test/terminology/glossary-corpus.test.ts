import { beforeEach, describe, expect, test } from 'vitest';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { useTestApp } from '#test/setup/app.ts';
import { expectLine, openSets, refusal, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

async function served(source_text: string, target_lang: string): Promise<string | undefined> {
  const { request, final_translation } = await mine.job({ source_text, target_lang });
  return request.metadata.provenance?.fast_path === 'glossary_exact' ? final_translation : undefined;
}

/** A file of csv/, how many entries it has, and what some texts are served as. */
type Served = [source: string, lang: string, target: string | undefined][];
const glossaries: [string, number, Served][] = [
  [
    'source-target-domain',
    7,
    [
      ['Password', 'fr', 'mot de passe'],
      ['file upload', 'fr', 'téléversement de fichier'],
      ['domain', 'fr', undefined],
      ['source', 'fr', undefined],
    ],
  ],
  [
    'en-fr-no-known-header',
    9,
    [
      ['en', 'fr', 'fr'],
      ['due date', 'fr', "date d'échéance"],
    ],
  ],
  [
    'quoted-padded',
    4,
    [
      ['source 1', 'fr', 'target 1'],
      ['source 2', 'fr', 'target 2'],
      ['source 3', 'fr', 'target 3'],
    ],
  ],
  [
    'tabs-and-noise',
    3,
    [
      ['term 2', 'fr', 'trans term 2'],
      ['source 3', 'fr', 'target 3'],
      ['no source', 'fr', undefined],
    ],
  ],
  [
    'made-semicolon-full-columns',
    4,
    [
      ['INVOICE', 'fr', 'facture'],
      ['invoice', 'fr-CA', undefined],
      ['Purchase Order', 'fr', 'bon de commande'],
      ['purchase order', 'fr', undefined],
      ['net; total', 'fr', 'total net'],
      ['ledger', 'de', 'grand livre'],
    ],
  ],
  [
    'made-bom-tab',
    3,
    [
      ['brake', 'de', 'Bremse'],
      ['gear box', 'de', 'Getriebe'],
    ],
  ],
  [
    'made-utf16le-bom',
    2,
    [
      ['contract', 'ja', '契約'],
      ['party', 'ja', '当事者'],
      ['party', 'ko', undefined],
    ],
  ],
  [
    'made-pipe-cr-only',
    2,
    [
      ['stock', 'es', 'inventario'],
      ['warehouse', 'es', 'almacén'],
    ],
  ],
  [
    'made-positional-six-columns',
    3,
    [
      ['invoice', 'de', 'Rechnung'],
      ['Invoice', 'de', undefined],
      ['Credit Note', 'de', 'Gutschrift'],
      ['VAT', 'de', 'MwSt.'],
      ['vat', 'de', undefined],
      ['VAT', 'fr', undefined],
    ],
  ],
];

test('every file of the corpus is here', () => {
  const names = [...glossaries.map(([name]) => name), 'term-multilingual-notes'];
  expect(corpusNames('csv').filter((name) => name.endsWith('.csv'))).toEqual(
    names.map((name) => `${name}.csv`).toSorted(),
  );
});

describe('B 4.4: glossaries of the corpus', () => {
  test.each(glossaries)('%s.csv has %d entries', async (name, entries, expected) => {
    const { status, body } = await mine.uploadFile(corpusFile(`csv/${name}.csv`));
    expect([status, body.entry_count]).toEqual([200, entries]);
    for (const [source, lang, target] of expected)
      expect([source, lang, await served(source, lang)]).toEqual([source, lang, target]);
  });

  test('term-multilingual-notes.csv: no header, and a term in a language column of line 2', async () => {
    expectLine(await mine.uploadFile(corpusFile('csv/term-multilingual-notes.csv')), 2);
    expect(await mine.glossaries()).toEqual([]);
  });
});

describe('B 4.4: broken glossaries of the corpus', () => {
  const bad = (name: string, fields = {}) => mine.uploadFile(corpusFile(`csv-bad/${name}.csv`), fields);

  test.each(['latin1', 'utf16-no-bom', 'utf32', 'nul'])('%s.csv is 400', async (name) => {
    const { status, body } = await bad(name);
    expect([status, typeof body.detail]).toEqual([400, 'string']);
    expect(await mine.glossaries()).toEqual([]);
  });

  test('quoted-newline.csv is 400 naming line 2', async () => {
    expectLine(await bad('quoted-newline'), 2);
  });

  test('language-without-variant.csv is 400 naming line 3, and nothing is stored', async () => {
    expectLine(await bad('language-without-variant'), 3);
    expect(await mine.glossaries()).toEqual([]);
  });

  test('no-usable-row.csv is 400 validation_error', async () => {
    const { status, body } = await bad('no-usable-row');
    expect([status, body.error_code]).toEqual([400, 'validation_error']);
  });

  test('B 8: over-2000-entries.csv is 422, with a pair and without; 2000 entries are not', async () => {
    const exceeded = [422, expect.stringMatching(/^terminology_max_terms_exceeded:/)];
    expect(refusal(await bad('over-2000-entries'))).toEqual(exceeded);
    expect(refusal(await bad('over-2000-entries', { source_lang: 'en', target_lang: 'fr' }))).toEqual(
      exceeded,
    );
    expect(await mine.glossaries()).toEqual([]);
    const lines = Buffer.from(corpusFile('csv-bad/over-2000-entries.csv'))
      .toString()
      .split('\n')
      .slice(0, 2001);
    expect((await mine.glossary(lines)).entry_count).toBe(2000);
    expect(await served('term 1999', 'fr')).toBe('terme 1999');
  });
});
