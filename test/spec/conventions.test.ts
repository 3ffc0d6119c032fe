import http from 'node:http';
import net from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { stubEngine } from '#server/engines/stub.ts';
import { type Signup, type TestApp, type TestAppOptions, useTestApp } from '#test/setup/app.ts';

const PATH = '/api/translations';
const VERSION = '2026-09-01';
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };

const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** A request whose path and headers reach the server as they are written here. */
function send(
  method: string,
  path: string,
  options: { body?: string | Buffer; headers?: http.OutgoingHttpHeaders; at?: TestApp } = {},
): Promise<Answer> {
  const { hostname, port } = new URL((options.at ?? app).address);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = http.request({
    hostname,
    port,
    method,
    path,
    agent: false,
    headers: options.headers ?? {},
  });
  request.on('error', reject);
  request.on('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      const headers = new Headers();
      for (const [name, values] of Object.entries(response.headersDistinct)) {
        for (const value of values ?? []) headers.append(name, value);
      }
      resolve({ status: response.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString() });
    });
  });
  request.end(options.body);
  return promise;
}

/** Bytes on a connection of their own; answers with the first response, or nothing when the other side hangs up. */
function raw(
  bytes: string | Buffer,
  options: { end?: boolean; at?: TestApp } = {},
): Promise<Answer | undefined> {
  const { hostname, port } = new URL((options.at ?? app).address);
  const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
  const socket = net.connect(Number(port), hostname);
  let received = '';
  const read = (closed: boolean) => {
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd >= 0) {
      const [statusLine = '', ...lines] = received.slice(0, headEnd).split('\r\n');
      const headers = new Headers(
        lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]),
      );
      const text = received.slice(headEnd + 4);
      const length = Number(headers.get('content-length') ?? Number.NaN);
      if (closed || Buffer.byteLength(text) >= length) {
        resolve({ status: Number(statusLine.split(' ')[1]), headers, text });
        socket.destroy();
        return;
      }
    }
    if (closed) resolve(undefined);
  };
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    read(false);
  });
  socket.on('end', () => read(true));
  socket.on('close', () => read(true));
  socket.on('error', () => read(true));
  socket.setTimeout(5000, () => {
    received += '\r\n\r\n<no answer within five seconds>';
    read(true);
    socket.destroy();
  });
  socket.write(bytes);
  if (options.end) socket.end();
  return promise;
}

const jsonHeaders = (extra: Record<string, string> = {}) => ({
  'content-type': 'application/json',
  ...tenant.headers,
  ...extra,
});

function post(body: string | Buffer, headers: Record<string, string> = {}) {
  return send('POST', PATH, { body, headers: jsonHeaders(headers) });
}

/** Whatever was sent: no 5xx, nothing of our inside, and a request id. */
function expectHarmless({ status, headers, text }: Answer) {
  expect(status, text.slice(0, 300)).toBeGreaterThanOrEqual(200);
  expect(status, text.slice(0, 300)).toBeLessThan(500);
  expect(text).not.toMatch(/(\n|\\n)\s+at |"stack"|node_modules|node:internal|file:\/\/|\.[cm]?[jt]s:\d+/);
  expect(text).not.toMatch(/"httpStatus":5\d\d/);
  expect(text).not.toMatch(/failed query|insert into|select "|drizzle|postgres|sqlstate|syntax error at or/i);
  expect(headers.get('x-request-id') ?? 'no X-Request-ID').toMatch(REQUEST_ID);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  expect('polluted' in {}).toBe(false);
  if (status >= 400 && text !== '') {
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(() => JSON.parse(text)).not.toThrow();
  }
}

/** A harmless refusal in one of the shapes of A 7.1. */
function expectRefusal(answer: Answer, ...statuses: number[]) {
  expectHarmless(answer);
  expect(statuses, answer.text.slice(0, 300)).toContain(answer.status);
  const { detail } = JSON.parse(answer.text);
  if (typeof detail === 'string') expect(detail).not.toBe('');
  else expectEntries(detail);
  return detail;
}

function expectEntries(detail: unknown) {
  if (!Array.isArray(detail)) throw new Error(`neither a string nor an array: ${JSON.stringify(detail)}`);
  expect(detail.length).toBeGreaterThan(0);
  for (const entry of detail) {
    expect(entry).toMatchObject({
      loc: expect.any(Array),
      msg: expect.any(String),
      type: expect.any(String),
    });
    for (const part of entry.loc) expect(['string', 'number']).toContain(typeof part);
  }
}

async function expectAlive(at = app, signup = tenant) {
  const health = await at.json('GET', '/healthz');
  expect(health.status).toBe(200);
  const { status, body } = await at.json('POST', PATH, {
    headers: signup.headers,
    body: { source_text: 'Still here', target_lang: 'fr' },
  });
  expect(status).toBe(200);
  expect(body.final_translation).toBe('[fr] Still here');
}

/** Rows for test.each whose first cell is short enough for a title. */
function named(...values: string[]): [title: string, value: string][] {
  return values.map((value) => {
    const title = value.length > 60 ? `${value.slice(0, 40)}... (${value.length} characters)` : value;
    return [title, value];
  });
}

const HELLO = JSON.stringify({ source_text: 'Hello', target_lang: 'fr' });

describe('A 1 rule 5: GET /healthz', () => {
  test('needs no credential and says ok, both stub flags and live_services', async () => {
    const { status, body } = await app.json('GET', '/healthz');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'ok',
      stub_mode: { translator: true, refiner: true },
      live_services: false,
    });
  });

  test('A 9 rule 5: ignores the version parameter and emits no version header', async () => {
    for (const query of ['', '?api-version=nonsense', '?api-version=2099-01-01', `?api-version=${VERSION}`]) {
      const { status, headers } = await app.json('GET', `/healthz${query}`, {
        headers: { 'x-api-version': 'nonsense' },
      });
      expect(status).toBe(200);
      expect(headers.has('x-api-version')).toBe(false);
      expect(headers.get('x-request-id')).toMatch(REQUEST_ID);
    }
  });

  test('is the same with a wrong credential', async () => {
    expect((await app.json('GET', '/healthz', { headers: { 'x-api-key': 'wrong' } })).status).toBe(200);
  });
});

