import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as deepl from 'deepl-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { TranslationJob } from '#sdk/index.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { testFolder } from '#test/setup/launch.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { openProject } from './cli.ts';
import { serve } from './compat-server.ts';

/** The calls of deepl-node 1.28 and of the guides of DeepL's API, as an unmodified client makes them. */

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });
const small = useTestApp({ env: { ...env, DEFAULT_MONTHLY_CHAR_LIMIT: '10' } });

let served: Awaited<ReturnType<typeof serve>>;
let strict: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  served = await serve(() => app.address);
  strict = await serve(() => app.address, { heldIsError: true });
});
afterAll(() => {
  served.close();
  strict.close();
});

async function open(url = served.url) {
  const mine = await openProject(app);
  return { ...mine, client: new deepl.DeepLClient(mine.apiKey, { serverUrl: url, maxRetries: 0 }) };
}

describe('deepl-node: texts', () => {
  test('translateText of one text and of several', async () => {
    const { client, billed } = await open();
    const one = await client.translateText('Hello, world!', null, 'fr');
    expect([one.text, one.billedCharacters]).toEqual(['[fr] Hello, world!', 13]);
    const many = await client.translateText(['Good morning', 'Good evening'], 'en', 'de');
    expect(many.map(({ text }) => text)).toEqual(['[de] Good morning', '[de] Good evening']);
    expect(many.map(({ detectedSourceLang }) => detectedSourceLang)).toEqual(['en', 'en']);
    expect(await billed()).toBe(13 + 12 + 12);
  });

  test('detects the source language', async () => {
    const { client } = await open();
    const german = 'Der Vertrag endet am ersten Mai, und der Mieter zahlt die Miete im Voraus.';
    expect((await client.translateText(german, null, 'en-GB')).detectedSourceLang).toBe('de');
  });

  test('a short text is English, the language of the workspace, or that of its match in the TM', async () => {
    const { client, headers } = await open();
    const read = async (text: string, to: deepl.TargetLanguageCode = 'fr') =>
      (await client.translateText(text, null, to)).detectedSourceLang;
    // The likeliest candidates are Italian, Danish and Spanish; the last text has none.
    for (const text of ['Hello', 'Rent', 'Cancel', 'OK']) expect(await read(text)).toBe('en');
    // Longer texts have candidates, and so does a text for English readers.
    expect(await read('faisceau de protons', 'de')).toBe('fr');
    expect(await read('Speichern', 'en-US')).toBe('de');
    const { setsOf } = await import('#test/translation-memory/sets.ts');
    const mine = setsOf(app, headers);
    for (const name of ['Rooms', 'More rooms'])
      await mine.glossary('Zimmer,chambre', { name, source_lang: 'nl', target_lang: 'fr' });
    expect(await read('Hello')).toBe('nl');
    await mine.memory([['Hello', 'Bonjour']], { source_lang: 'da', target_lang: 'fr' });
    expect(await read('Hello')).toBe('da');
    expect(await read('Hello', 'it')).toBe('nl');
  });

  test.each([
    ['en-US', 'en'],
    ['en-GB', 'en'],
    ['pt-BR', 'pt-BR'],
    ['pt-PT', 'pt-PT'],
    ['zh-HANS', 'zh-Hans'],
    ['zh-HANT', 'zh-Hant'],
    ['nb', 'nb'],
  ] as const)('target language %s is %s', async (target, code) => {
    const { client } = await open();
    const source = code === 'en' ? 'de' : 'en';
    expect((await client.translateText('Hello', source, target as deepl.TargetLanguageCode)).text).toBe(
      `[${code}] Hello`,
    );
  });

  test('formality, context, HTML and blank texts', async () => {
    const { client, lingualoop } = await open();
    await client.translateText('Sit down', 'en', 'de', { formality: 'prefer_more', context: 'a classroom' });
    const html = await client.translateText('<p>Read <b>more</b></p>', 'en', 'fr', { tagHandling: 'html' });
    expect(html.text).toMatch(/^<p>.*<b>.*<\/b><\/p>$/);
    const blank = await client.translateText([' ', 'Hello', '\n'], 'en', 'fr');
    expect(blank.map(({ text }) => text)).toEqual([' ', '[fr] Hello', '\n']);
    const { out } = await lingualoop(['review', 'list', '--json']);
    expect(JSON.parse(out).texts).toEqual([]);
  });

  test('XML keeps its markup and ignored elements, and all other texts are translated', async () => {
    const { client } = await open();
    const xml =
      '<?xml version="1.0"?>\n<!-- note --><doc a="x > y"><Title>One &lt; two</Title>' +
      '<raw>Kept <b>as it is</b></raw><br/><![CDATA[Kept]]><raw/>Three</doc>';
    const { text } = await client.translateText(xml, 'en', 'fr', {
      tagHandling: 'xml',
      outlineDetection: false,
      splittingTags: ['Title'],
      nonSplittingTags: 'br',
      ignoreTags: ['raw', 'none'],
    });
    expect(text).toBe(xml.replace('One', '[fr] One').replace('Three', '[fr] Three'));
  });

  test('modelTypeUsed is set if a model type is requested', async () => {
    const { client } = await open();
    const typed = await client.translateText('Hello', 'en', 'fr', { modelType: 'latency_optimized' });
    expect(typed.modelTypeUsed).toBe('quality_optimized');
    expect((await client.translateText('Hello', 'en', 'fr')).modelTypeUsed).toBeUndefined();
  });

  test.each([1, 2])('the context of %i texts is a note, not the domain', async (count) => {
    const { client, headers } = await open();
    const texts = ['The lessee pays', 'The lessor pays'].slice(0, count);
    const options = { context: 'medical', customInstructions: ['Be brief'] };
    const results = await client.translateText(texts, 'en', 'fr', options);
    expect(results.map(({ text }) => text)).toEqual(texts.map((text) => `[fr] ${text}`));
    const listed = await fetch(`${app.address}/api/translations`, { headers });
    const jobs = (await listed.json()) as TranslationJob[];
    expect(jobs.map(({ status, request }) => [status, request.context, request.domain])).toEqual(
      texts.map(() => ['published', 'medical\nBe brief', null]),
    );
  });

  test('a text that awaits review is proposed, or with --held error an error', async () => {
    const { client, apiKey, headers } = await open();
    const { setsOf } = await import('#test/translation-memory/sets.ts');
    // The stub engine uses no terms.
    const languages = { source_lang: 'en', target_lang: 'fr' };
    await setsOf(app, headers).glossary('lessee,locataire\nlessor,bailleur', languages);
    const { text } = await client.translateText('The lessee pays', 'en', 'fr');
    expect(text).toBe('[fr] The lessee pays');
    const careful = new deepl.DeepLClient(apiKey, { serverUrl: strict.url, maxRetries: 0 });
    await expect(careful.translateText('The lessor pays', 'en', 'fr')).rejects.toThrow(/awaits a review/);
  });

  test('glossaries of the workspace apply', async () => {
    const { client, headers } = await open();
    const { setsOf } = await import('#test/translation-memory/sets.ts');
    await setsOf(app, headers).glossary('invoice,facture', { source_lang: 'en', target_lang: 'fr' });
    expect((await client.translateText('invoice', 'en', 'fr')).text).toBe('facture');
  });

  test.each<[string, (client: deepl.DeepLClient) => Promise<unknown>, RegExp]>([
    [
      'an unknown target',
      (client) => client.translateText('Hello', 'en', 'xx' as 'fr'),
      /'target_lang' not supported.*LinguaLoop supports: en, /,
    ],
    [
      'ignored tags in HTML',
      (client) => client.translateText('a', 'en', 'fr', { tagHandling: 'html', ignoreTags: ['x'] }),
      /'ignore_tags' needs 'tag_handling' xml/,
    ],
    ...['<a>', '</a>', '<a><b></a></b>', '<a', '<!-- a', '< a>'].map(
      (text): [string, (client: deepl.DeepLClient) => Promise<unknown>, RegExp] => [
        `the XML ${text}`,
        (client) => client.translateText(text, 'en', 'fr', { tagHandling: 'xml' }),
        /malformed at character \d/,
      ],
    ),
    [
      'an unknown way to split sentences',
      (client) => client.translateText('a', 'en', 'fr', { splitSentences: 'words' as 'on' }),
      /'split_sentences' not supported/,
    ],
    [
      'formality in a language without it',
      (client) => client.translateText('a', 'en', 'tr', { formality: 'more' }),
      /Target language 'TR'.*formality/i,
    ],
    [
      'a style',
      (client) => client.translateText('a', 'en', 'fr', { styleRule: 'none' }),
      /no counterpart of 'style_id'/,
    ],
    [
      'an unknown glossary',
      (client) => client.translateText('a', 'en', 'fr', { glossary: 'none' }),
      /glossary/i,
    ],
    ['rephrasing', (client) => client.rephraseText('a', 'en-US'), /no counterpart/i],
    ['style rules', (client) => client.getAllStyleRules(), /no counterpart/i],
    ['translation memories', (client) => client.listTranslationMemories(), /no counterpart/i],
  ])('%s is an error in the form of DeepL', async (_what, call, message) => {
    const { client, billed } = await open();
    await expect(call(client)).rejects.toThrow(message);
    expect(await billed()).toBe(0);
  });

  test('errors have the classes of deepl-node', async () => {
    const { client, apiKey } = await open();
    const wrong = new deepl.DeepLClient('wrong-key', { serverUrl: served.url, maxRetries: 0 });
    await expect(wrong.translateText('Hello', 'en', 'fr')).rejects.toBeInstanceOf(deepl.AuthorizationError);
    const unsendable = await fetch(`${served.url}/v2/usage?auth_key=k%C3%A9y`);
    expect(unsendable.status).toBe(403);
    await expect(wrong.getUsage()).rejects.toBeInstanceOf(deepl.AuthorizationError);
    await expect(client.getGlossary('none')).rejects.toBeInstanceOf(deepl.GlossaryNotFoundError);
    const poor = await serve(() => small.address);
    onTestFinished(poor.close);
    const { apiKey: smallKey } = await small.signUp();
    const limited = new deepl.DeepLClient(smallKey, { serverUrl: poor.url, maxRetries: 0 });
    await expect(limited.translateText('More than ten characters', 'en', 'fr')).rejects.toBeInstanceOf(
      deepl.QuotaExceededError,
    );
    const down = await serve(() => 'http://127.0.0.1:9');
    onTestFinished(down.close);
    const offline = new deepl.DeepLClient(apiKey, { serverUrl: down.url, maxRetries: 0 });
    await expect(offline.translateText('Hello', 'en', 'fr')).rejects.toThrow(/Service unavailable|503/i);
  });
});

