import { beforeAll, describe, expect, test } from 'vitest';
import { stubEngine } from '#server/platform/engines/stub.ts';
import { type Signup, type TestAppOptions, useTestApp } from '#test/setup/app.ts';
import { env, expectHarmless, expectRefusal, HELLO, PATH, REQUEST_ID, wireTo } from './wire.ts';

const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const { send, post, jsonHeaders } = wireTo(app, () => tenant);

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

  test('rule 3: over tRPC the cause stays hidden as well', async () => {
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

  test('7.3: an error_code maps to its status and carries the request id', async () => {
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

  test('a 405 comes before the body is read', async () => {
    expectRefusal(await send('PUT', PATH, { headers: jsonHeaders(), body: '{' }), 405);
  });

  test.each(['PROPFIND', 'TRACE', 'LOCK', 'PURGE', 'SEARCH', 'REPORT'])(
    '%s is not a supported method',
    async (method) => {
      for (const path of [PATH, '/healthz']) {
        const answer = await send(method, path, { headers: tenant.headers });
        expectRefusal(answer, 400, 405);
      }
      expectHarmless(await send(method, '/trpc/system.health', { headers: tenant.headers }));
    },
  );
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

  test('it holds over tRPC as well', async () => {
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

  test('everything else keeps working', async () => {
    expect((await off.json('GET', '/healthz')).body.status).toBe('ok');
    expect((await off.json('GET', PATH, { headers: signup.headers })).status).toBe(200);
    expect((await off.json('GET', `${PATH}/${'0'.repeat(32)}`, { headers: signup.headers })).status).toBe(
      404,
    );
  });
});
