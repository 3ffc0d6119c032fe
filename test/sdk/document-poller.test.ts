import { getEventListeners } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  ConnectionError,
  DocumentFailedError,
  type DocumentOptions,
  LinguaLoop,
  type LinguaLoopOptions,
  TimeoutError,
} from '#sdk/index.ts';
import { failure, type Received, result, type Step, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();
const id = 'a'.repeat(32);
const queued = { id, status: 'queued', source_format: 'xlsx', progress: null, failure: null };
const half = {
  ...queued,
  status: 'extracted',
  progress: { stage: 'map_translate', translated_segments: 5, total_segments: 10 },
};
const translated = { ...queued, status: 'translated' };
const failed = {
  ...queued,
  status: 'failed',
  failure: { code: 'quota_exceeded', stage: 'admit', message: 'no characters are left' },
};

const accepted: Step = { status: 202, body: queued };
const transient = failure(503, 'try again', { error_code: 'transient_error' });
const book = { name: 'Book.xlsx', data: new TextEncoder().encode('PK') };
const quickly = { pollEvery: { firstMs: 1, maxMs: 1 } };

function client(options: Partial<LinguaLoopOptions> = {}) {
  return new LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 }, ...options });
}

const resume = (options: DocumentOptions = {}) => client().documents.resume(id, { ...quickly, ...options });

const asked = () => server.received.map(({ method, path }) => `${method} ${path}`);
const post = 'POST /api/documents/translate';
const look = `GET /api/documents/${id}`;

async function formOf({ body, headers }: Received): Promise<FormData> {
  const form = new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type']! } });
  return form.formData();
}