describe('A 1 rule 8, C 7: X-Request-ID', () => {
  const everywhere: [string, string, string, string?][] = [
    ['200', 'GET', '/healthz'],
    ['200 of the list', 'GET', PATH],
    ['401', 'GET', `${PATH}?limit=1`],
    ['404 of a job', 'GET', `${PATH}/${'0'.repeat(32)}`],
    ['404 of a route', 'GET', '/api/nothing-here'],
    ['404 outside /api', 'GET', '/nothing-here.php'],
    ['405', 'PUT', PATH],
    ['400', 'POST', PATH, '{'],
    ['422', 'POST', PATH, '{}'],
    ['413', 'POST', PATH, JSON.stringify({ source_text: 'x'.repeat(50_001), target_lang: 'fr' })],
    ['400 of a version', 'GET', `${PATH}?api-version=nonsense`],
    ['tRPC', 'GET', '/trpc/system.health'],
    ['a tRPC error', 'POST', '/trpc/translations.create', '{}'],
    ['an unknown tRPC procedure', 'GET', '/trpc/no.such'],
    ['a path that cannot be decoded', 'GET', '/api/%E0%A4%A'],
    ['a path parameter of 1000 characters', 'GET', `${PATH}/${'a'.repeat(1000)}`],
  ];

  test.each(everywhere)('is echoed on %s', async (name, method, path, body) => {
    const headers = { ...(name !== '401' && tenant.headers), 'x-request-id': 'Given-1:2.3_4' };
    const answer = await send(method, path, {
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body }),
    });
    expect(answer.headers.get('x-request-id')).toBe('Given-1:2.3_4');
  });

  test.each(everywhere)(
    'is generated on %s when none was sent, anew each time',
    async (name, method, path, body) => {
      const headers = {
        ...(name !== '401' && tenant.headers),
        ...(body && { 'content-type': 'application/json' }),
      };
      const ids = new Set<string | null>();
      for (let i = 0; i < 2; i += 1) {
        const answer = await send(method, path, { headers, ...(body && { body }) });
        expect(answer.headers.get('x-request-id')).toMatch(REQUEST_ID);
        ids.add(answer.headers.get('x-request-id'));
      }
      expect(ids.size).toBe(2);
    },
  );

  test.each(named('a', '0', '-', 'A'.repeat(128), 'abcXYZ019._:-', '...', '00-4bf92f3577b34da6-01'))(
    '%s is echoed',
    async (_title, id) => {
      const { headers } = await send('GET', '/healthz', { headers: { 'x-request-id': id } });
      expect(headers.get('x-request-id')).toBe(id);
    },
  );

  const replaced = [
    'A'.repeat(129),
    'two words',
    'slash/ed',
    'semi;colon',
    'quote"d',
    '<b>',
    'caf\u00e9',
    'a,b',
    '{}',
    '%0a',
  ];
  test.each(named(...replaced))('%s is replaced', async (_title, id) => {
    const { status, headers } = await send('GET', '/healthz', { headers: { 'x-request-id': id } });
    expect(status).toBe(200);
    expect(headers.get('x-request-id')).not.toBe(id);
    expect(headers.get('x-request-id')).toMatch(REQUEST_ID);
  });

  test('an empty one, and two at once, are replaced or made one valid id', async () => {
    for (const value of ['', ['one', 'two']]) {
      const { status, headers } = await send('GET', '/healthz', { headers: { 'x-request-id': value } });
      expect(status).toBe(200);
      expect(headers.get('x-request-id')).toMatch(REQUEST_ID);
    }
  });
});

