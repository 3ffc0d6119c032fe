import { describe, expect, test } from 'vitest';
import { ConnectionError, LinguaLoop, type LinguaLoopOptions } from '#sdk/index.ts';
import { formOf, result, type Step, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();
const id = 'a'.repeat(32);
const queued = { id, status: 'queued', source_format: 'xlsx', progress: null, failure: null };
const accepted: Step = { status: 202, body: queued };
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const book = { name: 'Book.xlsx', data: new TextEncoder().encode('PK') };

function client(options: Partial<LinguaLoopOptions> = {}) {
  return new LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 }, ...options });
}

describe('documents.translate', () => {
  test('sends the file with its fields, and again under the same key after a lost response', async () => {
    server.script('cut off within the answer', accepted);
    const request = { target_lang: 'fr', source_lang: 'de', domain: 'menu', tone: 'formal' };
    const poller = await client({ apiKey: 'k' }).documents.translate(book, request, { requestId: 'r' });
    expect([poller.id, poller.job]).toEqual([id, queued]);
    const [first, second] = server.received;
    expect(first).toMatchObject({
      method: 'POST',
      path: '/api/documents/translate',
      headers: {
        'x-api-key': 'k',
        'x-request-id': 'r',
        'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    expect(second!.headers['idempotency-key']).toBe(first!.headers['idempotency-key']);
    const form = await formOf(second!);
    const file = form.get('source_document') as File;
    form.delete('source_document');
    expect(Object.fromEntries(form)).toEqual(request);
    expect([file.name, file.type, await file.text()]).toEqual(['Book.xlsx', xlsx, 'PK']);
  });

  test('asks the service to wait, and sends the caller’s key if a header can carry it', async () => {
    server.script({ status: 200, body: { ...queued, status: 'translated' } });
    const { documents } = client();
    const request = { target_lang: 'fr' };
    const poller = await documents.translate(book, request, { wait: true, idempotencyKey: 'menu-1' });
    expect(poller.isDone).toBe(true);
    expect((await formOf(server.received[0]!)).get('wait')).toBe('true');
    expect(server.received[0]!.headers['idempotency-key']).toBe('menu-1');
    const wrong = documents.translate(book, request, { idempotencyKey: 'é' });
    await expect(wrong).rejects.toBeInstanceOf(TypeError);
  });
});

test('segments are read page after page, as they are asked for', async () => {
  const segment = (n: number) => ({ region_id: `s${n}`, cell_id: 'A1', target_text: `${n}` });
  server.script(
    result({ segments: [segment(1), segment(2)], total: 3, next_cursor: '1' }),
    result({ segments: [segment(3)], total: 3, next_cursor: null }),
  );
  const seen: string[] = [];
  for await (const { region_id } of client().documents.segments(id, { flagged: true, limit: 2 })) {
    seen.push(region_id);
    if (seen.length === 1) expect(server.received).toHaveLength(1);
  }
  expect(seen).toEqual(['s1', 's2', 's3']);
  expect(server.received.map(({ input }) => input)).toEqual([
    { flagged: 'true', limit: '2' },
    { flagged: 'true', limit: '2', cursor: '1' },
  ]);
});

describe('a download', () => {
  const file = (headers = {}): Step => ({
    status: 200,
    body: new TextEncoder().encode('PK and more'),
    headers: {
      'content-type': xlsx,
      'content-disposition': `attachment; filename="Men_.xlsx"; filename*=UTF-8''Men%C3%BC.xlsx`,
      ...headers,
    },
  });

  test('is the file, with the name to save it under and the name of its source', async () => {
    server.script(file({ 'x-suggested-filename': 'Men%C3%BC.fr.xlsx' }));
    const download = await client().documents.download('a/b');
    expect([download.fileName, download.sourceFileName]).toEqual(['Menü.fr.xlsx', 'Menü.xlsx']);
    expect(download.contentType).toBe(xlsx);
    expect(new TextDecoder().decode(await download.bytes())).toBe('PK and more');
    expect(server.received[0]!.path).toBe('/api/documents/a%2Fb/download');
  });

  test.each([
    ['no name', {}],
    ['one that cannot be read', { 'x-suggested-filename': '%FF' }],
    ['one that leads out of the folder', { 'x-suggested-filename': 'a%2F..' }],
  ])('is not saved over its source if the service suggests %s', async (_, headers) => {
    server.script(file(headers));
    const { fileName, sourceFileName } = await client().documents.download(id);
    expect([fileName, sourceFileName]).toEqual([`Menü.${id}.xlsx`, 'Menü.xlsx']);
  });

  test('that is cut off is an error, even if `fetch` reports none', async () => {
    const headers = { 'content-type': xlsx, 'content-disposition': 'attachment', 'content-length': '3' };
    const fetch = async () => new Response('PK', { headers });
    const download = await client({ fetch }).documents.download(id);
    expect(download.sourceFileName).toBe(`document-${id}`);
    await expect(download.bytes()).rejects.toBeInstanceOf(ConnectionError);
  });
});