describe('documents.translate', () => {
  test('sends the file with its fields and a key, and resolves as soon as it is accepted', async () => {
    server.script(accepted);
    const { documents } = client({ apiKey: 'k' });
    const request = { target_lang: 'fr', source_lang: 'de', domain: 'menu', tone: 'formal' };
    const poller = await documents.translate(book, request, { requestId: 'r' });
    expect([poller.id, poller.job]).toEqual([id, queued]);
    expect(asked()).toEqual([post]);
    const [received] = server.received;
    expect(received!.headers).toMatchObject({
      'x-api-key': 'k',
      'x-request-id': 'r',
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const form = await formOf(received!);
    const file = form.get('source_document') as File;
    form.delete('source_document');
    expect(Object.fromEntries(form)).toEqual(request);
    expect([file.name, file.type]).toEqual([
      'Book.xlsx',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ]);
  });

  test('with `wait` the service translates first, and the poller has nothing to wait for', async () => {
    server.script({ status: 200, body: translated });
    const poller = await client().documents.translate(book, { target_lang: 'fr' }, { wait: true });
    expect((await formOf(server.received[0]!)).get('wait')).toBe('true');
    expect(await poller.pollUntilDone()).toEqual(translated);
    expect(asked()).toEqual([post]);
  });

  test.each<[string, Step]>([
    ['the connection breaks', 'cut off'],
    ['the response breaks off', 'cut off within the answer'],
    ["a proxy's 504", { status: 504, body: '<h1>Timeout</h1>' }],
    ['503 transient_error', transient],
  ])('a lost response loses nothing: the same key and file are sent again (%s)', async (_, lost) => {
    server.script(lost, accepted);
    const poller = await client().documents.translate(book, { target_lang: 'fr' });
    expect(poller.id).toBe(id);
    const [first, second] = server.received;
    expect(second!.headers['idempotency-key']).toBe(first!.headers['idempotency-key']);
    expect(((await formOf(second!)).get('source_document') as File).size).toBe(2);
  });

  test('a key of one’s own is sent; one that no header carries is a TypeError', async () => {
    server.script(accepted);
    const { documents } = client();
    await documents.translate(book, { target_lang: 'fr' }, { idempotencyKey: 'menu-1' });
    expect(server.received[0]!.headers['idempotency-key']).toBe('menu-1');
    const wrong = documents.translate(book, { target_lang: 'fr' }, { idempotencyKey: 'é' });
    await expect(wrong).rejects.toBeInstanceOf(TypeError);
  });

  test.each([
    [failure(400, 'source_document: the file is protected'), 'BadRequestError'],
    [failure(402, 'subscription required'), 'PaymentRequiredError'],
    [failure(415, 'unsupported source_document type'), 'UnsupportedMediaTypeError'],
    [failure(504, 'split the file', { error_code: 'stage_timeout' }), 'GatewayTimeoutError'],
  ])('a refusal is thrown, and not sent again', async (step, name) => {
    server.script(step);
    await expect(client().documents.translate(book, { target_lang: 'fr' })).rejects.toMatchObject({ name });
    expect(asked()).toEqual([post]);
  });

  test.each<[string, Step]>([
    ['a page of a portal', { status: 200, body: '<p>Please sign in</p>' }],
    ['JSON of somebody else', { status: 200, body: { ok: true } }],
    ['a text job', { status: 200, body: { id, status: 'published' } }],
  ])("success that is not the service's is an error: %s", async (_, step) => {
    server.script(step);
    const call = client().documents.translate(book, { target_lang: 'fr' }, { maxRetries: 0 });
    await expect(call).rejects.toMatchObject({ answeredBy: 'other' });
  });
});

describe('waiting for a document', () => {
  test('polls until it is translated, and reports each new state once', async () => {
    server.script(result(queued), result(queued), result(half), result(half), result(translated));
    const reported: unknown[] = [];
    const poller = await resume({ onProgress: (job) => reported.push(job) });
    expect(await poller.pollUntilDone()).toEqual(translated);
    expect(poller.job).toEqual(translated);
    expect(await poller.pollUntilDone()).toEqual(translated);
    expect(reported).toEqual([queued, half, translated]);
    expect(asked()).toEqual(Array.from({ length: 5 }, () => look));
  });

  test('a failed one is the last state of a loop, and a DocumentFailedError with its code', async () => {
    server.script(result(half), result(failed));
    const seen: unknown[] = [];
    const walk = async () => {
      for await (const job of await resume()) seen.push(job);
    };
    const error = await walk().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(DocumentFailedError);
    expect(error).toMatchObject({ status: null, code: 'quota_exceeded', job: failed });
    expect(error.message).toBe(`document ${id} failed: no characters are left`);
    expect(seen).toEqual([half, failed]);
  });

  test('an unknown status does not end it', async () => {
    server.script(result({ ...queued, status: 'typesetting' }), result(translated));
    expect(await (await resume()).pollUntilDone()).toEqual(translated);
  });

  test('a deleted one is a NotFoundError', async () => {
    server.script(result(queued), failure(404, 'document job not found'));
    await expect((await resume()).pollUntilDone()).rejects.toMatchObject({ name: 'NotFoundError' });
  });

  test.each<[string, Step]>([
    ['503 transient_error', failure(503, 'try again', { error_code: 'transient_error' })],
    ['the connection breaks', 'cut off'],
    ['the response breaks off', 'cut off within the answer'],
    ["a proxy's 502", { status: 502, body: '<h1>Bad gateway</h1>' }],
  ])('a lost connection loses no handle: the poll is repeated (%s)', async (_, step) => {
    server.script(result(queued), step, step, step, step, result(translated));
    expect(await (await resume()).pollUntilDone()).toEqual(translated);
    expect(server.received).toHaveLength(6);
  });

  test('the handle is JSON, which another process resumes', async () => {
    server.script(accepted, result(half), result(translated));
    const saved = JSON.stringify(await client().documents.translate(book, { target_lang: 'fr' }));
    expect(JSON.parse(saved)).toEqual({ document_id: id });
    const resumed = await client().documents.resume(JSON.parse(saved), quickly);
    expect([resumed.id, resumed.job]).toEqual([id, half]);
    expect(await resumed.pollUntilDone()).toEqual(translated);
    expect(asked()).toEqual([post, look, look]);
  });

  test('another process resumes it by a text, too', async () => {
    server.script(accepted, result(translated));
    const written = `${await client().documents.translate(book, { target_lang: 'fr' })}`;
    expect(await (await client().documents.resume(written, quickly)).pollUntilDone()).toEqual(translated);
  });

  test('its progress never falls, and is 1 once there is a result, not before', async () => {
    const at = (done: number, total: number) => ({
      ...half,
      progress: { ...half.progress, translated_segments: done, total_segments: total },
    });
    server.script(
      result(queued),
      result(at(5, 10)),
      result(at(5, 20)),
      result(at(20, 20)),
      result(translated),
    );
    const told: unknown[] = [];
    const poller = await resume({ onProgress: (_job, progress) => told.push([progress, poller.isDone]) });
    await poller.pollUntilDone();
    expect(told).toEqual([0, 0.5, 0.5, 0.99, 1].map((progress) => [progress, progress === 1]));
    server.script(result(half), result(failed));
    const other = await resume();
    await expect(other.pollUntilDone()).rejects.toBeInstanceOf(DocumentFailedError);
    expect([other.isDone, other.progress]).toEqual([true, 0.5]);
  });

  test('the signal of one wait ends that wait alone; the last one ends the poll', async () => {
    server.script(result(queued), 'silence', result(translated));
    const poller = await resume();
    const [first, second] = [new AbortController(), new AbortController()];
    const waits = [first, second].map(({ signal }) => poller.pollUntilDone({ signal }));
    await server.arrived(2);
    first.abort('the first');
    await expect(waits[0]).rejects.toBe('the first');
    second.abort('the second');
    await expect(waits[1]).rejects.toBe('the second');
    expect(getEventListeners(first.signal, 'abort')).toHaveLength(0);
    await expect(poller.pollUntilDone({ signal: AbortSignal.abort('too late') })).rejects.toBe('too late');
    expect(await poller.pollUntilDone()).toEqual(translated);
    expect(server.received).toHaveLength(3);
  });

  test('the signal ends the wait, not the document', async () => {
    server.script(result(queued), 'silence', result(translated));
    const controller = new AbortController();
    const poller = await resume({ signal: controller.signal });
    const waiting = poller.pollUntilDone();
    await server.arrived(2);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    expect((await resume()).job).toEqual(translated);
  });

  test('what onProgress throws, the waiting throws', async () => {
    server.script(result(queued));
    const poller = await resume({
      onProgress: () => {
        throw new Error('no more');
      },
    });
    await expect(poller.pollUntilDone()).rejects.toThrow('no more');
  });

  test('the first poll is after 2 s at most, later ones up to 10 s apart', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const at: number[] = [];
    const fetch = async () => {
      at.push(Date.now());
      return Response.json(at.length > 20 ? translated : queued);
    };
    const poller = await client({ fetch }).documents.resume(id);
    const done = poller.pollUntilDone();
    await vi.advanceTimersByTimeAsync(200_000);
    expect(await done).toEqual(translated);
    const waits = at.slice(1).map((time, index) => time - at[index]!);
    expect(waits[0]).toBeGreaterThanOrEqual(1_500);
    expect(waits[0]).toBeLessThanOrEqual(2_001);
    expect(Math.max(...waits)).toBeGreaterThan(7_500);
    expect(Math.max(...waits)).toBeLessThanOrEqual(10_001);
  });

  test('a poll without a response is aborted after 30 s, and repeated', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let polls = 0;
    const fetch = () => {
      polls += 1;
      if (polls === 2) return new Promise<never>(() => {});
      return Promise.resolve(Response.json(polls === 1 ? queued : translated));
    };
    const done = (await client({ fetch }).documents.resume(id)).pollUntilDone();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await done).toEqual(translated);
    expect(polls).toBe(3);
  });
});

