import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { describeForLog } from '#server/errors.ts';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import type { TranslationTask } from '#server/platform/engines/engine.ts';
import { openApertium } from '#server/platform/engines/machine/apertium.ts';
import { openAzure } from '#server/platform/engines/machine/azure.ts';
import { openDeepL } from '#server/platform/engines/machine/deepl.ts';
import { openGoogle } from '#server/platform/engines/machine/google.ts';
import { openLibreTranslate } from '#server/platform/engines/machine/libretranslate.ts';
import { translateBy } from '#server/platform/engines/machine/machine-engine.ts';
import type { Translator } from '#server/platform/engines/machine/translator.ts';
import { protectText } from '#server/translation/pipeline/protected-words.ts';
import { failed } from '#test/engines/live-engine.ts';
import { type MachineKind, shout, startTranslator } from '#test/fakes/translators.ts';
import { plainTask } from '#test/setup/engine.ts';

const key = 'a-s3cret-key';
const open: Record<MachineKind, (url: string) => Translator> = {
  deepl: (url) => openDeepL({ api_key: key, url }),
  azure: (url) => openAzure({ api_key: key, region: 'westeurope', url }),
  google: (url) => openGoogle({ api_key: key, url }),
  libretranslate: (url) => openLibreTranslate({ api_key: key, url }),
  apertium: (url) => openApertium({ url }),
};

const scope = { tenantId: 'tenant-1' };
const kinds = Object.keys(open) as MachineKind[];
const fakes = await Promise.all(kinds.map(startTranslator));
afterAll(() => Promise.all(fakes.map((fake) => fake.close())));

/** The documented request of each service for the text “Hello” from English into German. */
const documented: Record<MachineKind, { path: string; headers: object; body: object }> = {
  deepl: {
    path: '/v2/translate',
    headers: {
      authorization: `DeepL-Auth-Key ${key}`,
      'content-type': expect.stringContaining('application/x-www-form-urlencoded'),
      'user-agent': expect.stringContaining('deepl-node/'),
    },
    body: { source_lang: ['en'], target_lang: ['de'], text: ['Hello'], preserve_formatting: ['1'] },
  },
  azure: {
    path: '/translate?api-version=2026-06-06',
    headers: { 'ocp-apim-subscription-key': key, 'ocp-apim-subscription-region': 'westeurope' },
    body: { inputs: [{ text: 'Hello', language: 'en', textType: 'Plain', targets: [{ language: 'de' }] }] },
  },
  google: {
    path: '/language/translate/v2',
    headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
    body: { q: ['Hello'], source: 'en', target: 'de', format: 'text' },
  },
  libretranslate: {
    path: '/translate',
    headers: { 'content-type': 'application/json' },
    body: { q: ['Hello'], source: 'en', target: 'de', format: 'text', api_key: key },
  },
  apertium: {
    path: '/translate',
    headers: { 'content-type': expect.stringContaining('application/x-www-form-urlencoded') },
    body: { langpair: ['eng|deu'], q: ['Hello'], format: ['txt'], markUnknown: ['no'] },
  },
};