describe('deepl-node: usage and languages', () => {
  test('getUsage has the allowance of the workspace', async () => {
    const { client } = await open();
    await client.translateText('Hello', 'en', 'fr');
    const { character } = await client.getUsage();
    expect(character).toEqual(expect.objectContaining({ count: 5, limit: 500_000 }));
  });

  test('getSourceLanguages, getTargetLanguages, getGlossaryLanguagePairs', async () => {
    const { client } = await open();
    const source = await client.getSourceLanguages();
    expect(source.find(({ code }) => code === 'de')).toMatchObject({ name: 'German' });
    const target = await client.getTargetLanguages();
    expect(target.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['en-GB', 'en-US', 'fr', 'pt-BR', 'zh-HANT']),
    );
    expect(target.find(({ code }) => code === 'de')?.supportsFormality).toBe(true);
    expect(target).toHaveLength(36);
    const pairs = await client.getGlossaryLanguagePairs();
    expect(pairs).toHaveLength(35 * 34);
    // Each listed target is accepted.
    for (const { code } of target.slice(0, 8))
      expect(
        (
          await client.translateText(
            'Hi',
            code.startsWith('en') ? 'de' : 'en',
            code as deepl.TargetLanguageCode,
          )
        ).text,
      ).toMatch(/^\[/);
  });
});

