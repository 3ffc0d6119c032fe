import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConnectionError, LinguaLoop, type LinguaLoopOptions, TimeoutError } from '#sdk/index.ts';
import { failure, result, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();

function client(options: Partial<LinguaLoopOptions> = {}): LinguaLoop {
  return new LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 }, ...options });
}

const hello = { source_text: 'Hello', target_lang: 'fr' };
const signup = { tenant_name: 'X', email: 'x@example.org', password: 'a long enough passphrase' };
const transient = failure(503, 'try again', { error_code: 'transient_error' });

type Create = (translations: LinguaLoop['translations'], idempotencyKey?: string) => Promise<unknown>;
const creates: [string, Create][] = [
  ['create', (translations, idempotencyKey) => translations.create(hello, { idempotencyKey })],
  [
    'createBatch',
    (translations, idempotencyKey) =>
      translations.createBatch(
        { inputs: [{ Text: 'Hello', Targets: [{ Language: 'fr' }] }] },
        { idempotencyKey },
      ),
  ],
  [
    'createFromText',
    (translations, idempotencyKey) =>
      translations.createFromText({ ...hello, metadata: { source_document: {} } }, { idempotencyKey }),
  ],
];

describe('retries', () => {
  test.each(creates)('%s makes one key a call, the same on each attempt', async (name, create) => {
    const created = name === 'create' ? { id: '1' } : [{ id: '1' }];
    server.script('cut off', transient, result(created), result(created), result(created));
    const { translations } = client();
    expect(await create(translations)).toEqual(created);
    await create(translations);
    await create(translations, 'mine');
    const [first, second, third, other, own] = server.received.map(({ input }) => input?.['idempotency_key']);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect([second, third, own]).toEqual([first, first, 'mine']);
    expect(other).not.toBe(first);
  });

  test('a draft is saved again after a lost response, a decision is not', async () => {
    const { translations } = client();
    server.script('cut off', result({ id: '1' }), 'cut off');
    await translations.review('1', { action: 'save', final_translation: 'Salut' });
    await expect(translations.review('1', { action: 'approve' })).rejects.toBeInstanceOf(ConnectionError);
    expect(server.received).toHaveLength(3);
  });

  test.each([
    ['the connection breaks', 'cut off' as const],
    ['429 rate_limit', failure(429, 'saturated', { error_code: 'rate_limit' })],
    ["a proxy's 502", { status: 502, body: '<h1>Bad gateway</h1>' }],
  ])('a read is sent again if %s', async (_, step) => {
    server.script(step, result({ id: '1' }));
    expect(await client().translations.get('1')).toEqual({ id: '1' });
    expect(server.received).toHaveLength(2);
  });

  test('the client or the call sets how often', async () => {
    server.script(transient, transient, transient, transient, result({ id: '1' }), transient);
    expect(await client({ maxRetries: 4 }).translations.get('1')).toEqual({ id: '1' });
    await expect(client({ maxRetries: 4 }).translations.get('1', { maxRetries: 0 })).rejects.toThrow(
      'try again',
    );
    expect(server.received).toHaveLength(6);
  });

  test('signUp has no key, so a broken connection is not tried again: the workspace may exist', async () => {
    server.script('cut off');
    const error = await client()
      .auth.signUp(signup)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ status: null, maybeSent: true });
    expect(server.received).toHaveLength(1);
  });

  test('even signUp is tried again after a refused connection', async () => {
    const port = await freePort();
    const fetched = vi.fn((url: string, init: RequestInit) => fetch(url, init));
    const error = await client({ baseUrl: `http://127.0.0.1:${port}`, fetch: fetched })
      .auth.signUp(signup)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(`auth.signUp: no response: connect ECONNREFUSED 127.0.0.1:${port}`);
    expect(error.maybeSent).toBe(false);
    expect(fetched).toHaveBeenCalledTimes(3);
  });

  test('so it is if a name has several addresses, for which Node reports only a code', async () => {
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    const fetched = vi.fn(() => Promise.reject(new TypeError('fetch failed', { cause: refused })));
    const call = client({ fetch: fetched }).auth.signUp(signup);
    await expect(call).rejects.toThrow('auth.signUp: no response: ECONNREFUSED');
    expect(fetched).toHaveBeenCalledTimes(3);
  });

  test('Retry-After beyond a minute is thrown, not waited for', async () => {
    server.script(failure(429, 'too many requests', {}, { 'retry-after': '3600' }));
    await expect(client().translations.get('1')).rejects.toMatchObject({ status: 429, retryAfter: 3600 });
  });

  test('an access token is read before each attempt; its own failure is thrown unchanged', async () => {
    server.script(transient, result({ id: '1' }));
    const tokens = ['first', 'second'];
    await client({ accessToken: () => tokens.shift()! }).translations.get('1');
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first',
      'Bearer second',
    ]);

    const failed = new Error('the vault is closed');
    const locked = client({
      accessToken: () => {
        throw failed;
      },
    });
    await expect(locked.translations.get('1')).rejects.toBe(failed);
  });
});