describe.each(fakes.map((fake) => [fake.kind, fake] as const))('%s', (kind, fake) => {
  const translator = open[kind](fake.url);
  let waits: number[] = [];
  const engineOf = (more: { retries?: number; timeout?: number } = {}) =>
    translateBy(translator, 'mine', {
      retries: 2,
      timeout: 20_000,
      sleep: async (ms) => void waits.push(ms),
      concurrencyLimit: createConcurrencyLimit(),
      protect: protectText,
      ...more,
    });
  const translate = async (segments: string[], more: Partial<TranslationTask> = {}) =>
    (await engineOf()({ ...plainTask, segments, ...more }, scope)).value;
  beforeEach(() => {
    fake.reset();
    waits = [];
  });

  test('sends the documented request', async () => {
    expect(await translate(['Hello'])).toEqual(['HELLO']);
    const [request] = fake.requests;
    expect(request).toMatchObject(documented[kind]);
  });

  test('keeps the placeholders of the workspace', async () => {
    const [translation] = await translate(['Press ⟦Save all⟧ now'], { keep: ['⟦Save all⟧'] });
    expect(translation).toBe('PRESS ⟦Save all⟧ NOW');
  });

  test('reports its name as the model, and no tokens', async () => {
    const { models, inputTokens, outputTokens } = await engineOf()(plainTask, scope);
    expect({ models, inputTokens, outputTokens }).toEqual({
      models: ['mine'],
      inputTokens: 0,
      outputTokens: 0,
    });
  });

  test('names the variants of languages in its own way', async () => {
    const variants = ['pt-PT', 'pt-BR', 'en', 'nb', ...(kind === 'apertium' ? [] : ['zh-Hans', 'zh-Hant'])];
    for (const targetLang of variants) await translate(['Hola'], { sourceLang: 'es', targetLang });
    expect(fake.asked.map(({ to }) => to)).toEqual(
      {
        deepl: ['pt-PT', 'pt-BR', 'en-US', 'nb', 'zh-HANS', 'zh-HANT'],
        azure: ['pt-pt', 'pt', 'en', 'nb', 'zh-Hans', 'zh-Hant'],
        google: ['pt-PT', 'pt-BR', 'en', 'no', 'zh-CN', 'zh-TW'],
        libretranslate: ['pt', 'pt-BR', 'en', 'nb', 'zh-Hans', 'zh-Hant'],
        apertium: ['por', 'por_BR', 'eng', 'nob'],
      }[kind],
    );
    const sources = ['fr-CA', 'pt-BR', 'en'].map((language) => translator.codeOf(language, 'source'));
    expect(sources).toEqual(
      {
        deepl: ['fr', 'pt', 'en'],
        azure: ['fr-ca', 'pt', 'en'],
        google: ['fr-CA', 'pt-BR', 'en'],
        libretranslate: ['fr', 'pt-BR', 'en'],
        apertium: ['fra', 'por', 'eng'],
      }[kind],
    );
  });

  test.each([
    ['tags', 'A <1>big <2/> house</1> & <3>more</3>.', true],
    ['a tag whose partner is elsewhere', 'one</1> two <2>three', true],
    ['text that looks like markup', 'if a < b && c > d &amp; <b>e</b> <1/>', true],
    ['words between tags', 'Dear <1>Person_1</1>, owe {sum} at <2/> me@example.org.', true],
    ['placeholders', 'Hi {name}, you have %d new messages at https://example.org/a_b?x=1&y=2.', false],
    ['numbers and emoji', '3.5 kg 👩‍👩‍👧 costs 1,250 €', false],
    ['spaces around, and lines', '  one {x}\n\n\ttwo {y}\n', false],
  ])('keeps %s', async (_, segment, hasTags) => {
    const kept = /(<\/?\d+\/?>|\{\w+\}|%d|https:\S+\w|Person_1|me@[a-z.]+[a-z])|./gsu;
    const expected = segment.replace(kept, (part, whole) => whole ?? part.toUpperCase());
    expect(await translate([segment], { hasTags })).toEqual([expected]);
  });

  test('keeps terms that are their own translation, but no parts of longer words', async () => {
    const glossary = [
      { source: 'Acme', targets: ['Acme'] },
      { source: 'cat', targets: ['Katze'] },
    ];
    const segments = ['Acme sells <1>Acme</1> to Acmeville, and a cat.'];
    const expected = ['Acme SELLS <1>Acme</1> TO ACMEVILLE, AND A CAT.'];
    expect(await translate(segments, { glossary, hasTags: true })).toEqual(expected);
  });

  test('sends no text without letters and digits', async () => {
    const segments = ['…', ' ', '<1/>', '🎉'];
    expect(await translate(segments, { hasTags: true })).toEqual(segments);
    expect(fake.requests).toHaveLength(0);
  });

  test('translates 200 segments in their order, in requests within its limits', async () => {
    const segments = Array.from({ length: 200 }, (_, index) =>
      index % 3 ? `text ${index}` : `text <1>${index}</1>`,
    );
    expect(await translate(segments, { hasTags: true })).toEqual(segments.map((text) => text.toUpperCase()));
    const { texts, units } = translator.abilities;
    for (const asked of fake.asked) {
      expect(asked.texts.length).toBeLessThanOrEqual(texts);
      expect(asked.texts.join('').length).toBeLessThanOrEqual(units);
    }
    expect(fake.asked.length).toBeLessThanOrEqual(Math.ceil(200 / texts) + 1);
  });

  test('cuts a text that is longer than its limit, between sentences', async () => {
    const long = 'The quick brown fox jumps over the lazy dog. '.repeat(1200).trim();
    expect(await translate([long])).toEqual([long.toUpperCase()]);
    for (const { texts } of fake.asked) for (const text of texts) expect(text).toMatch(/^The .*dog\.$/);
  });

  test('after too many requests, waits as long as Retry-After demands, and repeats', async () => {
    fake.enqueue(fake.failing('busy'));
    expect(await translate(['Hello'])).toEqual(['HELLO']);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(3000);
  });

  test.each([
    ['busy', 'rate_limit', 3],
    ['outage', 'transient_error', 3],
    ['refused', 'service_unavailable', 1],
    ['unknownPair', 'validation_error', 1],
  ] as const)('ends with a clear error: %s', async (failure, code, requests) => {
    fake.enqueue(...Array.from({ length: 3 }, () => fake.failing(failure)));
    const error = await failed(translate(['Hello']));
    expect(error.code).toBe(code);
    expect(fake.requests).toHaveLength(requests);
    expect(JSON.stringify(describeForLog(error))).not.toContain(key);
    if (failure === 'unknownPair')
      expect(error.message).toBe('the engine "mine" does not translate from English to German');
  });

  test.each([
    ['fewer texts', (texts: string[]) => texts.slice(1)],
    ['more texts', (texts: string[]) => [...texts, 'x', 'y'], 'apertium'],
    ['an empty text', (texts: string[]) => texts.map(() => ' ')],
    ['numbers', (texts: string[]) => texts.map(() => 7)],
    ['null', (texts: string[]) => texts.map(() => null)],
    ['half a character', (texts: string[]) => texts.map(() => 'x\ud800')],
    ['10 MB', (texts: string[]) => texts.map(() => 'x'.repeat(10_000_000))],
  ])('rejects a response with %s', async (_, answer, except?: string) => {
    if (kind === except) return;
    fake.enqueue(...Array.from({ length: 3 }, () => fake.answering(answer)));
    expect((await failed(translate(['Hello']))).code).toBe('transient_error');
    expect(fake.requests).toHaveLength(3);
  });

  test.each([{}, [], null, 'text', { translations: null, value: null, data: null, responseData: null }])(
    'rejects a response of another form: %j',
    async (body) => {
      fake.enqueue((response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      });
      expect(await translate(['Hello'])).toEqual(['HELLO']);
      expect(fake.requests).toHaveLength(2);
    },
  );

  test('rejects a response that is not JSON, and one that is cut off', async () => {
    fake.enqueue(
      (response) => response.end('<html>'),
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
        response.write('{');
        setTimeout(() => response.destroy(), 5);
      },
    );
    expect(await translate(['Hello'])).toEqual(['HELLO']);
    expect(fake.requests).toHaveLength(3);
  });

  test('recognizes a rejection by its status, also if a proxy sends a page', async () => {
    fake.enqueue((response) => {
      response.writeHead(403, { 'content-type': 'text/html' });
      response.end('<html>Forbidden</html>');
    });
    expect((await failed(translate(['Hello']))).code).toBe('service_unavailable');
    expect(fake.requests).toHaveLength(1);
  });

  test('does not decode characters that PostgreSQL cannot store', async () => {
    fake.enqueue(fake.answering((texts) => texts.map((text) => `${text}&#0;&#xD800;&#65;`)));
    const [text] = await translate(['See <1>it</1>'], { hasTags: true });
    expect(text).toContain('&#0;&#xD800;A');
  });

  test('follows no redirect, which would send the key elsewhere', async () => {
    const elsewhere = fakes.find((one) => one !== fake)!;
    elsewhere.reset();
    fake.enqueue(
      ...Array.from(
        { length: 3 },
        () => (response: Parameters<Parameters<typeof fake.enqueue>[0]>[0]) =>
          void response.writeHead(307, { location: `${elsewhere.url}/translate` }).end(),
      ),
    );
    await failed(translate(['Hello']));
    expect(elsewhere.requests).toHaveLength(0);
  });

  test.each([
    ['lost', (text: string) => text.replaceAll(/<[^<>]*>/g, '')],
    ['doubled', (text: string) => text.replaceAll(/(<img[^<>]*>)/g, '$1$1')],
    ['crossed', (text: string) => text.replace(/(<img[^<>]*>)(.*)(<\/span>)/s, '$3$2$1')],
  ])('hands over tags that are %s as they are, so that the pipeline finds it', async (_, harm) => {
    fake.translateWith((text, isMarkup) => harm(shout(text, isMarkup)));
    const [translation] = await translate(['<1>one <2/> two</1>'], { hasTags: true });
    expect(translation).toMatch(/ONE .*TWO/);
    expect(translation).not.toMatch(/span|img/);
    expect(translation).not.toBe('<1>ONE <2/> TWO</1>');
  });

  test('loses no words of a text whose placeholder the service lost', async () => {
    fake.translateWith((text, isMarkup) => shout(text, isMarkup).replaceAll(/<[^<>]*>/g, ''));
    expect(await translate(['one {name} two'])).toEqual(['ONE  TWO']);
    fake.translateWith((text, isMarkup) => shout(text, isMarkup).replace(/<img[^<>]*>/, ''));
    const tagged = await translate(['one {name} <1>two</1>'], { hasTags: true });
    expect(tagged).toEqual(['ONE  <1>TWO</1>']);
  });

  test('ends its request if the job ends, and reports a timeout', async () => {
    const stop = new AbortController();
    const closed = Promise.withResolvers<void>();
    fake.enqueue((response) => {
      response.once('close', closed.resolve);
      stop.abort();
    });
    const error = await failed(engineOf()(plainTask, { ...scope, signal: stop.signal }));
    expect(error.message).toBe('the translation was interrupted; try again later');
    await closed.promise;
    fake.enqueue(() => {});
    expect((await failed(engineOf({ retries: 0, timeout: 50 })(plainTask, scope))).code).toBe(
      'transient_error',
    );
  });

  test('asks for formality and context only if it can', async () => {
    const style = {
      rules: [],
      quotationMarks: null,
      spacing: null,
      formality: 'formal' as const,
      forbiddenWords: [],
    };
    await translate(['Hello'], { style, contextBefore: 'Before.' });
    const body = fake.requests[0]!.body as Record<string, unknown>;
    const asked = { formality: body['formality'], context: body['context'] };
    expect(asked).toEqual(
      kind === 'deepl'
        ? { formality: ['prefer_more'], context: ['Before.'] }
        : { formality: undefined, context: undefined },
    );
  });
});
