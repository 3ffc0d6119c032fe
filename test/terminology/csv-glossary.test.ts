import { beforeEach, describe, expect, test } from 'vitest';
import { corpusFile } from '#test/corpus/files.ts';
import { useTestApp } from '#test/setup/app.ts';
import { expectLine, openSets, refusal, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

/** The translation of a text that is a complete term; undefined if no glossary serves it. */
async function served(
  source_text: string,
  target_lang = 'fr',
  source_lang = 'en',
): Promise<string | undefined> {
  const { request, final_translation } = await mine.job({ source_text, target_lang, source_lang });
  return request.metadata.provenance?.fast_path === 'glossary_exact' ? final_translation : undefined;
}

/** How cells are read is tested in test/formats/glossary-files.test.ts. */
describe('a CSV glossary', () => {
  test('with a header: terms, languages and letter case apply', async () => {
    const { status, body } = await mine.uploadFile(corpusFile('csv/made-semicolon-full-columns.csv'));
    expect([status, body.entry_count]).toEqual([200, 4]);
    for (const [source, lang, target] of [
      ['INVOICE', 'fr', 'facture'],
      ['invoice', 'fr-CA', undefined],
      ['Purchase Order', 'fr', 'bon de commande'],
      ['purchase order', 'fr', undefined],
      ['net; total', 'fr', 'total net'],
      ['ledger', 'de', 'grand livre'],
    ] as const)
      expect([source, await served(source, lang)]).toEqual([source, target]);
  });

  test('without a header: the columns are positional, the priority too', async () => {
    await mine.glossary([
      'ledger,low,en,fr,true,1',
      'ledger,high,en,fr,true,2',
      'stock,Lager,,de',
      'stock,any',
    ]);
    expect([await served('ledger'), await served('LEDGER'), await served('ledger', 'de')]).toEqual([
      'high',
      undefined,
      undefined,
    ]);
    expect([await served('stock', 'de'), await served('stock')]).toEqual(['any', 'any']);
  });

  test('with an unreadable cell is 400 naming the line, and the set of that name stays as it was', async () => {
    await mine.glossary(['ledger,grand livre']);
    expectLine(await mine.uploadFile(corpusFile('csv-bad/language-without-variant.csv')), 3);
    expectLine(await mine.uploadFile(corpusFile('csv-bad/quoted-newline.csv')), 2);
    expect(await mine.glossaries()).toMatchObject([{ entry_count: 1 }]);
    expect(await served('ledger')).toBe('grand livre');
  });

  test('of 2001 entries is 422, with a pair and without; one of 2000 is stored', async () => {
    const file = corpusFile('csv-bad/over-2000-entries.csv');
    for (const fields of [{}, { source_lang: 'en', target_lang: 'fr' }])
      expect(refusal(await mine.uploadFile(file, fields))).toEqual([
        422,
        expect.stringMatching(/^terminology_max_terms_exceeded:/),
      ]);
    expect(await mine.glossaries()).toEqual([]);
    const lines = Buffer.from(file).toString().split('\n').slice(0, 2001);
    expect((await mine.glossary(lines)).entry_count).toBe(2000);
    expect(await served('term 1999')).toBe('terme 1999');
  });
});

describe('the declared pair of a set', () => {
  test('applies only to the entries whose own cells are empty', async () => {
    await mine.glossary(['source,target,target_lang', 'ledger,livre,', 'stock,Lager,de'], {
      source_lang: 'en-US',
      target_lang: 'fr-FR',
    });
    expect([await served('ledger'), await served('ledger', 'de'), await served('ledger', 'fr-CA')]).toEqual([
      'livre',
      undefined,
      undefined,
    ]);
    expect([await served('stock', 'de'), await served('stock', 'fr')]).toEqual(['Lager', undefined]);
  });

  test('is returned as supplied, not normalized', async () => {
    const declared = { source_lang: 'EN-us', target_lang: 'fr-BE' };
    expect(await mine.glossary(['ledger,livre'], declared)).toMatchObject(declared);
    expect(await mine.glossaries()).toMatchObject([declared]);
  });

  test('may be left out: then an entry applies to any pair', async () => {
    await mine.glossary(['KapiMart,KapiMart']);
    for (const target of ['de', 'pt-BR']) expect(await served('KapiMart', target)).toBe('KapiMart');
    expect(await served('KapiMart', 'en', 'fr-CA')).toBe('KapiMart');
  });
});
