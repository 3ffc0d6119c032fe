import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { testFolder } from '#test/setup/launch.ts';
import { formOf, type Step, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();

function client(options: Partial<sdk.LinguaLoopOptions> = {}): sdk.LinguaLoop {
  return new sdk.LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 }, ...options });
}

const markdown = new File(['# Plan'], 'plan.md', { type: 'text/markdown' });
const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const jobs: Step = { status: 200, body: [{ id: '1' }, { id: '2' }] };

describe('createFromFile', () => {
  test('a text travels in a form, under its name and type, with the fields that were given', async () => {
    server.script(jobs);
    const { translations } = client({ apiKey: 'k' });
    const answered = await translations.createFromFile(
      markdown,
      { target_lang: 'fr', domain: 'press', tone: undefined, metadata: { min_quality_score: 90 } },
      { idempotencyKey: 'order 4711', requestId: 'r' },
    );
    expect(answered).toEqual([{ id: '1' }, { id: '2' }]);
    const [request] = server.received;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/api/translations',
      headers: { 'x-api-key': 'k', 'x-request-id': 'r', 'idempotency-key': 'order 4711' },
    });
    expect([...request!.query]).toEqual([]);
    const form = await formOf(request!);
    expect([...form.keys()].sort()).toEqual(['domain', 'metadata', 'source_document', 'target_lang']);
    expect(form.get('domain')).toBe('press');
    expect(JSON.parse(form.get('metadata') as string)).toEqual({ min_quality_score: 90 });
    const file = form.get('source_document') as File;
    expect(file).toMatchObject({ name: 'plan.md', type: 'text/markdown' });
    expect(await file.text()).toBe('# Plan');
  });

  test('the file at a path has the name and the bytes of that file, and its retry, too', async () => {
    const path = join(await testFolder(), 'plan für alle.txt');
    await writeFile(path, 'héllo');
    server.script('cut off', jobs);
    await client().translations.createFromFile({ path }, { target_lang: 'fr' });
    for (const request of server.received) {
      const file = (await formOf(request)).get('source_document') as File;
      expect([file.name, await file.text()]).toEqual(['plan für alle.txt', 'héllo']);
    }
    await expect(
      client().translations.createFromFile({ path: `${path}.none` }, { target_lang: 'fr' }),
    ).rejects.toThrow();
    expect(server.received).toHaveLength(2);
  });

  test.each<[string, sdk.NamedContent['data']]>([
    ['a stream of the Web', new Blob(['héllo']).stream()],
    ['a stream of Node.js', Readable.from([Buffer.from('hé'), Buffer.from('llo')])],
  ])('%s is read once, and its retry sends the same bytes', async (_, data) => {
    server.script('cut off', jobs);
    await client().translations.createFromFile({ name: 'a.txt', data }, { target_lang: 'fr' });
    const files = server.received.map(
      async (request) => (await formOf(request)).get('source_document') as File,
    );
    expect(await Promise.all(files.map(async (file) => (await file).text()))).toEqual(['héllo', 'héllo']);
  });

  test.each<[string, sdk.NamedContent['data']]>([
    ['a Blob', new Blob(['héllo'])],
    ['bytes', new TextEncoder().encode('héllo')],
    ['an ArrayBuffer', new TextEncoder().encode('héllo').buffer],
  ])('content beside its name: %s', async (_, data) => {
    server.script(jobs);
    await client().translations.createFromFile(
      { name: 'Žluťoučký kůň.txt', data, contentType: 'text/plain' },
      { target_lang: 'fr' },
    );
    const file = (await formOf(server.received[0]!)).get('source_document') as File;
    expect(file).toMatchObject({ name: 'Žluťoučký kůň.txt', type: 'text/plain' });
    expect(await file.text()).toBe('héllo');
  });

  test.each([
    ['by its name', 'Plán "A" 100%.DOCX', '', wordType],
    ['a PDF by its name', 'plan.pdf', 'application/octet-stream', 'application/pdf'],
    ['a spreadsheet', 'plan.xlsx', '', 'application/octet-stream'],
  ])(
    'a file whose layout is kept is sent as the whole body, its fields in the query: %s',
    async (_, name, contentType, sentType) => {
      server.script(jobs);
      const data = new Uint8Array([0x50, 0x4b, 3, 4, 0, 255]);
      await client().translations.createFromFile(
        { name, data, contentType },
        { target_lang: 'fr', source_lang: 'de', gender: 'féminin', metadata: { a: '&=' } },
        { idempotencyKey: 'plan' },
      );
      const [request] = server.received;
      expect(request).toMatchObject({
        path: '/api/translations',
        headers: { 'content-type': sentType, 'idempotency-key': 'plan', 'content-length': '6' },
      });
      expect(decodeURIComponent(request!.headers['x-source-filename'] as string)).toBe(name);
      expect(Object.fromEntries(request!.query)).toEqual({
        target_lang: 'fr',
        source_lang: 'de',
        gender: 'féminin',
        metadata: '{"a":"&="}',
      });
      expect(new Uint8Array(request!.body)).toEqual(data);
    },
  );

  test.each([
    ['a form', markdown],
    ['a whole body', new File(['%PDF-'], 'plan.pdf')],
  ])('is sent again after a lost response, the same file under the same key: %s', async (_, file) => {
    server.script('cut off', 'cut off within the answer', jobs, jobs);
    const { translations } = client();
    await translations.createFromFile(file, { target_lang: 'fr' });
    await translations.createFromFile(file, { target_lang: 'fr' });
    const keys = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys.slice(1, 3)).toEqual([keys[0], keys[0]]);
    expect(keys[3]).not.toBe(keys[0]);
    const contents = server.received.map(async (request) => {
      if (file !== markdown) return request.body.toString();
      return ((await formOf(request)).get('source_document') as File).text();
    });
    expect(new Set(await Promise.all(contents))).toEqual(new Set([await file.text()]));
  });

  test('a key that no header can carry is refused, and nothing is sent', async () => {
    for (const idempotencyKey of ['schlüssel', ' k', '', 'k\n', 'k'.repeat(256)]) {
      const call = client().translations.createFromFile(markdown, { target_lang: 'fr' }, { idempotencyKey });
      await expect(call).rejects.toBeInstanceOf(TypeError);
    }
    expect(server.received).toEqual([]);
  });
});

const spreadsheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

test.each<[string, sdk.NamedBlob | sdk.NamedContent, string]>([
  ['a CSV file', new File(['a,b'], 'a.CSV', { type: 'text/html' }), 'text/csv'],
  ['an Excel workbook', { name: 'a.xlsx', data: new Uint8Array(1) }, spreadsheetType],
  ['a JSON file', { name: 'a.json', data: new Uint8Array(1) }, 'application/json'],
  ['a TMX file', { name: 'a.tmx', data: new Uint8Array(1) }, 'application/xml'],
  ['a file without an extension', new File(['a,b'], 'terms', { type: 'text/csv' }), 'text/csv'],
  ['a file whose type is given', { name: 'a.csv', data: new Uint8Array(1), contentType: 'a/b' }, 'a/b'],
])('a glossary is sent with the type of %s', async (_, file, type) => {
  server.script({ status: 200, body: { id: 's', name: 'Menu', entry_count: 2 } });
  await client().terminology.upload(file, { name: 'Menu', source_lang: 'en', target_lang: undefined });
  const form = await formOf(server.received[0]!);
  expect([...form.keys()]).toEqual(['name', 'source_lang', 'terminology_file']);
  expect(form.get('terminology_file')).toMatchObject({ name: file.name, type });
});

describe('golden', () => {
  const pdf: Step = {
    status: 200,
    body: new Uint8Array([0x25, 0x50, 0x44, 0x46, 0, 255]),
    headers: {
      'content-type': 'application/pdf',
      'content-disposition': 'attachment; filename="?.pdf"; filename*=UTF-8\'\'%E8%A8%88.pdf',
    },
  };

  test('returns the bytes unchanged, their type and their name', async () => {
    server.script(pdf);
    const file = await client({ apiKey: 'k' }).translations.golden('a/b', { format: 'pdf' });
    expect(file).toEqual({
      bytes: new Uint8Array([0x25, 0x50, 0x44, 0x46, 0, 255]),
      contentType: 'application/pdf',
      fileName: '計.pdf',
    });
    const [request] = server.received;
    expect(request).toMatchObject({
      method: 'GET',
      path: '/api/translations/a%2Fb/golden',
      headers: { 'x-api-key': 'k' },
    });
    expect(Object.fromEntries(request!.query)).toEqual({ format: 'pdf' });
  });

  test('without a readable name it is named after its job', async () => {
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-disposition': 'attachment' };
    server.script({ status: 200, body: '', headers });
    expect(await client().translations.golden('1')).toEqual({
      bytes: new Uint8Array(),
      contentType: 'text/plain; charset=utf-8',
      fileName: 'translation-1.txt',
    });
  });
});

describe('the timeout of an attempt grows with the texts, up to four times', () => {
  const silent = () => {
    const fetched = vi.fn(() => new Promise<never>(() => {}));
    return client({ timeout: 1, maxRetries: 0, fetch: fetched }).translations;
  };
  const target_lang = 'fr';
  const batch = {
    inputs: [
      { Text: 'one', Targets: [{ Language: 'fr' }, { Language: 'de' }] },
      { Text: 'two', Targets: [{ Language: 'fr' }] },
    ],
  };
  const file = (name: string, size: number) => ({ name, data: new Uint8Array(size) });

  test.each<[string, number, () => Promise<unknown>]>([
    ['a batch of three', 3, () => silent().createBatch(batch)],
    [
      'the text of a document, by its pages',
      3,
      () =>
        silent().createFromText({
          source_text: 'x'.repeat(10_001),
          target_lang,
          metadata: { source_document: {} },
        }),
    ],
    ['a batch of forty', 4, () => silent().createBatch({ inputs: Array(40).fill(batch.inputs[1]) })],
    ['a PDF', 4, () => silent().createFromFile(file('a.pdf', 1), { target_lang })],
    ['a batch, where the call says how long', 7, () => silent().createBatch(batch, { timeout: 7 })],
  ])('%s', async (_, timeoutMs, call) => {
    await expect(call()).rejects.toMatchObject({ name: 'TimeoutError', timeoutMs });
  });
});
