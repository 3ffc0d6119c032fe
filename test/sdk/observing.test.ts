import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  LinguaLoop,
  type LinguaLoopOptions,
  type RequestEvent,
  type ResponseEvent,
  type UploadProgress,
} from '#sdk/index.ts';
import { failure, result, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();
const transient = failure(503, 'try again', { error_code: 'transient_error' });

function client(options: Partial<LinguaLoopOptions> = {}) {
  return new LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 }, ...options });
}

const throws = () => {
  throw new Error('the observer is broken');
};
const rejects = async () => throws();

describe('onRequest, onResponse and logger', () => {
  test('are told each attempt, and what became of it; secrets are hidden', async () => {
    server.script(transient, result({ id: '1' }, { 'x-request-id': 'answered' }));
    const requests: RequestEvent[] = [];
    const responses: ResponseEvent[] = [];
    const logged: unknown[] = [];
    const logger = {
      debug: (message: string, fields: object) => logged.push([message, fields]),
      warn: (message: string, fields: object) => logged.push([message, fields]),
    };
    const observed = client({
      apiKey: 'the-secret-key',
      accessToken: 'the-secret-token',
      headers: { 'x-proxy': 'the-secret-of-the-proxy' },
      onRequest: (event) => requests.push(event),
      onResponse: (event) => responses.push(event),
      logger,
    });
    await observed.translations.create({ source_text: 'the secret text', target_lang: 'fr' });
    expect(requests.map(({ call, method, attempt }) => [call, method, attempt])).toEqual([
      ['translations.create', 'POST', 1],
      ['translations.create', 'POST', 2],
    ]);
    expect(responses).toMatchObject([
      { status: 503, error: { code: 'transient_error' } },
      { status: 200, requestId: 'answered', durationMs: expect.any(Number) },
    ]);
    expect(logged).toHaveLength(5);
    expect(JSON.stringify([requests, responses, logged])).not.toContain('secret');
    expect(server.received[0]?.headers['x-proxy']).toBe('the-secret-of-the-proxy');
  });

  test.each([
    ['debug', ['debug', 'debug', 'warn', 'debug', 'debug']],
    ['warn', ['warn']],
    ['off', []],
  ] as const)('the level %s limits what is logged', async (logLevel, expected) => {
    const logged: string[] = [];
    const logger = { debug: () => logged.push('debug'), warn: () => logged.push('warn') };
    const ask = async (options: Partial<LinguaLoopOptions>) => {
      logged.length = 0;
      server.script(transient, result({ id: '1' }));
      await client({ apiKey: 'k', logger, ...options }).translations.get('1');
      return logged;
    };
    expect(await ask({ logLevel })).toEqual(expected);
    vi.stubEnv('LINGUALOOP_LOG', logLevel);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await ask({})).toEqual(expected);
  });

  test('a level without a logger logs to the console, and an unknown level is named', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    server.script(transient, result({ id: '1' }));
    await client({ apiKey: 'k', logLevel: 'warn' }).translations.get('1');
    expect(warn).toHaveBeenCalledTimes(1);
    vi.stubEnv('LINGUALOOP_LOG', 'loud');
    onTestFinished(() => void vi.unstubAllEnvs());
    server.script(transient, result({ id: '1' }));
    await client({ apiKey: 'k' }).translations.get('1');
    expect(warn).toHaveBeenCalledTimes(1);
    // @ts-expect-error: such a value comes from JavaScript.
    expect(() => client({ logLevel: 'loud' })).toThrow('logLevel must be one of off, warn, debug');
  });

  test('the logger is told each warning of a request that creates, once', async () => {
    const warning = (message: string) => ({ code: 'unknown_field', field: 'tonne', message });
    server.script(
      result([
        { id: '1', warnings: [warning('one')] },
        { id: '2', warnings: [warning('one'), warning('two')] },
      ]),
      result({ id: '1', warnings: [warning('one')] }),
    );
    const warned: unknown[] = [];
    const { translations } = client({
      logger: { debug: () => {}, warn: (message, fields) => warned.push([message, fields]) },
    });
    await translations.createBatch({ inputs: [{ Text: 'a', Targets: [{ Language: 'fr' }] }] });
    await translations.get('1');
    expect(warned).toEqual([
      [
        'translations.createBatch: one',
        expect.objectContaining({ jobId: '1', code: 'unknown_field', field: 'tonne' }),
      ],
      ['translations.createBatch: two', expect.objectContaining({ jobId: '2' })],
    ]);
  });

  test.each([
    ['throw', throws],
    // Without a handler, this rejection would end the process.
    ['reject with', rejects],
  ])('fail no call by what they %s', async (_, broken) => {
    server.script(transient, result({ id: '1' }));
    const observed = client({
      onRequest: broken,
      onResponse: broken,
      logger: { debug: broken, warn: broken },
    });
    expect(await observed.translations.get('1')).toEqual({ id: '1' });
  });
});