describe('A 9: versions', () => {
  const get = (query: string, headers: Record<string, string> = {}) =>
    app.json('GET', `${PATH}${query}`, { headers: { ...tenant.headers, ...headers } });

  test('rule 2, 4: omitted, the oldest version is served and echoed; nothing is deprecated', async () => {
    const { status, headers } = await get('');
    expect(status).toBe(200);
    expect(headers.get('x-api-version')).toBe(VERSION);
    expect(headers.has('deprecation')).toBe(false);
    expect(headers.has('sunset')).toBe(false);
  });

  test('rule 1: the query parameter and its header alias select the version', async () => {
    for (const answer of [
      await get(`?api-version=${VERSION}`),
      await get('', { 'x-api-version': VERSION }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-api-version')).toBe(VERSION);
    }
  });

  test('rule 1: when both are sent the query parameter wins', async () => {
    expect((await get(`?api-version=${VERSION}`, { 'x-api-version': '2030-01-01' })).status).toBe(200);
    expect((await get(`?api-version=${VERSION}`, { 'x-api-version': 'nonsense' })).status).toBe(200);
    const { status, body } = await get('?api-version=2030-01-01', { 'x-api-version': VERSION });
    expect(status).toBe(400);
    expect(body.detail).toContain("'2030-01-01'");
  });

  test.each(['2030-01-01', '2026-08-31', '2026-09-02', '2024-02-29', '1999-12-31'])(
    'rule 3: the unreleased date %s answers 400 and lists the supported versions',
    async (date) => {
      for (const answer of [await get(`?api-version=${date}`), await get('', { 'x-api-version': date })]) {
        expect(answer.status).toBe(400);
        expect(answer.body.detail).toBe(
          `unknown api-version: '${date}' is not a released version. Supported: ${VERSION}`,
        );
      }
    },
  );

  test.each([
    'latest',
    '2026-9-1',
    '20260901',
    '2026-09-01T00:00:00Z',
    '2026-09-01x',
    '2026/09/01',
    'v1',
    '%00',
    '١٢٣٤-٠١-٠١',
  ])('rule 3: the malformed value %s answers 400 and lists the supported versions', async (value) => {
    const { status, body } = await get(`?api-version=${value}`);
    expect(status).toBe(400);
    expect(body.detail).toMatch(/^unsupported api-version:/);
    expect(body.detail).toContain(VERSION);
  });

  test('rule 3: an empty string is malformed, in the query and in the header', async () => {
    for (const answer of [
      await get('?api-version='),
      await get('?api-version'),
      await get('', { 'x-api-version': '' }),
      await get('', { 'x-api-version': 'nonsense' }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body.detail).toMatch(/^unsupported api-version:/);
      expect(answer.body.detail).toContain(VERSION);
    }
  });

  test('a day that no calendar has is refused by one rule or the other', async () => {
    for (const day of ['2026-02-30', '2026-13-01', '0000-00-00']) {
      const { status, body } = await get(`?api-version=${day}`);
      expect(status).toBe(400);
      expect(body.detail).toMatch(/^(unknown|unsupported) api-version:/);
    }
  });

  test('the parameter given twice is never a 5xx', async () => {
    const answer = await send('GET', `${PATH}?api-version=${VERSION}&api-version=nonsense`, {
      headers: tenant.headers,
    });
    expectHarmless(answer);
    expect([200, 400]).toContain(answer.status);
  });

  test('rule 4: refusals of every kind echo the served version too', async () => {
    const { headers } = tenant;
    const answers = [
      await app.json('GET', PATH),
      await app.json('GET', `${PATH}/${'0'.repeat(32)}`, { headers }),
      await app.json('GET', `${PATH}?limit=0`, { headers }),
      await app.json('POST', PATH, { headers, body: '{' }),
      await app.json('POST', PATH, { headers, body: '{}' }),
      await app.json('POST', PATH, { headers, body: { source_text: 'Hi', target_lang: 'xx' } }),
      await app.json('POST', '/api/auth/signup/email', { body: {} }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 422, 400, 422, 422, 422]);
    for (const answer of answers) expect(answer.headers.get('x-api-version')).toBe(VERSION);
  });

  test('a refused version does no work', async () => {
    const fresh = await app.signUp();
    const refused = await app.json('POST', `${PATH}?api-version=2030-01-01`, {
      headers: fresh.headers,
      body: HELLO,
    });
    expect(refused.status).toBe(400);
    expect((await app.json('GET', PATH, { headers: fresh.headers })).body).toEqual([]);
    const signup = await app.json('POST', '/api/auth/signup/email?api-version=nonsense', {
      body: { tenant_name: 'Unversioned', email: 'v@example.org', password: 'a long enough passphrase' },
    });
    expect(signup.status).toBe(400);
    expect(signup.headers.getSetCookie()).toEqual([]);
  });
});

describe('A 7.1: the shapes of a refusal', () => {
  const failing: NonNullable<TestAppOptions['engine']> = new Proxy(stubEngine, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return () => Promise.reject(new Error('the inner cause of 4711'));
    },
  });
  const broken = useTestApp({ env, engine: failing });

  test('rule 3: an unexpected failure is internal error, with the request id of the header', async () => {
    const { headers } = await broken.signUp();
    for (const id of [undefined, 'my-own:id']) {
      const answer = await broken.json('POST', PATH, {
        headers: { ...headers, ...(id && { 'x-request-id': id }) },
        body: HELLO,
      });
      expect(answer.status).toBe(500);
      expect(answer.body).toEqual({
        detail: 'internal error',
        error_code: 'internal_error',
        request_id: answer.headers.get('x-request-id'),
      });
      if (id) expect(answer.body.request_id).toBe(id);
    }
  });

  test('rule 3: through the tRPC door the cause stays inside as well', async () => {
    const { headers } = await broken.signUp();
    const answer = await send('POST', '/trpc/translations.create', {
      at: broken,
      headers: { ...headers, 'content-type': 'application/json' },
      body: `{"json":${HELLO}}`,
    });
    expect(answer.status).toBe(500);
    expect(answer.text).toContain('internal error');
    expect(answer.text).not.toMatch(/4711|"stack"|(\n|\\n)\s+at /);
    expect(answer.text).toContain(answer.headers.get('x-request-id'));
  });

  test('rule 1, 2: every refusal is JSON with a detail, a string or the array', async () => {
    expect(expectRefusal(await send('GET', PATH), 401)).toEqual(expect.any(String));
    expect(expectRefusal(await post('{}'), 422)).toEqual(expect.any(Array));
    expect(expectRefusal(await post('{"source_text":"Hi","target_lang":"xx"}'), 422)).toEqual(
      expect.any(String),
    );
    expect(expectRefusal(await send('GET', '/api/nothing-here'), 404)).toEqual(expect.any(String));
  });

  test('7.3: where an error_code is given it maps to its status and carries the request id', async () => {
    const missing = await send('GET', `${PATH}/${'0'.repeat(32)}`, { headers: tenant.headers });
    const blank = await post('{"source_text":" ","target_lang":"fr"}');
    for (const [answer, code] of [
      [missing, 'not_found'],
      [blank, 'validation_error'],
    ] as const) {
      const body = JSON.parse(answer.text);
      if ('error_code' in body) {
        expect(body.error_code).toBe(code);
        expect(body.request_id).toBe(answer.headers.get('x-request-id'));
      }
    }
  });
});

describe('C 7: routes and methods', () => {
  test.each([
    ['GET', '/api/nothing-here'],
    ['POST', '/api/nothing-here'],
    ['GET', '/api'],
    ['GET', '/api/translations/a/b/c'],
    ['GET', '/healthz/more'],
    ['DELETE', '/nothing'],
    ['GET', '/.env'],
    ['GET', '/api/../package.json'],
    ['GET', '/static/..%2f..%2fpackage.json'],
  ])('%s %s is unknown: 404 with a detail', async (method, path) => {
    const detail = expectRefusal(await send(method, path), 404);
    expect(detail).toEqual(expect.any(String));
  });

  test.each([
    ['PUT', PATH],
    ['PATCH', PATH],
    ['DELETE', PATH],
    ['POST', `${PATH}/${'0'.repeat(32)}`],
    ['PUT', `${PATH}/${'0'.repeat(32)}`],
    ['GET', '/api/auth/signup/email'],
    ['DELETE', '/api/auth/signup/email'],
    ['POST', '/healthz'],
    ['DELETE', '/healthz'],
  ])('%s %s is not an allowed method: 405 with a detail', async (method, path) => {
    for (const headers of [{}, tenant.headers]) {
      const detail = expectRefusal(await send(method, path, { headers }), 405);
      expect(detail).toEqual(expect.any(String));
    }
  });

  test('a 405 comes before the body is looked at', async () => {
    expectRefusal(await send('PUT', PATH, { headers: jsonHeaders(), body: '{' }), 405);
  });

  test.each(['PROPFIND', 'TRACE', 'LOCK', 'PURGE', 'SEARCH', 'REPORT'])(
    '%s is no method of ours',
    async (method) => {
      for (const path of [PATH, '/healthz']) {
        const answer = await send(method, path, { headers: tenant.headers });
        expectRefusal(answer, 400, 405);
      }
      expectHarmless(await send(method, '/trpc/system.health', { headers: tenant.headers }));
    },
  );
});

describe('C 7: JSON bodies', () => {
  test.each([
    ['an open brace', '{'],
    ['a comma too many', '{"source_text":"Hi","target_lang":"fr",}'],
    ['single quotes', "{'source_text':'Hi'}"],
    ['two values', '{}{}'],
    ['a bare word', 'hello'],
    ['NaN', '{"source_text":NaN}'],
    ['a comment', '{/* */}'],
    ['a raw line break in a string', '{"source_text":"a\nb","target_lang":"fr"}'],
    ['an unfinished escape', '{"source_text":"\\u12","target_lang":"fr"}'],
    ['a raw NUL', '{"source_text":"a\0b","target_lang":"fr"}'],
    ['white space only', ' \n '],
    ['nothing', ''],
    ['form data', 'source_text=Hi&target_lang=fr'],
  ])('%s does not parse: 400 invalid JSON body', async (_name, body) => {
    for (const path of [PATH, '/api/auth/signup/email']) {
      const detail = expectRefusal(await send('POST', path, { headers: jsonHeaders(), body }), 400);
      expect(detail).toMatch(/^invalid JSON body: ./);
    }
  });

  test('POST without any body or content type: 400', async () => {
    expectRefusal(await send('POST', PATH, { headers: tenant.headers }), 400);
  });

  test.each(['[]', '[{"source_text":"Hi","target_lang":"fr"}]', '"text"', '42', 'true', 'null'])(
    'B 4.1: %s is not an object: 400 with a string detail',
    async (body) => {
      expect(expectRefusal(await post(body), 400)).toEqual(expect.any(String));
      expectRefusal(await send('POST', '/api/auth/signup/email', { headers: jsonHeaders(), body }), 400, 422);
    },
  );

  test('A 7.1: a body that does not fit is 422, every fault with loc, msg and type', async () => {
    const detail = expectRefusal(
      await post('{"source_text":1,"target_lang":2,"metadata":3,"text_type":"x","allow_fallback":"y"}'),
      422,
    );
    const named = detail.map(({ loc }: { loc: unknown[] }) => loc.at(-1)).toSorted();
    expect(named).toEqual(['allow_fallback', 'metadata', 'source_text', 'target_lang', 'text_type']);
  });

  test('a byte order mark before the object is accepted, or named as invalid', async () => {
    const answer = await post(`\ufeff${HELLO}`);
    expectHarmless(answer);
    expect([200, 400]).toContain(answer.status);
  });

  test.each([
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/vnd.example+json',
    'application/x-unheard-of',
    'application/x-www-form-urlencoded',
  ])('B 4.1: content type %s is parsed as JSON', async (type) => {
    expect((await post(HELLO, { 'content-type': type })).status).toBe(200);
    expect(expectRefusal(await post('{', { 'content-type': type }), 400)).toMatch(/^invalid JSON body: /);
  });

  test('B 4.1: so is a body without a content type', async () => {
    const { status } = await send('POST', PATH, { headers: tenant.headers, body: HELLO });
    expect(status).toBe(200);
  });

  test.each([
    'nonsense',
    ';;;',
    'application/json; charset=utf-16',
    'a/b/c',
    'application/json, text/plain',
    '\u00e9/x',
  ])('content type %s never breaks anything', async (type) => {
    expectHarmless(await post(HELLO, { 'content-type': type }));
  });

  test.each(['gzip', 'br', 'nonsense'])(
    'a body said to be encoded as %s is refused or read as it is',
    async (encoding) => {
      expectHarmless(await post(HELLO, { 'content-encoding': encoding }));
    },
  );
});

describe('B 8, A 8: body ceilings', () => {
  /** The head of a request that announces `length` bytes and sends none of them. */
  const announce = (
    path: string,
    length: number | string,
    headers: Record<string, string> = tenant.headers,
  ) =>
    raw(
      [
        `POST ${path} HTTP/1.1`,
        'Host: localhost',
        'Content-Type: application/json',
        `Content-Length: ${length}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        '\r\n',
      ].join('\r\n'),
    );

  test.each([10_000_001, 29_999_999, 30_000_001, 99_999_999_999])(
    'a declared length of %d is 413 MAX_REQUEST_BYTES before the body was sent',
    async (length) => {
      const answer = await announce(PATH, length);
      const detail = expectRefusal(answer!, 413);
      if (length <= 30_000_000) expect(detail).toContain('request body exceeds MAX_REQUEST_BYTES');
    },
  );

  test('B 4.1: even without a credential', async () => {
    expectRefusal((await announce(PATH, 10_000_001, {}))!, 413);
  });

  test('exactly 10,000,000 declared bytes are read', async () => {
    const body = HELLO.padEnd(10_000_000, ' ');
    expect((await post(body)).status).toBe(200);
  });

  test.each(['/api/auth/signup/email', '/trpc/translations.create', '/trpc/auth.signUpWithEmail'])(
    'A 8: the absolute ceiling of 30,000,000 declared bytes holds on %s',
    async (path) => {
      const answer = await announce(path, 30_000_001);
      expectHarmless(answer!);
      expect(answer!.status).toBe(413);
    },
  );

  /** Streams `total` bytes of a JSON body in chunks, does not end it, and waits for an answer. */
  function stream(path: string, total: number, end = false): Promise<Answer> {
    const { hostname, port } = new URL(app.address);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const request = http.request({
      hostname,
      port,
      path,
      method: 'POST',
      agent: false,
      headers: { ...jsonHeaders(), 'transfer-encoding': 'chunked' },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      const done = () => {
        resolve({ status: response.statusCode ?? 0, headers: new Headers(response.headers as never), text });
        request.destroy();
      };
      response.on('end', done);
      response.on('error', done);
    });
    const flush = (bytes: string | Buffer) => {
      const written = Promise.withResolvers<void>();
      request.write(bytes, () => written.resolve());
      return written.promise;
    };
    const pour = async () => {
      const start = path.startsWith('/trpc') ? `{"json":${HELLO}` : HELLO.slice(0, -1);
      await flush(start);
      const blanks = Buffer.alloc(1_000_000, ' ');
      const last = 1;
      for (let left = total - start.length - last; left > 0 && !request.destroyed; left -= blanks.length) {
        await flush(blanks.subarray(0, left));
      }
      // The last byte goes alone: nothing more is under way when the answer comes.
      if (end) request.end('}');
      else await flush(' ');
    };
    void pour();
    return promise;
  }

  test.each([PATH, '/api/auth/signup/email', '/trpc/translations.create'])(
    'A 8: a streamed body of 30,000,001 bytes is 413 on %s, though it declares no length and does not end',
    async (path) => {
      const answer = await stream(path, 30_000_001);
      expectHarmless(answer);
      expect(answer.status).toBe(413);
    },
  );

  test('a sender that goes on past the ceiling gets its 413 or a closed connection', async () => {
    const status = await stream(PATH, 60_000_000).then(
      (answer) => answer.status,
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(status);
    await expectAlive();
  });

  test('a streamed body within the ceilings is read', async () => {
    expect((await stream(PATH, 5_000_000, true)).status).toBe(200);
  });

  test('B 8: between the two ceilings a streamed body declares nothing: read, or 413', async () => {
    const { status } = await stream(PATH, 12_000_000, true);
    expect([200, 413]).toContain(status);
  });

  test.each(['-1', '1e3', '0x10', '12,12', 'abc', '', '99999999999999999999999999'])(
    'a Content-Length of %s is a 4xx',
    async (length) => {
      const answer = await announce(PATH, length);
      expectHarmless(answer!);
      expect(answer!.status).toBeGreaterThanOrEqual(400);
    },
  );

  test('MAX_REQUEST_BYTES moves the declared ceiling', async () => {
    const { headers } = await tight.signUp();
    const small = await tight.json('POST', PATH, { headers, body: HELLO.padEnd(1000) });
    expect(small.status).toBe(200);
    const large = await tight.json('POST', PATH, { headers, body: HELLO.padEnd(1001) });
    expect(large.status).toBe(413);
    expect(large.body.detail).toContain('request body exceeds MAX_REQUEST_BYTES');
  });

  const tight = useTestApp({ env: { ...env, MAX_REQUEST_BYTES: '1000' } });
});

const deepArrays = '['.repeat(10_000) + ']'.repeat(10_000);
const deepObjects = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
const withMetadata = (json: string) => `{"source_text":"Hi","target_lang":"fr","metadata":${json}}`;
const withText = (json: string) => `{"source_text":${json},"target_lang":"fr"}`;

/** Bodies that parse; what each may answer, where the rules leave no doubt. */
const hostile: [name: string, body: string | Buffer, ...statuses: number[]][] = [
  ['NUL in the text', withText('"a\\u0000b"')],
  ['NUL alone as the text', withText('"\\u0000"')],
  ['NUL in the target language', '{"source_text":"Hi","target_lang":"f\\u0000r"}', 422],
  ['NUL in the source language', '{"source_text":"Hi","target_lang":"fr","source_lang":"en\\u0000"}', 422],
  ['NUL in the idempotency key', '{"source_text":"Hi","target_lang":"fr","idempotency_key":"a\\u0000b"}'],
  ['NUL in the domain', '{"source_text":"Hi","target_lang":"fr","domain":"legal\\u0000"}'],
  ['NUL in tone and gender', '{"source_text":"Hi","target_lang":"fr","tone":"\\u0000","gender":"\\u0000"}'],
  [
    'NUL in the inert fields',
    '{"source_text":"Hi","target_lang":"fr","deployment_name":"\\u0000","adaptive_dataset_id":"\\u0000"}',
  ],
  ['NUL in a metadata key', withMetadata('{"a\\u0000b":1}')],
  ['NUL in a metadata value', withMetadata('{"a":"\\u0000"}')],
  ['NUL deep in metadata', withMetadata('{"a":[{"b":["\\u0000"]}]}')],
  ['an escaped backslash before u0000', withMetadata('{"a":"\\\\u0000"}'), 200],
  ['a lone high surrogate in the text', withText('"a\\ud800b"')],
  ['a lone low surrogate in the text', withText('"\\udc00"')],
  ['reversed surrogates in the text', withText('"\\ude00\\ud83d"')],
  ['a lone surrogate in a metadata key', withMetadata('{"\\ud800":1}')],
  ['a lone surrogate in a metadata value', withMetadata('{"a":["\\udfff"]}')],
  ['a lone surrogate in the key', '{"source_text":"Hi","target_lang":"fr","idempotency_key":"\\ud800"}'],
  ['a lone surrogate in the language', '{"source_text":"Hi","target_lang":"\\ud800"}', 422],
  ['a lone surrogate in the domain', '{"source_text":"Hi","target_lang":"fr","domain":"\\udbff"}'],
  ['noncharacters and controls', withText('"\\uffff\\ufffe\\u0001\\u001f\\u007f\\u2028"'), 200],
  ['10,000 nested arrays in metadata', withMetadata(`{"a":${deepArrays}}`)],
  ['10,000 nested objects in metadata', withMetadata(deepObjects)],
  ['10,000 nested arrays as the body', deepArrays, 400, 422],
  ['10,000 nested objects as the body', deepObjects, 400, 422],
  ['10,000 nested arrays as the text', withText(deepArrays), 400, 422],
  ['100,000 open brackets', '['.repeat(100_000), 400],
  ['100,000 open objects', '{"a":'.repeat(100_000), 400],
  [
    '50,000 metadata keys',
    withMetadata(`{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`),
  ],
  ['a metadata key of a million characters', withMetadata(`{"${'k'.repeat(1_000_000)}":1}`)],
  ['__proto__ in metadata', withMetadata('{"__proto__":{"polluted":"yes"},"kept":1}')],
  ['__proto__ deep in metadata', withMetadata('{"a":{"__proto__":{"polluted":"yes"}}}')],
  [
    '__proto__ with flags in metadata',
    withMetadata('{"__proto__":{"sensitive":true,"min_quality_score":100}}'),
  ],
  ['constructor in metadata', withMetadata('{"constructor":{"prototype":{"polluted":"yes"}}}')],
  [
    'prototype in metadata',
    withMetadata('{"prototype":{"polluted":"yes"},"toString":1,"valueOf":2,"toJSON":3}'),
  ],
  ['__proto__ at the top', '{"source_text":"Hi","target_lang":"fr","__proto__":{"polluted":"yes"}}'],
  [
    'constructor at the top',
    '{"source_text":"Hi","target_lang":"fr","constructor":{"prototype":{"polluted":"yes"}}}',
  ],
  ['the fields inside __proto__', '{"__proto__":{"source_text":"Hi","target_lang":"fr"}}', 400, 422],
  [
    'the metadata inside __proto__',
    '{"source_text":"Hi","target_lang":"fr","__proto__":{"metadata":{"a":1}}}',
  ],
  ['1e999 in metadata', withMetadata('{"a":1e999,"b":-1e999}')],
  ['1e999 as min_quality_score', withMetadata('{"min_quality_score":1e999}')],
  ['-1e999 as min_quality_score', withMetadata('{"min_quality_score":-1e999}')],
  ['numbers beyond every precision', withMetadata(`{"a":${'9'.repeat(5000)},"b":1e-999,"c":-0,"d":1e308}`)],
  [
    'a huge loop count',
    withMetadata('{"max_quality_loop_retries":1e308,"debate_rounds":1e308,"candidate_models":"a"}'),
  ],
  [
    'odd values under the keys we read',
    withMetadata(
      '{"min_quality_score":"x","max_quality_loop_retries":{},"debate_rounds":[],"candidate_models":7}',
    ),
  ],
  [
    'objects under the keys we read',
    withMetadata('{"min_quality_score":{"valueOf":1},"candidate_models":{"split":1},"sensitive":{}}'),
  ],
  [
    'null under the keys we read',
    withMetadata(
      '{"min_quality_score":null,"max_quality_loop_retries":null,"candidate_models":null,"debate_rounds":null}',
    ),
  ],
  [
    '10,000 candidate models',
    withMetadata(`{"candidate_models":[${Array.from({ length: 10_000 }, () => '"m"').join(',')}]}`),
  ],
  ['a number as the text', withText('1e999'), 422],
  ['duplicate keys', '{"source_text":"One","source_text":"Two","target_lang":"de","target_lang":"fr"}'],
  [
    'duplicate keys of two types',
    '{"source_text":1,"source_text":"Two","target_lang":"fr","target_lang":null}',
  ],
  ['an empty object', '{}', 422],
  ['unknown fields', '{"source_text":"Hi","target_lang":"fr","status":"published","id":"x","tenant_id":"x"}'],
  [
    'SQL in every string',
    `{"source_text":"'; drop table users; --","target_lang":"fr","domain":"' or '1'='1","tone":"\\");"}`,
    200,
  ],
  [
    'invalid UTF-8 in the text',
    Buffer.concat([
      Buffer.from('{"source_text":"a'),
      Buffer.from([0xff, 0xfe, 0xc0, 0x80]),
      Buffer.from('b","target_lang":"fr"}'),
    ]),
  ],
  [
    'a cut UTF-8 sequence',
    Buffer.concat([
      Buffer.from('{"source_text":"'),
      Buffer.from([0xf0, 0x9f, 0x98]),
      Buffer.from('","target_lang":"fr"}'),
    ]),
  ],
  [
    'UTF-8 surrogates',
    Buffer.concat([
      Buffer.from('{"source_text":"'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('","target_lang":"fr"}'),
    ]),
  ],
  [
    'invalid UTF-8 in a key',
    Buffer.concat([
      Buffer.from('{"'),
      Buffer.from([0xff]),
      Buffer.from('":1,"source_text":"Hi","target_lang":"fr"}'),
    ]),
  ],
  ['UTF-16', Buffer.from(`\ufeff${HELLO}`, 'utf16le'), 400],
  ['random bytes', Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * 7919) % 256)), 400],
];

describe('hostile bodies', () => {
  let target: Signup;
  beforeAll(async () => {
    target = await app.signUp();
  });
  const newest = async () => {
    const answer = await send('GET', `${PATH}?limit=1`, { headers: target.headers });
    expectHarmless(answer);
    expect(answer.status).toBe(200);
    return JSON.parse(answer.text);
  };

  test.each(hostile)('POST /api/translations: %s', async (_name, body, ...statuses) => {
    const before = await newest();
    const answer = await send('POST', PATH, {
      body,
      headers: { 'content-type': 'application/json', ...target.headers },
    });
    expectHarmless(answer);
    expect(statuses.length > 0 ? statuses : [200, 400, 413, 422]).toContain(answer.status);
    if (answer.status !== 200) {
      expectRefusal(answer, answer.status);
      expect(await newest()).toEqual(before);
      return;
    }
    // What was accepted can be read again, alike on every route.
    const job = JSON.parse(answer.text);
    expect(['published', 'awaiting_review']).toContain(job.status);
    const read = await send('GET', `${PATH}/${job.id}`, { headers: target.headers });
    expectHarmless(read);
    expect(JSON.parse(read.text)).toEqual(job);
    expect(await newest()).toEqual([job]);
  });

  test.each(hostile)('POST /trpc/translations.create: %s', async (_name, body) => {
    const wrapped = Buffer.concat([Buffer.from('{"json":'), Buffer.from(body), Buffer.from('}')]);
    const answer = await send('POST', '/trpc/translations.create', { body: wrapped, headers: jsonHeaders() });
    expectHarmless(answer);
    expect([200, 400, 413, 422]).toContain(answer.status);
  });

  test.each(hostile)('POST /trpc/translations.create, not wrapped: %s', async (_name, body) => {
    const answer = await send('POST', '/trpc/translations.create', { body, headers: jsonHeaders() });
    expectHarmless(answer);
    expect([400, 413, 422]).toContain(answer.status);
  });

  test('metadata named __proto__ forces nothing and gives nothing away', async () => {
    const answer = await post(withMetadata('{"__proto__":{"sensitive":true}}'));
    if (answer.status === 200) expect(JSON.parse(answer.text).status).toBe('published');
  });

  const strings = [
    '"a\\u0000b"',
    '"\\ud800"',
    '1e999',
    deepArrays,
    deepObjects,
    '{"__proto__":{"polluted":1}}',
    '""',
    'null',
    'true',
  ];
  const signup = (field: string, value: string) => {
    const fields: Record<string, string> = {
      tenant_name: '"Hostile"',
      email: '"hostile@example.org"',
      password: '"a long enough passphrase"',
      [field]: value,
    };
    return `{${Object.entries(fields)
      .map(([name, json]) => `"${name}":${json}`)
      .join(',')}}`;
  };

  test.each([
    'tenant_name',
    'email',
    'password',
    'monthly_char_limit',
    'metadata',
    'invite_token',
    '__proto__',
    'constructor',
  ])('POST /api/auth/signup/email and its procedure: odd values of %s', async (field) => {
    const values = [
      ...strings,
      '{"a\\u0000b":1}',
      '{"a":"\\u0000"}',
      '{"a":"\\ud800"}',
      '{"__proto__":{"pay_tier":"pro"}}',
      '99999999999999999999999999',
      '1e308',
      '2147483648',
      '-2147483649',
      `"${'x'.repeat(1_000_000)}"`,
    ];
    for (const value of values) {
      const body = signup(field, value);
      const rest = await send('POST', '/api/auth/signup/email', {
        body,
        headers: { 'content-type': 'application/json' },
      });
      expectHarmless(rest);
      expect([200, 400, 413, 422], `${field} ${value.slice(0, 50)}`).toContain(rest.status);
      const rpc = await send('POST', '/trpc/auth.signUpWithEmail', {
        body: `{"json":${body}}`,
        headers: { 'content-type': 'application/json' },
      });
      expectHarmless(rpc);
      expect([200, 400, 413, 422], `${field} ${value.slice(0, 50)}`).toContain(rpc.status);
    }
  });

  test('afterwards the service still answers', async () => {
    await expectAlive();
  });
});

describe('hostile superjson', () => {
  const meta: [string, string][] = [
    ['values with __proto__ paths', '{"values":{"__proto__.polluted":["undefined"]}}'],
    ['values with constructor paths', '{"values":{"constructor.prototype.polluted":["Date"]}}'],
    ['values with prototype paths', '{"values":{"prototype.polluted":["Date"]}}'],
    ['an unknown custom type', '{"values":{"source_text":[["custom","Nothing"]]}}'],
    ['an unknown class', '{"values":{"source_text":[["class","Object"]]}}'],
    ['an unknown symbol', '{"values":{"source_text":[["symbol","x"]]}}'],
    ['an unknown type', '{"values":{"source_text":["no-such-type"]}}'],
    ['text as a bigint', '{"values":{"source_text":["bigint"]}}'],
    ['text as a date', '{"values":{"source_text":["Date"]}}'],
    ['text as a regular expression', '{"values":{"source_text":["regexp"]}}'],
    ['text as a set', '{"values":{"source_text":["set"]}}'],
    ['text as a map', '{"values":{"source_text":["map"]}}'],
    ['text as a URL', '{"values":{"source_text":["URL"]}}'],
    ['text as an error', '{"values":{"source_text":["Error"]}}'],
    ['text as a typed array', '{"values":{"source_text":[["typed-array","Uint8Array"]]}}'],
    ['text undefined', '{"values":{"source_text":["undefined"]}}'],
    ['a path to nowhere', '{"values":{"nowhere.at.all":["Date"]}}'],
    ['a path into a string', '{"values":{"source_text.0.1":["Date"]}}'],
    ['the root as a set', '{"values":["set"]}'],
    ['the root as a map', '{"values":["map"]}'],
    ['equalities with __proto__', '{"referentialEqualities":{"metadata":["__proto__.polluted"]}}'],
    ['equalities in a circle', '{"referentialEqualities":{"metadata":["metadata.a","metadata.a.b"]}}'],
    ['equalities at the root', '{"referentialEqualities":[["source_text"]]}'],
    ['equalities to nowhere', '{"referentialEqualities":{"a.b.c":["d.e.f"]}}'],
    ['values of a wrong type', '{"values":"text"}'],
    ['values as numbers', '{"values":[1,2,3]}'],
    ['deep values', `{"values":${deepArrays}}`],
    ['deep paths', `{"values":{"${'a.'.repeat(20_000)}b":["Date"]}}`],
    ['meta as text', '"meta"'],
    ['meta as null', 'null'],
    ['meta as an array', '[]'],
    ['a version from the future', '{"v":99,"values":{}}'],
  ];

  test.each(meta)('meta: %s', async (_name, value) => {
    const body = `{"json":{"source_text":"Hi","target_lang":"fr","metadata":{"a":{}}},"meta":${value}}`;
    const answer = await send('POST', '/trpc/translations.create', { body, headers: jsonHeaders() });
    expectHarmless(answer);
    expect([200, 400, 422]).toContain(answer.status);
    if (answer.status === 200) {
      const job = JSON.parse(answer.text).result.data.json;
      const read = await send('GET', `${PATH}/${job.id}`, { headers: tenant.headers });
      expectHarmless(read);
      expect(read.status).toBe(200);
    }
  });

  test.each(meta.filter(([, value]) => value.length < 3000))('meta of a query: %s', async (_name, value) => {
    const json = value.replaceAll('source_text', 'job_id');
    const input = encodeURIComponent(`{"json":{"job_id":"${'0'.repeat(32)}"},"meta":${json}}`);
    const answer = await send('GET', `/trpc/translations.get?input=${input}`, { headers: tenant.headers });
    expectHarmless(answer);
    expect([400, 404, 422]).toContain(answer.status);
  });

  test.each([
    '',
    'null',
    '{}',
    '{"json":null}',
    '{"json":{}}',
    '{"json":[]}',
    '{"json":{"job_id":42}}',
    '{"json":{"job_id":"\\u0000"}}',
    '{"json":{"job_id":"\\ud800"}}',
    '{"json":{"__proto__":{"job_id":"x"}}}',
    'nonsense',
    '{',
    '[]',
    '"',
  ])('input of a query: %s', async (input) => {
    const answer = await send('GET', `/trpc/translations.get?input=${encodeURIComponent(input)}`, {
      headers: tenant.headers,
    });
    expectHarmless(answer);
    expect([400, 404, 422]).toContain(answer.status);
  });

  const id = encodeURIComponent(JSON.stringify({ json: { job_id: '0'.repeat(32) } }));

  const doors: [method: string, path: string][] = [
    ['GET', '/trpc/'],
    ['GET', '/trpc'],
    ['GET', '/trpc/__proto__'],
    ['GET', '/trpc/constructor'],
    ['GET', '/trpc/translations.__proto__'],
    ['GET', '/trpc/translations.constructor.prototype'],
    ['GET', '/trpc/translations'],
    ['GET', '/trpc/translations.get.call'],
    ['GET', '/trpc/_def.procedures'],
    ['GET', '/trpc/toString'],
    ['GET', '/trpc/%00'],
    ['GET', '/trpc/%'],
    ['GET', '/trpc/%E0%A4%A'],
    ['GET', '/trpc/..%2f..%2fhealthz'],
    ['GET', `/trpc/${'a'.repeat(5000)}`],
    ['GET', `/trpc/translations.get?input=%00`],
    ['GET', `/trpc/translations.get?input=%E0%A4%A`],
    ['GET', `/trpc/translations.get?input=%zz`],
    ['GET', `/trpc/translations.get?input=${id}&input=${id}`],
    ['GET', `/trpc/translations.get?batch=1&input=nonsense`],
    [
      'GET',
      `/trpc/translations.get?batch=1&input=${encodeURIComponent('{"0":null,"__proto__":{"polluted":1}}')}`,
    ],
    ['GET', `/trpc/${'translations.get,'.repeat(300)}translations.get?batch=1`],
    ['GET', '/trpc/,,,,?batch=1'],
    ['GET', '/trpc/translations.create'],
    ['POST', '/trpc/translations.get'],
    ['POST', '/trpc/system.health'],
    ['PUT', '/trpc/translations.create'],
    ['DELETE', '/trpc/translations.create'],
    ['PATCH', '/trpc/system.health'],
  ];

  test.each(doors.map(([method, path]) => [method, ...named(path)[0]!] as const))(
    '%s %s',
    async (method, _title, path) => {
      const answer = await send(method, path, {
        headers: jsonHeaders(),
        ...(method === 'POST' && { body: '{"json":null}' }),
      });
      expectHarmless(answer);
      expect(answer.status).toBeGreaterThanOrEqual(207);
    },
  );

  test.each([
    'text/plain',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'nonsense',
    'application/jsonl',
  ])('content type %s on a procedure', async (type) => {
    for (const body of [`{"json":${HELLO}}`, '', '--x\r\n\r\n--x--', '\0']) {
      const answer = await send('POST', '/trpc/translations.create', {
        body,
        headers: { ...tenant.headers, 'content-type': type },
      });
      expectHarmless(answer);
    }
  });

  test('a header that asks for a stream gets no more than the others', async () => {
    const answer = await send(
      'GET',
      `/trpc/translations.get,system.health?batch=1&input=${encodeURIComponent('{}')}`,
      {
        headers: { ...tenant.headers, 'trpc-accept': 'application/jsonl' },
      },
    );
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toMatch(/"stack"|(\n|\\n)\s+at |node_modules/);
  });

  test('system.health answers through the same door', async () => {
    const { status, body } = await app.json('GET', '/trpc/system.health');
    expect(status).toBe(200);
    expect(body.result.data.json.status).toBe('ok');
  });

  test('afterwards the service still answers', async () => {
    await expectAlive();
  });
});

describe('hostile paths, queries and headers', () => {
  const paths = [
    `${PATH}/%00`,
    `${PATH}/a%00b`,
    `${PATH}/%E0%A4%A`,
    `${PATH}/%`,
    `${PATH}/%zz`,
    `${PATH}/%ff`,
    `${PATH}/%ED%A0%80`,
    `${PATH}/..%2f..%2f`,
    `${PATH}/__proto__`,
    `${PATH}/constructor`,
    `${PATH}/${'x'.repeat(10_000)}`,
    '/api/%',
    '/%',
    '/%00',
    '//',
    '//evil.example/api',
    '/..;/..;/',
    '/api/translations;jsessionid=1',
    '/?',
    '/??',
    '/#',
    'http://evil.example/healthz/nothing',
    '*',
  ];

  test.each(named(...paths))('GET %s', async (_title, path) => {
    const answer = await send('GET', path, { headers: tenant.headers });
    expectHarmless(answer);
    expectRefusal(answer, 400, 404, 405, 414, 422, 431);
  });

  /** Has no jobs, so that a list is short. */
  let idle: Signup;
  beforeAll(async () => {
    idle = await app.signUp();
  });

  const queries = [
    '?limit=%00',
    '?limit[]=1',
    '?limit=1&limit=2',
    '?limit[__proto__][polluted]=1',
    '?__proto__[polluted]=yes',
    '?__proto__.polluted=yes',
    '?constructor[prototype][polluted]=yes',
    '?status=%00',
    '?status=%ff',
    '?status=%',
    '?status=published&status=failed',
    '?cursor=%00',
    '?cursor=%E0%A4%A',
    '?cursor=%ED%A0%80',
    '?cursor=1&cursor=2',
    `?cursor=${'A'.repeat(10_000)}`,
    `?${Array.from({ length: 2000 }, (_, i) => `a${i}`).join('&')}`,
    '?&&&&',
    '?=',
    '?%00=%00',
  ];

  test.each(named(...queries))('GET /api/translations%s', async (_title, query) => {
    const answer = await send('GET', `${PATH}${query}`, { headers: idle.headers });
    expectHarmless(answer);
    expect([200, 400, 422]).toContain(answer.status);
  });

  const odd: [name: string, value: string][] = [
    ['authorization', '\u00ff\u00fe'],
    ['authorization', 'Bearer \u00e9'],
    ['authorization', 'Bearer'],
    ['authorization', `Bearer ${'x'.repeat(10_000)}`],
    ['x-api-key', '\u00ff'],
    ['x-api-key', 'x'.repeat(10_000)],
    ['x-tenant-id', '\u00ff'],
    ['x-tenant-id', 'x'.repeat(10_000)],
    ['x-tenant-id', '__proto__'],
    ['cookie', 'll_session'],
    ['cookie', '=;=;;;ll_session=%E0%A4%A; __proto__=polluted'],
    ['cookie', `ll_session=${'x'.repeat(10_000)}`],
    ['origin', 'nonsense'],
    ['origin', '\u00ff'],
    ['sec-fetch-site', 'nonsense'],
    ['x-forwarded-for', 'nonsense, \u00ff, 999.999.999.999, ::::, '],
    ['x-forwarded-for', Array.from({ length: 500 }, () => '10.0.0.1').join(', ')],
    ['forwarded', 'for=";;'],
    ['accept', 'nonsense;;q=x'],
    ['accept-encoding', '\u00ff;q=99'],
    ['content-type', '\u00ff'],
    ['if-none-match', '*'],
    ['range', 'bytes=0-999999999999'],
    ['host', 'evil.example'],
    ['host', '[::'],
    ['x-http-method-override', 'DELETE'],
    ['traceparent', 'nonsense'],
  ];

  test.each(odd.map(([name, value]) => [name, ...named(value)[0]!] as const))(
    'header %s: %s',
    async (name, _title, value) => {
      for (const [method, path, body] of [
        ['GET', PATH, ''],
        ['POST', PATH, HELLO],
        ['GET', '/trpc/system.health', ''],
        ['POST', '/trpc/translations.create', `{"json":${HELLO}}`],
      ] as const) {
        const headers = { ...jsonHeaders(), [name]: value };
        expectHarmless(await send(method, path, { headers, ...(body && { body }) }));
      }
    },
  );

  test.each(named('\u00ff', '\u00e9\u00e9', ' inner blank ', '\t', 'a'.repeat(256), '{}', "';--"))(
    'Idempotency-Key %s',
    async (_title, value) => {
      const answer = await post(HELLO, { 'idempotency-key': value });
      expectHarmless(answer);
      expect([200, 400, 422]).toContain(answer.status);
    },
  );

  test('Idempotency-Key twice', async () => {
    const answer = await send('POST', PATH, {
      body: HELLO,
      headers: { ...jsonHeaders(), 'idempotency-key': ['one', 'two'] },
    });
    expectHarmless(answer);
  });

  test('afterwards the service still answers', async () => {
    await expectAlive();
  });
});

describe('hostile HTTP', () => {
  const get = (lines: string) => `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`;

  const malformed: [name: string, bytes: string | Buffer][] = [
    ['no HTTP at all', 'hello there\r\n\r\n'],
    ['a TLS greeting', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', `BREW ${PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`],
    ['a method in lower case', `get ${PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`],
    ['an unknown version', `GET ${PATH} HTTP/9.9\r\nHost: localhost\r\n\r\n`],
    ['a path with a blank', 'GET /api/trans lations HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a raw NUL in the path', 'GET /api/\0 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    [
      'raw high bytes in the path',
      Buffer.from('GET /api/\u00ff\u00fe HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 'latin1'),
    ],
    ['a raw NUL in a header', get('X-API-Key: a\0b\r\nConnection: close\r\n')],
    ['a bare line feed in a header', get('X-API-Key: a\nb\r\nConnection: close\r\n')],
    ['a header without a colon', get('nonsense\r\nConnection: close\r\n')],
    ['a header name with a blank', get('X API Key: a\r\nConnection: close\r\n')],
    ['a header of 100 KB', get(`X-API-Key: ${'x'.repeat(100_000)}\r\nConnection: close\r\n`)],
    ['a path of 100 KB', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    [
      '5000 headers',
      get(`${Array.from({ length: 5000 }, (_, i) => `X-${i}: 1\r\n`).join('')}Connection: close\r\n`),
    ],
    ['no Host', `GET ${PATH} HTTP/1.1\r\nConnection: close\r\n\r\n`],
    [
      'two lengths',
      `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    ],
    [
      'a length beside chunks',
      `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a bad chunk size',
      `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      'an unknown transfer encoding',
      `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: nonsense\r\n\r\n{}`,
    ],
    [
      'an unknown expectation',
      `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nExpect: nonsense\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    ],
    ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    [
      'an upgrade',
      get(
        'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n',
      ),
    ],
    [
      'an upgrade to HTTP/2',
      get('Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'),
    ],
  ];

  test.each(malformed)('%s: a 4xx or a closed connection, never a 5xx', async (_name, bytes) => {
    const answer = await raw(bytes, { end: true });
    if (answer) {
      expect(answer.text).not.toContain('no answer within');
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expectHarmless(answer);
    }
  });

  test('a declared length longer than the body: the half request does nothing', async () => {
    const { headers } = await app.signUp();
    const head = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-API-Key: ${headers['x-api-key']}\r\n`;
    const answer = await raw(`${head}Content-Length: ${HELLO.length + 100}\r\n\r\n${HELLO}`, { end: true });
    if (answer) {
      expectHarmless(answer);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    expect((await app.json('GET', PATH, { headers })).body).toEqual([]);
  });

  test('a declared length shorter than the body: what was cut does not parse', async () => {
    const head = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-API-Key: ${tenant.apiKey}\r\n`;
    const answer = await raw(`${head}Content-Length: 10\r\n\r\n${HELLO}`, { end: true });
    expectRefusal(answer!, 400);
  });

  test('50 connections that are dropped in the middle of a body leave the service well', async () => {
    const { hostname, port } = new URL(app.address);
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const socket = net.connect(Number(port), hostname);
        socket.on('close', () => resolve());
        socket.on('error', () => {});
        socket.write(
          `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"source`,
          () => socket.resetAndDestroy(),
        );
        await promise;
      }),
    );
    await expectAlive();
  });

  test('afterwards the service still answers', async () => {
    await expectAlive();
  });
});

describe('TRANSLATION_ENABLED=false', () => {
  const off = useTestApp({ env: { ...env, TRANSLATION_ENABLED: 'false' } });
  let signup: Signup;
  beforeAll(async () => {
    signup = await off.signUp();
  });

  test('B 4.1 gate 1: 503 translation is temporarily disabled, before any other gate', async () => {
    const { headers } = signup;
    const bodies = [
      HELLO,
      '{',
      '[]',
      '{}',
      '{"source_text":" ","target_lang":"fr"}',
      '{"source_text":"Hi","target_lang":"xx"}',
    ];
    for (const credentials of [headers, {}, { 'x-api-key': 'wrong' }]) {
      for (const body of bodies) {
        const answer = await off.json('POST', PATH, { headers: credentials, body });
        expect(answer.status).toBe(503);
        expect(answer.body.detail).toBe('translation is temporarily disabled');
        expect(answer.headers.get('x-request-id')).toMatch(REQUEST_ID);
      }
    }
    expect((await off.json('GET', PATH, { headers })).body).toEqual([]);
  });

  test('the tRPC door is shut as well', async () => {
    for (const headers of [signup.headers, {}]) {
      const { status, body } = await off.json('POST', '/trpc/translations.create', {
        headers,
        body: `{"json":${HELLO}}`,
      });
      expect(status).toBe(503);
      expect(JSON.stringify(body)).toContain('translation is temporarily disabled');
      expect(JSON.stringify(body)).not.toMatch(/"stack"|\\n\s+at /);
    }
  });

  test('everything else goes on', async () => {
    expect((await off.json('GET', '/healthz')).body.status).toBe('ok');
    expect((await off.json('GET', PATH, { headers: signup.headers })).status).toBe(200);
    expect((await off.json('GET', `${PATH}/${'0'.repeat(32)}`, { headers: signup.headers })).status).toBe(
      404,
    );
  });
});