describe('deepl-node: documents', () => {
  // The client pauses five seconds between two requests for the state of a document.
  beforeAll(() => {
    const utils = createRequire(import.meta.url)('deepl-node/dist/utils');
    const waits = vi.spyOn(utils, 'timeout').mockImplementation(() => delay(50));
    return () => waits.mockRestore();
  });

  test('translateDocument, and its steps one by one', async () => {
    const { client } = await open();
    const folder = await testFolder();
    const source = join(folder, 'menu.xlsx');
    await writeFile(source, new Uint8Array(await workbookFile(['Soup', 'Bread']).arrayBuffer()));
    await withWorkers(app, async () => {
      const target = join(folder, 'menu.fr.xlsx');
      const status = await client.translateDocument(source, target, 'en', 'fr');
      expect([status.status, status.billedCharacters]).toEqual(['done', 9]);
      expect((await readFile(target)).subarray(0, 2).toString()).toBe('PK');

      const handle = await client.uploadDocument(source, null, 'de', {
        filename: 'other.xlsx',
        formality: 'more',
      });
      const { status: done } = await client.isDocumentTranslationComplete(handle);
      expect(done.ok()).toBe(true);
      await client.downloadDocument(handle, join(folder, 'other.de.xlsx'));
      // The key of another document, and another caller's key, open nothing.
      await expect(client.getDocumentStatus({ ...handle, documentKey: 'A'.repeat(64) })).rejects.toThrow(
        /not found/i,
      );
      const other = await open();
      await expect(other.client.getDocumentStatus(handle)).rejects.toThrow(/not found/i);
    });
  }, 60_000);

  test('a text file is translated line by line, also of a short text without a language', async () => {
    const { client } = await open();
    const folder = await testFolder();
    const source = join(folder, 'note.txt');
    await writeFile(source, 'Good morning\r\n\r\n  Save\n');
    await withWorkers(app, async () => {
      const status = await client.translateDocument(source, join(folder, 'note.de.txt'), null, 'de');
      expect(status.billedCharacters).toBe(16);
      expect(await readFile(join(folder, 'note.de.txt'), 'utf8')).toBe(
        '[de] Good morning\r\n\r\n  [de] Save\n',
      );
    });
  }, 60_000);

  test.each([
    ['a.exe', 'text', /Invalid file: unsupported source_document type/],
    ['a.docx', 'not a Word file', /source_document/],
  ])('%s is an error in the form of DeepL', async (name, content, message) => {
    const { client } = await open();
    const path = join(await testFolder(), name);
    await writeFile(path, content);
    await expect(client.uploadDocument(path, 'en', 'fr')).rejects.toThrow(message);
  });
});

