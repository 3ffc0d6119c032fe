import { request } from 'node:http';
import { Translate } from 'translate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { openProject } from './cli.ts';
import { serve } from './compat-server.ts';

/** The calls of LibreTranslate's documentation, by the client `translate` and by plain requests. */

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });
const small = useTestApp({ env: { ...env, DEFAULT_MONTHLY_CHAR_LIMIT: '10' } });

let served: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  served = await serve(() => app.address);
});
afterAll(() => served.close());

async function open(url = served.url, at = app) {
  const mine = await openProject(at);
  const call = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify({ api_key: mine.apiKey, ...body }) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the parsed body: the tests look into it freely
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  };
  return { ...mine, call };
}

test('the client “translate” translates', async () => {
  const { apiKey } = await open();
  const translate = Translate({ engine: 'libre', key: apiKey, url: `${served.url}/translate` } as never);
  expect(await translate('Hello', { from: 'en', to: 'fr' })).toBe('[fr] Hello');
});

describe('POST /translate', () => {
  test('of a text, a list, HTML and a form', async () => {
    const { call, apiKey } = await open();
    const pair = { source: 'en', target: 'es' };
    expect((await call('/translate', { q: 'Hello', ...pair, format: 'text' })).body).toEqual({
      translatedText: '[es] Hello',
    });
    expect((await call('/translate', { q: ['One', 'Two'], ...pair })).body).toEqual({
      translatedText: ['[es] One', '[es] Two'],
    });
    const html = await call('/translate', { q: '<p>Read <b>more</b></p>', ...pair, format: 'html' });
    expect(html.body.translatedText).toMatch(/^<p>.*<b>.*<\/b><\/p>$/);
    const form = new URLSearchParams({ q: 'Bye', ...pair, api_key: apiKey });
    const answer = await fetch(`${served.url}/translate`, { method: 'POST', body: form });
    expect(await answer.json()).toEqual({ translatedText: '[es] Bye' });
  });

  test('with auto, it returns the detected language', async () => {
    const { call } = await open();
    const german = 'Der Vertrag endet am ersten Mai, und der Mieter zahlt die Miete im Voraus.';
    const { body } = await call('/translate', { q: german, source: 'auto', target: 'en', alternatives: 3 });
    expect(body.detectedLanguage).toMatchObject({ language: 'de', confidence: expect.any(Number) });
    expect(body.detectedLanguage.confidence).toBeGreaterThan(50);
    expect(body.alternatives).toEqual([]);
    // A text whose language is unclear is translated, too.
    expect((await call('/translate', { q: 'OK', source: 'auto', target: 'fr' })).body.translatedText).toMatch(
      /OK$/,
    );
  });

  test.each([
    [{ source: 'en', target: 'es' }, 400, /missing q/],
    [{ q: 'a', target: 'es' }, 400, /missing source/],
    [{ q: 'a', source: 'en' }, 400, /missing target/],
    [{ q: 'a', source: 'en', target: 'xx' }, 400, /unsupported target_lang/],
    [{ q: 'a', source: 'en', target: 'es', format: 'pdf' }, 400, /not supported/],
    [{ q: Array(51).fill('a'), source: 'en', target: 'es' }, 400, /exceeds text limit \(50\)/],
    [{ q: 5, source: 'en', target: 'es' }, 400, /must be a string/],
    [{ q: 'a', source: 'en', target: 'es', api_key: '' }, 403, /api_key is missing/],
    [{ q: 'a', source: 'en', target: 'es', api_key: 'wrong' }, 403, /Invalid API key/],
  ])('%j is an error in the form of LibreTranslate', async (body, status, message) => {
    const { call } = await open();
    const answer = await call('/translate', body);
    expect([answer.status, answer.body]).toEqual([status, { error: expect.stringMatching(message) }]);
  });

  test('a used-up allowance is a 429', async () => {
    const poor = await serve(() => small.address);
    const { call } = await open(poor.url, small);
    const answer = await call('/translate', { q: 'More than ten characters', source: 'en', target: 'es' });
    expect([answer.status, typeof answer.body.error]).toEqual([429, 'string']);
    poor.close();
  });
});

test('POST /detect', async () => {
  const { call, billed } = await open();
  const { body } = await call('/detect', { q: 'Le locataire paie le loyer au premier jour de chaque mois.' });
  expect(body).toEqual([{ language: 'fr', confidence: expect.any(Number) }]);
  expect(await billed()).toBe(0);
  expect((await call('/detect', {})).status).toBe(400);
});

