import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { env, expectHarmless, HELLO, named, PATH, REQUEST_ID, VERSION, wireTo } from './wire.ts';

const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const { send } = wireTo(app, () => tenant);

test('GET /healthz needs no credential, is not versioned, and names its engines', async () => {
  const headers = { 'x-api-version': 'nonsense', 'x-api-key': 'wrong' };
  const answer = await app.json('GET', '/healthz?api-version=nonsense', { headers });
  expect([answer.status, answer.headers.has('x-api-version')]).toEqual([200, false]);
  expect(answer.body).toMatchObject({
    status: 'ok',
    stub_mode: { translator: true, refiner: true },
    live_services: false,
  });
});

describe('X-Request-ID (A 1 rule 8)', () => {
  test.each<[string, string, string, string?]>([
    ['a 200', 'GET', '/healthz'],
    ['a 404 outside /api', 'GET', '/nothing-here.php'],
    ['a 405', 'PUT', PATH],
    ['a 400', 'POST', PATH, '{'],
    ['a 413', 'POST', PATH, JSON.stringify({ source_text: 'x'.repeat(50_001), target_lang: 'fr' })],
    ['an unknown version', 'GET', `${PATH}?api-version=nonsense`],
    ['an unknown procedure', 'GET', '/trpc/no.such'],
    ['a path that cannot be decoded', 'GET', '/api/%E0%A4%A'],
  ])('is the one that was sent, or a new one, on %s', async (_name, method, path, body) => {
    const ids: (string | null)[] = [];
    for (const id of [{ 'x-request-id': 'Given-1:2.3_4' }, {}, {}]) {
      const headers = { ...tenant.headers, 'content-type': 'application/json', ...id };
      const answer = await send(method, path, { headers, ...(body && { body }) });
      ids.push(answer.headers.get('x-request-id'));
    }
    expect(ids).toEqual([
      'Given-1:2.3_4',
      expect.stringMatching(REQUEST_ID),
      expect.stringMatching(REQUEST_ID),
    ]);
    expect(new Set(ids).size).toBe(3);
  });

  test.each(named('A'.repeat(128), 'abcXYZ019._:-'))('%s is echoed', async (_title, id) => {
    const { headers } = await send('GET', '/healthz', { headers: { 'x-request-id': id } });
    expect(headers.get('x-request-id')).toBe(id);
  });

  test.each(named('A'.repeat(129), 'two words', '<b>', 'caf\u00e9', ''))(
    '%s is replaced',
    async (_title, id) => {
      const { status, headers } = await send('GET', '/healthz', { headers: { 'x-request-id': id } });
      expect([status, headers.get('x-request-id')]).toEqual([200, expect.stringMatching(REQUEST_ID)]);
      expect(headers.get('x-request-id')).not.toBe(id);
    },
  );
});

describe('versions (A 9)', () => {
  const get = (query: string, headers: Record<string, string> = {}) =>
    app.json('GET', `${PATH}${query}`, { headers: { ...tenant.headers, ...headers } });

  test('without one, the oldest is served and echoed; nothing is deprecated', async () => {
    const { status, headers } = await get('');
    expect([status, headers.get('x-api-version')]).toEqual([200, VERSION]);
    expect([headers.has('deprecation'), headers.has('sunset')]).toEqual([false, false]);
  });

  test('if the query parameter and the header are both sent, the parameter wins', async () => {
    expect((await get(`?api-version=${VERSION}`, { 'x-api-version': '2030-01-01' })).status).toBe(200);
    const { status, body } = await get('?api-version=2030-01-01', { 'x-api-version': VERSION });
    expect([status, body.detail]).toEqual([400, expect.stringContaining("'2030-01-01'")]);
  });

  test.each(['2030-01-01', '2026-08-31', '2026-09-02'])(
    'the unreleased date %s is 400, and lists the supported versions',
    async (date) => {
      const detail = `unknown api-version: '${date}' is not a released version. Supported: ${VERSION}`;
      for (const answer of [await get(`?api-version=${date}`), await get('', { 'x-api-version': date })])
        expect([answer.status, answer.body.detail]).toEqual([400, detail]);
    },
  );

  test.each(['latest', '2026-9-1', '2026-09-01x', '%00', '١٢٣٤-٠١-٠١', ''])(
    'the malformed value "%s" is 400, and lists the supported versions',
    async (value) => {
      const { status, body } = await get(`?api-version=${value}`);
      expect([status, body.detail]).toEqual([400, expect.stringMatching(/^unsupported api-version:/)]);
      expect(body.detail).toContain(VERSION);
    },
  );

  test('the parameter given twice is harmless', async () => {
    const { headers } = tenant;
    const answer = await send('GET', `${PATH}?api-version=${VERSION}&api-version=nonsense`, { headers });
    expectHarmless(answer);
    expect([200, 400]).toContain(answer.status);
  });

  test('refusals echo the served version too', async () => {
    const { headers } = tenant;
    const answers = [
      await app.json('GET', PATH),
      await app.json('GET', `${PATH}/${'0'.repeat(32)}`, { headers }),
      await app.json('POST', PATH, { headers, body: '{' }),
      await app.json('POST', PATH, { headers, body: '{}' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 400, 422]);
    for (const answer of answers) expect(answer.headers.get('x-api-version')).toBe(VERSION);
  });

  test('a refused version does no work', async () => {
    const { headers } = await app.signUp();
    expect((await app.json('POST', `${PATH}?api-version=2030-01-01`, { headers, body: HELLO })).status).toBe(
      400,
    );
    expect((await app.json('GET', PATH, { headers })).body).toEqual([]);
  });
});