describe('the API without a client package', () => {
  const post = async (key: string, body: string | URLSearchParams, type?: string) => {
    const response = await fetch(`${served.url}/v2/translate`, {
      method: 'POST',
      headers: { authorization: `DeepL-Auth-Key ${key}`, ...(type && { 'content-type': type }) },
      body,
    });
    // biome-ignore lint/suspicious/noExplicitAny: the parsed body: the tests look into it freely
    return { status: response.status, body: (await response.json()) as any };
  };

  test('takes JSON and forms, as in the guides', async () => {
    const { apiKey } = await open();
    const json = await post(
      apiKey,
      JSON.stringify({ text: ['Hello'], target_lang: 'FR', source_lang: 'EN' }),
      'application/json',
    );
    expect(json).toEqual({
      status: 200,
      body: { translations: [{ detected_source_language: 'EN', text: '[fr] Hello' }] },
    });
    const form = new URLSearchParams([
      ['text', 'One'],
      ['text', 'Two'],
      ['target_lang', 'DE'],
      ['source_lang', 'EN'],
    ]);
    const { body } = await post(apiKey, form);
    expect(body.translations.map(({ text }: { text: string }) => text)).toEqual(['[de] One', '[de] Two']);
  });

  test('glossary_ids must exist', async () => {
    const { apiKey, client } = await open();
    const { glossaryId } = await client.createGlossary(
      'Terms',
      'en',
      'fr',
      new deepl.GlossaryEntries({ entries: { a: 'b' } }),
    );
    const send = (glossary_ids: unknown) =>
      post(
        apiKey,
        JSON.stringify({ text: 'a', source_lang: 'EN', target_lang: 'FR', glossary_ids }),
        'application/json',
      );
    expect((await send([glossaryId])).body.translations[0].text).toBe('b');
    expect((await send([glossaryId, 'none'])).status).toBe(404);
    expect((await send([1])).status).toBe(400);
    expect(
      (
        await post(
          apiKey,
          JSON.stringify({ text: 'a', target_lang: 'FR', glossary_ids: [glossaryId] }),
          'application/json',
        )
      ).status,
    ).toBe(400);
  });

  test.each([
    ['{', 'application/json', 400],
    ['[]', 'application/json', 400],
    ['{"target_lang":"FR"}', 'application/json', 400],
    ['{"text":[1],"target_lang":"FR"}', 'application/json', 400],
    ['{"text":["a"]}', 'application/json', 400],
    [JSON.stringify({ text: Array(51).fill('a'), target_lang: 'FR' }), 'application/json', 413],
    ['x', 'application/zip', 415],
    ['no boundary', 'multipart/form-data', 400],
    ['x'.repeat(31_000_001), 'application/json', 413],
  ])('a wrong body is an error with a message (case %#)', async (body, type, status) => {
    const { apiKey } = await open();
    expect(await post(apiKey, body, type)).toEqual({ status, body: { message: expect.any(String) } });
  });

  test('without a key, and at an unknown path', async () => {
    expect((await fetch(`${served.url}/v2/usage`)).status).toBe(403);
    const unknown = await fetch(`${served.url}/v2/nothing`);
    expect([unknown.status, ((await unknown.json()) as { message: string }).message]).toEqual([
      404,
      expect.stringContaining('no counterpart'),
    ]);
  });
});
