import { beforeAll, describe, expect, test } from 'vitest';
import { readSettings } from '#server/settings.ts';
import { type Signup, type TestApp, useTestApp } from '#test/setup/app.ts';

const ours = 'https://app.example.org';
const [jobs, health] = ['/api/translations', '/healthz'];
const app = useTestApp({
  env: { CORS_ORIGINS: `${ours}, http://localhost:3000`, MAX_REQUEST_BYTES: '200000' },
});
const closed = useTestApp();

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const preflight = (to: TestApp, path: string, origin: string, headers: Record<string, string> = {}) =>
  to.request(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', ...headers },
  });

/** The names of all CORS headers in a response. */
const corsHeaders = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

describe('a preflight', () => {
  test.each([jobs, '/trpc/translations.create', health])(
    'to %s needs no credential, and lets the page send its headers',
    async (path) => {
      const asked = 'authorization,content-type,idempotency-key,x-api-key,traceparent';
      const response = await preflight(app, path, ours, { 'access-control-request-headers': asked });
      expect(response.status).toBe(204);
      expect(await response.text()).toBe('');
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': ours,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': asked,
        'access-control-max-age': '7200',
        vary: 'Origin, Access-Control-Request-Headers',
        'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/),
      });
      expect(response.headers.has('access-control-allow-credentials')).toBe(false);
    },
  );

  test('of any other origin is refused like every OPTIONS, in the same words for all', async () => {
    const others = [
      'https://evil.example',
      'https://app.example.org.evil.example',
      'http://app.example.org',
      `${ours}/`,
      `${ours}, http://localhost:3000`,
      'null',
    ];
    for (const origin of others) {
      const response = await preflight(app, jobs, origin);
      expect([origin, response.status, corsHeaders(response)]).toEqual([origin, 405, []]);
      expect(response.headers.get('vary')).toBe('Origin');
    }
  });

  test('that asks for what is no list of header names allows no header', async () => {
    const response = await preflight(app, jobs, ours, { 'access-control-request-headers': 'x-a; y, "z"' });
    expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([204, null]);
  });
});

describe('a response to an allowed origin', () => {
  const from = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    app.request(path, { ...init, headers: { origin: ours, ...headers } });

  test('names that origin, and the headers that its page may read', async () => {
    const response = await from(jobs, tenant.headers);
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(ours);
    expect(response.headers.get('vary')).toMatch(/^Origin, Accept(?:, Accept-Encoding)?$/);
    expect(response.headers.get('access-control-expose-headers')?.split(', ')).toEqual([
      'X-Request-ID',
      'X-Next-Cursor',
      'X-Ignored-Parameters',
      'WWW-Authenticate',
      'Idempotency-Replayed',
      'Idempotency-Request-Differs',
      'Idempotency-Key-Ignored',
      'Location',
      'Preference-Applied',
      'Retry-After',
      'Content-Disposition',
      'X-Suggested-Filename',
      'Content-Encoding',
      'X-Api-Version',
    ]);
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  });

  const json = { 'content-type': 'application/json' };
  test.each<[number, string, RequestInit]>([
    [401, jobs, {}],
    [404, '/api/nothing', {}],
    [400, '/api/%E0%A4%A', {}],
    [413, jobs, { method: 'POST', headers: json, body: 'x'.repeat(200_001) }],
    [404, '/trpc/no.such', {}],
  ])('can be read even if it is a %i of %s', async (status, path, init) => {
    const response = await from(path, { ...(init.headers as typeof json) }, init);
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([status, ours]);
  });

  test('a file that is streamed can be read, with its name', async () => {
    const job = await app.json('POST', jobs, {
      headers: tenant.headers,
      body: { source_text: 'Hello', target_lang: 'fr' },
    });
    const file = await from(`${jobs}/${job.body.id}/golden`, tenant.headers);
    expect([file.status, file.headers.get('access-control-allow-origin')]).toEqual([200, ours]);
    expect(file.headers.get('access-control-expose-headers')).toContain('Content-Disposition');
  });

  test('a cookie still counts for nothing in a change, and no sign-in sets one', async () => {
    const cookie = { cookie: `ll_session=${tenant.accessToken}` };
    const changed = await from(
      '/api/tenants/security',
      { ...cookie, ...json },
      { method: 'PATCH', body: '{}' },
    );
    expect(changed.status).toBe(403);
    const form = new URLSearchParams({ grant_type: 'password', username: 'a@example.org', password: 'x' });
    const signedIn = await from('/api/oauth2/token', {}, { method: 'POST', body: form });
    expect([signedIn.status, signedIn.headers.get('set-cookie')]).toEqual([403, null]);
  });
});

describe('a response to nobody in particular', () => {
  test('varies by origin, so that a cache hands it to no page', async () => {
    const response = await app.request(health);
    expect([response.headers.get('vary'), corsHeaders(response)]).toEqual(['Origin', []]);
  });

  test.each(['/', '/docs', '/signin', '/app', '/apifoo', '/healthzz'])(
    '%s is for its own origin alone',
    async (path) => {
      const response = await app.request(path, { headers: { origin: ours } });
      expect(corsHeaders(response)).toEqual([]);
      expect((await preflight(app, path, ours)).status).not.toBe(204);
    },
  );

  test('without CORS_ORIGINS nothing is added', async () => {
    for (const path of [jobs, health]) {
      expect((await preflight(closed, path, ours)).status).toBe(405);
      const response = await closed.request(path, { headers: { origin: closed.address } });
      expect(corsHeaders(response)).toEqual([]);
      expect(response.headers.get('vary') ?? '').not.toContain('Origin');
    }
  });
});

describe('CORS_ORIGINS', () => {
  const read = (value: string) => readSettings({ CORS_ORIGINS: value }).CORS_ORIGINS;

  test('is a list of exact origins', () => {
    expect(read(' https://a.example ,http://127.0.0.1:5173,http://[::1]:8080,')).toEqual([
      'https://a.example',
      'http://127.0.0.1:5173',
      'http://[::1]:8080',
    ]);
  });

  test.each([
    ['*', 'wildcards are not supported'],
    ['null', 'null is not a safe origin, because a page of any site can send it'],
    ['app.example.org', 'it must start with https:// or http://'],
    ['https://app.example.org/', 'browsers send https://app.example.org, without'],
    ['https://App.example.org', 'browsers send https://app.example.org, without'],
    ['https://app.example.org:443', 'browsers send https://app.example.org, without'],
  ])('%s stops the start and says why', (value, why) => {
    expect(() => read(`https://a.example,${value}`)).toThrow(/^CORS_ORIGINS: must be exact origins like /);
    expect(() => read(`https://a.example,${value}`)).toThrow(why);
    expect(() => read(`https://a.example,${value}`)).toThrow(JSON.stringify(value));
  });
});
