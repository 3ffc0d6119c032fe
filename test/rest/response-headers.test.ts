import { describe, expect, test } from 'vitest';
import { restProcedures } from '#rest/procedures.ts';
import { appRouter } from '#server/router.ts';
import { procedures } from '#test/contract/procedures.ts';
import { found, founding } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const secure = useTestApp({ env: { BASE_URL: 'https://lingua.example.org' } });
const belowPath = useTestApp({ env: { BASE_URL: 'https://lingua.example.org/loop' } });

const kept = (headers: Headers) => ({
  cache: headers.get('cache-control'),
  sniffing: headers.get('x-content-type-options'),
  referrer: headers.get('referrer-policy'),
  https: headers.get('strict-transport-security'),
});
const isPrivate = { cache: 'no-store', sniffing: 'nosniff', referrer: 'no-referrer', https: null };

const routes = restProcedures(appRouter).map(({ route }) => `${route.method} ${route.path}`);

describe('a response that may be private', () => {
  test('no cache keeps it: every REST route, also when it rejects the request', async () => {
    for (const route of new Set(routes)) {
      const [method = '', path = ''] = route.split(' ');
      const { headers } = await app.request(path.replaceAll(/\{\w+\}/g, 'f'.repeat(32)), { method });
      expect(kept(headers), route).toEqual(isPrivate);
    }
  });

  test('nor one over /trpc', async () => {
    for (const { path, type } of procedures) {
      const { headers } = await app.request(`/trpc/${path}`, { method: type === 'query' ? 'GET' : 'POST' });
      expect(kept(headers), path).toEqual(isPrivate);
    }
  });

  test('nor a job, a list, a download or a preview that is sent', async () => {
    const { headers: key } = await app.signUp();
    const { body: job } = await app.json('POST', '/api/translations', {
      body: { source_text: 'Hello', target_lang: 'fr' },
      headers: key,
    });
    for (const path of ['', `/${job.id}`, `/${job.id}/golden`]) {
      const { status, headers } = await app.request(`/api/translations${path}`, { headers: key });
      expect([status, kept(headers)], path).toEqual([200, isPrivate]);
    }
  });
});

describe('a response that is the same for everyone', () => {
  test('may be kept, and still has the other headers', async () => {
    for (const path of ['/', '/docs', '/docs/guides/', '/openapi.json']) {
      const { headers } = await app.request(path);
      expect(kept(headers), path).toEqual({ ...isPrivate, cache: 'no-cache' });
    }
    const { headers } = await app.request('/docs/swagger-ui.css');
    expect(kept(headers)).toEqual({ ...isPrivate, cache: 'public, max-age=3600' });
  });
});

describe('over https', () => {
  const year = 'max-age=31536000; includeSubDomains';

  test('every response tells browsers to stay with https', async () => {
    for (const path of ['/', '/docs', '/healthz', '/api/translations', '/trpc/auth.me', '/api/nothing'])
      expect((await secure.request(path)).headers.get('strict-transport-security'), path).toBe(year);
  });

  test('a cookie whose name is not specified is bound to this origin by its name', async () => {
    const cookiesOf = async (at: typeof app) => {
      const { headers } = await at.json('POST', '/signin/signup', { body: founding() });
      return headers.getSetCookie().map((line) => line.replace(/=[^;]*/, ''));
    };
    expect(await cookiesOf(secure)).toEqual([
      'll_session; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure',
      '__Host-ll_device; Path=/; Max-Age=15552000; HttpOnly; SameSite=Lax; Secure',
      '__Host-ll_refresh; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure',
    ]);
    // Below a path, the cookie keeps this path: other applications of a shared host must not receive the token.
    expect(await cookiesOf(belowPath)).toContain(
      '__Secure-ll_refresh; Path=/loop/signin; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure',
    );
    expect(await cookiesOf(app)).toContain(
      'll_refresh; Path=/signin; Max-Age=2592000; HttpOnly; SameSite=Strict',
    );
  });

  test('a refresh token in a cookie that another subdomain could set is not read', async () => {
    const person = await found(secure);
    const { headers } = await secure.json('POST', '/signin/token', {
      body: { grant_type: 'password', username: person.email, password: person.password },
    });
    const line = headers.getSetCookie().find((one) => one.startsWith('__Host-ll_refresh=')) ?? '';
    const token = /=([^;]*)/.exec(line)?.[1];
    const refresh = async (cookie: string) =>
      (await secure.json('POST', '/signin/refresh', { body: {}, headers: { cookie } })).status;
    expect(await refresh(`ll_refresh=${token}`)).toBe(401);
    expect(await refresh(`__Host-ll_refresh=${token}`)).toBe(200);
  });
});