describe('reading and reviewing', () => {
  const segment = (n: number) => ({ region_id: `s${n}`, cell_id: 'A1', target_text: `${n}` });

  test('segments come page after page, as they are asked for', async () => {
    server.script(
      result({ segments: [segment(1), segment(2)], total: 3, next_cursor: '1' }),
      result({ segments: [segment(3)], total: 3, next_cursor: null }),
    );
    const listed = client().documents.segments(id, { flagged: true, limit: 2 });
    expect(server.received).toEqual([]);
    const seen: string[] = [];
    for await (const { region_id } of listed) {
      seen.push(region_id);
      if (seen.length === 1) expect(server.received).toHaveLength(1);
    }
    expect(seen).toEqual(['s1', 's2', 's3']);
    expect(server.received.map(({ input }) => input)).toEqual([
      { flagged: 'true', limit: '2' },
      { flagged: 'true', limit: '2', cursor: '1' },
    ]);
  });

  test('an approval is repeated after a lost response; a review and a deletion are not', async () => {
    const approval = { job: translated, approval_result: { approved: true, already_approved: true } };
    server.script('cut off', result(approval), 'cut off', 'cut off');
    const { documents } = client();
    expect(await documents.approve(id)).toEqual(approval);
    const corrections = [{ region_id: 's1', target_text: 'Suppe' }];
    await expect(documents.review(id, { corrections })).rejects.toBeInstanceOf(ConnectionError);
    await expect(documents.delete(id)).rejects.toBeInstanceOf(ConnectionError);
    expect(server.received.map(({ method, path, input }) => [`${method} ${path}`, input])).toEqual([
      [`POST /api/documents/${id}/approve`, {}],
      [`POST /api/documents/${id}/approve`, {}],
      [`POST /api/documents/${id}/review`, { corrections }],
      [`DELETE /api/documents/${id}`, undefined],
    ]);
  });
});

