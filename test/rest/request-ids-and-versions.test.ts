import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { env, expectHarmless, HELLO, named, PATH, REQUEST_ID, VERSION, wireTo } from './wire.ts';

const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const { send } = wireTo(app, () => tenant);

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
    'rule 3: the unreleased date %s returns 400 and lists the supported versions',
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
  ])('rule 3: the malformed value %s returns 400 and lists the supported versions', async (value) => {
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

  test('a date that no calendar has is refused by one rule or the other', async () => {
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
