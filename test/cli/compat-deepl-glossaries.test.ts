import * as deepl from 'deepl-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openProject } from './cli.ts';
import { serve } from './compat-server.ts';

/** Glossaries of both versions, as deepl-node calls them. */

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let served: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  served = await serve(() => app.address);
});
afterAll(() => served.close());

async function open() {
  const mine = await openProject(app);
  return {
    ...mine,
    client: new deepl.DeepLClient(mine.apiKey, { serverUrl: served.url, maxRetries: 0 }),
  };
}

describe('deepl-node: glossaries', () => {
  test('createGlossary, listGlossaries, getGlossary, getGlossaryEntries, deleteGlossary', async () => {
    const { client } = await open();
    const entries = new deepl.GlossaryEntries({
      entries: { invoice: 'facture', 'a, "quoted" term': 'un terme' },
    });
    const made = await client.createGlossary('My terms', 'en', 'fr', entries);
    expect(made).toMatchObject({
      name: 'My terms',
      ready: true,
      sourceLang: 'en',
      targetLang: 'fr',
      entryCount: 2,
    });
    const again = await client.createGlossary('My terms', 'en', 'fr', entries);
    expect(again.name).toBe('My terms (2)');
    const listed = await client.listGlossaries();
    expect(listed.map(({ glossaryId }) => glossaryId).sort()).toEqual(
      [made.glossaryId, again.glossaryId].sort(),
    );
    expect(await client.getGlossary(made.glossaryId)).toMatchObject({ name: 'My terms', entryCount: 2 });
    expect((await client.getGlossaryEntries(made)).entries()).toEqual(entries.entries());
    const { text } = await client.translateText('invoice', 'en', 'fr', { glossary: made });
    expect(text).toBe('facture');
    await expect(client.translateText('invoice', 'en', 'de', { glossary: made.glossaryId })).rejects.toThrow(
      /No dictionary found for language pair en to de/,
    );
    await client.deleteGlossary(made);
    await expect(client.getGlossary(made.glossaryId)).rejects.toBeInstanceOf(deepl.GlossaryNotFoundError);
  });

  test('createGlossaryWithCsv', async () => {
    const { client } = await open();
    const made = await client.createGlossaryWithCsv(
      'CSV',
      'en',
      'de',
      Buffer.from('ship,Schiff\nsail,Segel\n'),
    );
    expect(made.entryCount).toBe(2);
  });
});