test('what is sent: credentials, tenant, request id, the name of the SDK', async () => {
  server.script(result([]));
  const named = client({ apiKey: 'k', accessToken: 't', tenantId: 'n' });
  await named.translations.listPage({ status: 'failed' }, { requestId: 'r' });
  expect(server.received).toMatchObject([
    {
      method: 'GET',
      path: '/api/translations',
      input: { status: 'failed' },
      headers: {
        'x-api-key': 'k',
        authorization: 'Bearer t',
        'x-tenant-id': 'n',
        'x-request-id': 'r',
        'user-agent': expect.stringMatching(/^lingualoop-sdk\/\d/),
      },
    },
  ]);
});

describe('timeouts', () => {
  test('TimeoutError names the call and its duration; a read is sent again before it', async () => {
    const fetched = vi.fn(() => new Promise<never>(() => {}));
    const error = await client({ timeout: 2, fetch: fetched })
      .translations.get('1')
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ status: null, call: 'translations.get', timeoutMs: 2 });
    expect(error.message).toBe('translations.get: no response within 2 ms');
    expect(fetched).toHaveBeenCalledTimes(3);
  });

  test('applies to a fetch that ignores its signal, and to the token source', async () => {
    const deaf = client({ fetch: () => new Promise(() => {}), timeout: 1, maxRetries: 0 });
    await expect(deaf.system.health()).rejects.toBeInstanceOf(TimeoutError);
    const stuck = client({ accessToken: () => new Promise(() => {}), timeout: 1, maxRetries: 0 });
    await expect(stuck.system.health()).rejects.toBeInstanceOf(TimeoutError);
  });
});

describe("the caller's signal", () => {
  test('already aborted: nothing is sent, its reason is thrown', async () => {
    const reason = new Error('changed my mind');
    await expect(client().translations.get('1', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.received).toHaveLength(0);
  });

  test('during an attempt', async () => {
    server.script('silence');
    const controller = new AbortController();
    const call = client().translations.get('1', { signal: controller.signal });
    await server.arrived(1);
    controller.abort();
    await expect(call).rejects.toBe(controller.signal.reason);
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.received).toHaveLength(1);
  });

  test('during the wait before a retry', async () => {
    server.script(failure(429, 'wait', {}, { 'retry-after': '60' }));
    const controller = new AbortController();
    const fetched = Promise.withResolvers<void>();
    const call = client({
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        const text = await response.text();
        // In the next iteration of the event loop, the call has read the response and waits for the retry.
        setImmediate(fetched.resolve);
        const { status, headers } = response;
        return new Response(text, { status, headers });
      },
    }).translations.get('1', { signal: controller.signal });
    await fetched.promise;
    controller.abort('enough');
    await expect(call).rejects.toBe('enough');
  });

  test('ends a listing between pages', async () => {
    server.script(result([{ id: '1' }], { 'x-next-cursor': 'c' }));
    const controller = new AbortController();
    const ids: string[] = [];
    const walk = async () => {
      for await (const job of client().translations.list({}, { signal: controller.signal })) {
        ids.push(job.id);
        controller.abort('enough');
      }
    };
    await expect(walk()).rejects.toBe('enough');
    expect(ids).toEqual(['1']);
  });

  test('no listener and no timer outlives its call, however it ended', async () => {
    server.script(
      result({ id: '1' }),
      transient,
      result({ id: '1' }),
      failure(404, 'job not found'),
      'silence',
    );
    const { signal } = new AbortController();
    const started = vi.spyOn(globalThis, 'setTimeout');
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    onTestFinished(() => void vi.restoreAllMocks());
    // An unusual timeout identifies the timers of the client, because other code starts timers, too.
    const { translations } = client({ timeout: 12_345 });
    await translations.get('1', { signal });
    await translations.get('1', { signal });
    await expect(translations.get('1', { signal })).rejects.toMatchObject({ status: 404 });
    await expect(translations.get('1', { signal, timeout: 7, maxRetries: 0 })).rejects.toThrow('no response');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    const timers = started.mock.results
      .filter((_, n) => started.mock.calls[n]?.[1] === 12_345 || started.mock.calls[n]?.[1] === 7)
      .map(({ value }) => value);
    expect(timers).toHaveLength(5);
    const stopped = new Set(cleared.mock.calls.map(([timer]) => timer));
    expect(timers.filter((timer) => !stopped.has(timer))).toEqual([]);
  });
});

/** A free port, on which no program listens. */
async function freePort(): Promise<number> {
  const once = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => once.once('listening', resolve));
  const { port } = once.address() as AddressInfo;
  await new Promise((resolve) => once.close(resolve));
  return port;
}