test('GET /languages, /frontend/settings and /health', async () => {
  const { call } = await open();
  const { body } = await call('/languages');
  expect(body).toHaveLength(35);
  expect(body.find(({ code }: { code: string }) => code === 'zh')).toMatchObject({
    name: expect.stringContaining('Chinese'),
  });
  const english = body.find(({ code }: { code: string }) => code === 'en');
  expect(english.targets).toHaveLength(34);
  expect(english.targets).not.toContain('en');
  // Each listed code is accepted.
  for (const target of english.targets)
    expect((await call('/translate', { q: 'Hi', source: 'en', target })).body.translatedText).toMatch(/^\[/);
  expect((await call('/frontend/settings')).body).toMatchObject({ filesTranslation: true });
  expect((await call('/health')).body).toEqual({ status: 'ok' });
  expect((await call('/suggest', { q: 'a' })).status).toBe(404);
});

test('POST /translate_file returns a URL of the translated file', async () => {
  const { apiKey } = await open();
  const translate = async (file: Blob, fileName: string) => {
    const form = new FormData();
    form.append('file', file, fileName);
    for (const [name, value] of Object.entries({ source: 'en', target: 'fr', api_key: apiKey }))
      form.append(name, value);
    const answer = await fetch(`${served.url}/translate_file`, { method: 'POST', body: form });
    return (await answer.json()) as { translatedFileUrl: string };
  };
  await withWorkers(app, async () => {
    const note = await translate(new Blob(['Soup']), 'note.txt');
    expect(note.translatedFileUrl).toMatch(/\/note_fr\.txt$/);
    expect(await (await fetch(note.translatedFileUrl)).text()).toBe('[fr] Soup');
    const { translatedFileUrl } = await translate(workbookFile(['Soup', 'Bread']), 'menu.xlsx');
    expect(translatedFileUrl).toMatch(/\/download_file\/[\w-]{32}\/menu_fr\.xlsx$/);
    const file = await fetch(translatedFileUrl);
    expect([file.status, (await file.text()).slice(0, 2)]).toEqual([200, 'PK']);
    const guessed = await fetch(translatedFileUrl.replace(/download_file\/[\w-]{4}/, 'download_file/AAAA'));
    expect(guessed.status).toBe(404);
  });
  const missing = await fetch(`${served.url}/translate_file`, {
    method: 'POST',
    body: new URLSearchParams({ api_key: apiKey }),
  });
  expect([missing.status, await missing.json()]).toEqual([
    400,
    { error: 'Invalid request: missing file parameter' },
  ]);
});

describe('requests that a page of another site can send', () => {
  const form = 'q=Hello&source=en&target=fr';
  const type = 'application/x-www-form-urlencoded';

  /** Sends raw headers. Unless `ends`, the body never ends. Returns the status, and the response as text. */
  const send = (url: string, headers: Record<string, string>, { path = '/translate', ends = true } = {}) =>
    new Promise<[number | undefined, string]>((resolve, reject) => {
      const sent = request(url + path, { method: 'POST', headers: { 'content-type': type, ...headers } });
      sent.on('error', reject).on('response', async (response) => {
        const chunks = await response.setEncoding('utf8').toArray();
        resolve([response.statusCode, chunks.join('')]);
        sent.destroy();
      });
      sent.write(form);
      if (ends) sent.end();
    });

  test('are rejected before their body is read, with a default key, too', async () => {
    const { apiKey, billed } = await open();
    const own = await serve(() => app.address, { fallbackKey: apiKey });
    const { port, host } = new URL(own.url);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://localhost:${Number(port) + 1}` },
      { origin: `http://evil.example:${port}` },
      { host: `rebound.example:${port}` },
      { host: 'localhost' },
      { host: '127.0.0.1.nip.io' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const [status, text] = await send(own.url, headers, { ends: false });
      expect([headers, status, text]).toEqual([headers, 403, expect.stringContaining('"error"')]);
    }
    expect(await billed()).toBe(0);
    for (const headers of [{}, { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }])
      expect(await send(own.url, { host: `localhost:${port}`, ...headers })).toEqual([
        200,
        '{"translatedText":"[fr] Hello"}',
      ]);
    own.close();
  });

  test('a server at all addresses of the machine accepts an address as host, but no name', async () => {
    const wide = await serve(() => app.address, { host: '0.0.0.0' });
    const { port } = new URL(wide.url);
    const url = `http://127.0.0.1:${port}`;
    expect((await send(url, { host: `192.0.2.7:${port}` }))[1]).toContain('api_key is missing');
    expect((await send(url, { host: `rebound.example:${port}` }))[0]).toBe(403);
    wide.close();
  });

  test('an unknown path, and a DeepL header without a key, get their error before the body', async () => {
    expect((await send(served.url, {}, { path: '/suggest', ends: false }))[0]).toBe(404);
    const wrong = { authorization: 'Basic x' };
    expect((await send(served.url, wrong, { path: '/v2/translate', ends: false }))[0]).toBe(403);
  });
});