describe('deepl-node: glossaries with several dictionaries', () => {
  const entries = (terms: Record<string, string>) => new deepl.GlossaryEntries({ entries: terms });
  const french = {
    sourceLangCode: 'en',
    targetLangCode: 'fr',
    entries: entries({ bill: 'addition' }),
  } as const;
  const german = { sourceLangCode: 'de', targetLangCode: 'en', entries: entries({ Miete: 'rent' }) } as const;

  test('create, get, list, change and delete', async () => {
    const { client, headers } = await open();
    const made = await client.createMultilingualGlossary('Terms', [french, german]);
    const both = [
      { sourceLangCode: 'en', targetLangCode: 'fr', entryCount: 1 },
      { sourceLangCode: 'de', targetLangCode: 'en', entryCount: 1 },
    ];
    expect(made).toMatchObject({ name: 'Terms', dictionaries: both });
    expect(await client.listMultilingualGlossaries()).toEqual([made]);
    expect((await client.translateText('Miete', 'de', 'en-US', { glossary: made })).text).toBe('rent');
    await expect(client.translateText('Miete', 'de', 'fr', { glossary: made })).rejects.toThrow(
      /No dictionary found/,
    );

    // An entry with the same term is replaced, a new one is added, and the case rules of others stay.
    const term = {
      source_lang: 'en',
      target_lang: 'fr',
      source_term: 'May',
      target_term: 'mai',
      case_sensitive: true,
    };
    await viaRpc(
      app,
      { path: 'terminology.addEntry', type: 'mutation' },
      { input: { set_id: made.glossaryId, ...term }, headers },
    );
    const changed = await client.updateMultilingualGlossaryDictionary(made.glossaryId, {
      ...french,
      entries: entries({ bill: 'facture', rent: 'loyer' }),
    });
    expect(changed.dictionaries).toContainEqual({ ...both[0], entryCount: 3 });
    const read = await client.getMultilingualGlossaryDictionaryEntries(made.glossaryId, 'en', 'fr');
    expect(read.entries.entries()).toEqual({ bill: 'facture', rent: 'loyer', May: 'mai' });
    const { body } = await viaRpc(
      app,
      { path: 'terminology.entries', type: 'query' },
      { input: { set_id: made.glossaryId }, headers },
    );
    expect(body.entries).toContainEqual(expect.objectContaining(term));

    const renamed = await client.updateMultilingualGlossaryName(made.glossaryId, 'Other terms');
    expect(renamed).toMatchObject({ glossaryId: made.glossaryId, name: 'Other terms' });
    await client.replaceMultilingualGlossaryDictionaryWithCsv(
      made.glossaryId,
      'en',
      'fr',
      '"a, b",c\r\nd,e,EN,FR\nf,g,en,de\n',
    );
    const replaced = await client.getMultilingualGlossaryDictionaryEntries(made.glossaryId, 'en', 'fr');
    expect(replaced.entries.entries()).toEqual({ 'a, b': 'c', d: 'e' });
    await client.deleteMultilingualGlossaryDictionary(made.glossaryId, 'en', 'fr');
    expect((await client.getMultilingualGlossary(made.glossaryId)).dictionaries).toEqual([both[1]]);
    // Version 2 sees the glossary too, which now has one language pair.
    expect(await client.getGlossary(made.glossaryId)).toMatchObject({ sourceLang: 'de', targetLang: 'en' });
    await client.deleteMultilingualGlossary(made.glossaryId);
    await expect(client.getMultilingualGlossary(made.glossaryId)).rejects.toBeInstanceOf(
      deepl.GlossaryNotFoundError,
    );
  });

  test.each<[string, (client: deepl.DeepLClient, id: string) => Promise<unknown>, RegExp]>([
    ['no dictionary', (client) => client.createMultilingualGlossary('None', []), /at least one dictionary/],
    [
      'an unknown language',
      (client) => client.createMultilingualGlossary('None', [{ ...french, targetLangCode: 'xx' as 'fr' }]),
      /'target_lang' not supported/,
    ],
    [
      'a row without a translation',
      (client, id) => client.replaceMultilingualGlossaryDictionaryWithCsv(id, 'en', 'fr', 'a,b\nc\n'),
      /row 2 has no term or no translation/,
    ],
    [
      'a dictionary that the glossary lacks',
      (client, id) => client.deleteMultilingualGlossaryDictionary(id, 'en', 'de'),
      /Dictionary not found/,
    ],
    [
      'the last dictionary',
      (client, id) => client.deleteMultilingualGlossaryDictionary(id, 'en', 'fr'),
      /at least one dictionary/,
    ],
  ])('%s is an error, and nothing changes', async (_what, call, message) => {
    const { client } = await open();
    const { glossaryId } = await client.createMultilingualGlossary('Terms', [french]);
    await expect(call(client, glossaryId)).rejects.toThrow(message);
    const listed = await client.listMultilingualGlossaries();
    expect(listed.map(({ dictionaries }) => dictionaries)).toEqual([
      [{ sourceLangCode: 'en', targetLangCode: 'fr', entryCount: 1 }],
    ]);
  });

  test('forbidden translations are in no dictionary, and stay when one is changed', async () => {
    const { client, headers } = await open();
    const { glossaryId: id } = await client.createMultilingualGlossary('Terms', [french]);
    const term = {
      ...{ source_lang: 'en', target_lang: 'fr', source_term: 'bill', target_term: 'note' },
      ...{ status: 'forbidden', definition: 'At the end of a meal' },
    };
    await viaRpc(
      app,
      { path: 'terminology.addEntry', type: 'mutation' },
      { input: { set_id: id, ...term }, headers },
    );
    const changed = { ...french, entries: entries({ bill: 'facture' }) };
    await client.updateMultilingualGlossaryDictionary(id, changed);
    await client.replaceMultilingualGlossaryDictionary(id, changed);
    const read = await client.getMultilingualGlossaryDictionaryEntries(id, 'en', 'fr');
    expect(read.entries.entries()).toEqual({ bill: 'facture' });
    const { body } = await viaRpc(
      app,
      { path: 'terminology.entries', type: 'query' },
      { input: { set_id: id }, headers },
    );
    expect(body.entries).toContainEqual(expect.objectContaining(term));
  });

  test('a long name is cut, and numbered if another glossary has it', async () => {
    const { client } = await open();
    const names = [];
    for (const _ of [1, 2])
      names.push((await client.createMultilingualGlossary('x'.repeat(200), [french])).name);
    expect(names).toEqual(['x'.repeat(128), `${'x'.repeat(124)} (2)`]);
  });
});