describe('a download', () => {
  const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  const file = (body: string, headers = {}): Step => ({
    status: 200,
    body: new TextEncoder().encode(body),
    headers: {
      'content-type': xlsx,
      'content-disposition': `attachment; filename="Men_.xlsx"; filename*=UTF-8''Men%C3%BC.xlsx`,
      ...headers,
    },
  });

  test('is the file, with the name to save it under and the name of its source, after a failure at its beginning', async () => {
    server.script('cut off', file('PK and more', { 'x-suggested-filename': 'Men%C3%BC.fr.xlsx' }));
    const download = await client().documents.download('a/b');
    expect([download.fileName, download.sourceFileName]).toEqual(['Menü.fr.xlsx', 'Menü.xlsx']);
    expect(download.contentType).toBe(xlsx);
    expect(new TextDecoder().decode(await download.bytes())).toBe('PK and more');
    expect(server.received[1]!.path).toBe('/api/documents/a%2Fb/download');
  });

  test.each([
    ['an older service', undefined],
    ['one that cannot be read', '%FF'],
    ['one that leads out of the folder', 'a%2F..'],
  ])('without a usable suggestion (%s) is not saved over its source either', async (_, suggested) => {
    server.script(file('PK', suggested === undefined ? {} : { 'x-suggested-filename': suggested }));
    const { fileName, sourceFileName } = await client().documents.download(id);
    expect([fileName, sourceFileName]).toEqual([`Menü.${id}.xlsx`, 'Menü.xlsx']);
  });

  test.each([
    ['a page of a portal', { status: 200, body: '<p>Please sign in</p>' }, { answeredBy: 'other' }],
    ['a file of another type', file('x', { 'content-type': 'text/plain' }), { answeredBy: 'other' }],
    ['one that is not there yet', failure(409, 'document translation is still in progress'), { status: 409 }],
  ])('%s is an error', async (_, step, error) => {
    server.script(step);
    await expect(client().documents.download(id, { maxRetries: 0 })).rejects.toMatchObject(error);
  });

  test('one that is cut off never looks whole, whatever `fetch` says of it', async () => {
    const fetch = async () =>
      new Response('PK', {
        headers: { 'content-type': xlsx, 'content-disposition': 'attachment', 'content-length': '3' },
      });
    const download = await client({ fetch }).documents.download(id);
    expect(download.sourceFileName).toBe(`document-${id}`);
    await expect(download.bytes()).rejects.toBeInstanceOf(ConnectionError);
  });

  test('one that stands still is a TimeoutError', async () => {
    server.script('silence');
    const call = client().documents.download(id, { timeout: 100, maxRetries: 0 });
    await expect(call).rejects.toBeInstanceOf(TimeoutError);
  });
});