describe('options', () => {
  test('address and key come from the environment if they are not given', async () => {
    server.script(result([]), result([]), result([]));
    vi.stubEnv('LINGUALOOP_URL', server.address);
    vi.stubEnv('LINGUALOOP_API_KEY', 'of-the-environment');
    onTestFinished(() => void vi.unstubAllEnvs());
    await new LinguaLoop().translations.listPage();
    await new LinguaLoop({ apiKey: 'given' }).translations.listPage();
    await new LinguaLoop({ accessToken: 'given' }).translations.listPage();
    expect(server.received.map(({ headers }) => headers['x-api-key'])).toEqual([
      'of-the-environment',
      'given',
      undefined,
    ]);
    vi.stubEnv('LINGUALOOP_URL', '');
    expect(() => new LinguaLoop()).toThrow('LINGUALOOP_URL');
  });

  test('headers of the client and of a call never replace the client’s own', async () => {
    server.script(result([]));
    const headers = { 'X-Api-Key': 'other', 'x-one': 'client', 'x-two': 'client' };
    await client({ apiKey: 'k', headers }).translations.listPage({}, { headers: { 'X-Two': 'call' } });
    expect(server.received[0]?.headers).toMatchObject({
      'x-api-key': 'k',
      'x-one': 'client',
      'x-two': 'call',
    });
  });

  test('idempotencyKey makes the keys of calls that were given none', async () => {
    server.script(result({ id: '1' }), result({ id: '1' }));
    const { translations } = client({ idempotencyKey: (call) => `made for ${call}` });
    const hello = { source_text: 'Hello', target_lang: 'fr' };
    await translations.create(hello);
    await translations.create(hello, { idempotencyKey: 'own' });
    expect(server.received.map(({ input }) => input?.['idempotency_key'])).toEqual([
      'made for translations.create',
      'own',
    ]);
  });
});

describe('request', () => {
  test('sends anything as the client’s caller; a read is sent again', async () => {
    server.script('cut off', result({ any: 'thing' }));
    const answered = await client({ apiKey: 'k' })
      .request('GET', '/api/new', { query: { limit: 5, left_out: undefined } })
      .withResponse();
    expect([answered.data, answered.response.status]).toEqual([{ any: 'thing' }, 200]);
    const { path, headers, input } = server.received[1]!;
    expect([path, headers['x-api-key'], input]).toEqual(['/api/new', 'k', { limit: '5' }]);
  });

  test.each([
    ['JSON', 200, 'application/json; charset=utf-8', '[42]', [42]],
    ['JSON of a type of its own', 200, 'Application/Problem+JSON', '{"a":1}', { a: 1 }],
    ['a text, though it could be read as JSON', 200, 'text/plain; charset=utf-8', '42', '42'],
    ['bytes', 200, 'application/x-ndjson', '{}', new TextEncoder().encode('{}')],
  ])('returns %s as its type says', async (_, status, type, body, expected) => {
    server.script({ status, body, headers: { 'content-type': type } });
    expect(await client().request('GET', '/api/new')).toEqual(expected);
  });

  test('a write is sent again only with a key', async () => {
    server.script('cut off', 'cut off', { status: 204, body: '' });
    await expect(client().request('POST', '/api/new', { json: {} })).rejects.toMatchObject({
      maybeSent: true,
    });
    await client().request('POST', '/api/new', { json: {}, idempotencyKey: 'k' });
    expect(server.received.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, 'k', 'k']);
  });

  test('an error is the service’s; a path of another host is a TypeError', async () => {
    server.script(failure(409, 'not now', { error_code: 'conflict' }));
    await expect(client().request('DELETE', '/api/new')).rejects.toMatchObject({ name: 'ConflictError' });
    expect(() => client().request('GET', '//elsewhere.example/')).toThrow(TypeError);
    expect(() => client().request('GET', 'https://elsewhere.example/')).toThrow(TypeError);
  });
});

describe('onUploadProgress', () => {
  const name = 'a.md';
  const hello = { name, data: new TextEncoder().encode('Hello') };
  const french = { target_lang: 'fr' };

  test('says how much was sent, up to the whole', async () => {
    server.script(result([{ id: '1' }]));
    const told: UploadProgress[] = [];
    const onUploadProgress = (progress: UploadProgress) => told.push(progress);
    const data = new Uint8Array(300_000).fill(65);
    await client().translations.createFromFile({ name, data }, french, { onUploadProgress });
    expect(told.length).toBeGreaterThan(1);
    expect(told).toEqual(told.toSorted((a, b) => a.loaded - b.loaded));
    const last = told.at(-1)!;
    expect(last.loaded).toBe(last.total);
    expect(last.total).toBe(server.received[0]?.body.length);
    expect(last.total).toBeGreaterThan(300_000);
  });

  test('with a fetch of the caller’s own in a browser says the beginning and the end; the body is no stream', async () => {
    server.script(result([{ id: '1' }]));
    vi.stubGlobal('XMLHttpRequest', class {});
    onTestFinished(() => void vi.unstubAllGlobals());
    const told: UploadProgress[] = [];
    const bodies: unknown[] = [];
    const own = client({
      fetch(url, init) {
        bodies.push(init.body);
        return fetch(url, init);
      },
    });
    const onUploadProgress = (progress: UploadProgress) => told.push(progress);
    await own.translations.createFromFile(hello, french, { onUploadProgress });
    const total = server.received[0]?.body.length;
    expect(bodies).toEqual([expect.any(ArrayBuffer)]);
    expect(told).toEqual([
      { loaded: 0, total },
      { loaded: total, total },
    ]);
  });
});
