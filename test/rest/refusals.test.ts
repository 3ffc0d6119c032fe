import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { env, expectHarmless, expectRefusal, HELLO, PATH, REQUEST_ID, wireTo } from './wire.ts';

const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const { send, jsonHeaders } = wireTo(app, () => tenant);

describe('routes and methods (C 7)', () => {
  test.each([
    ['GET', '/api/nothing-here'],
    ['GET', '/api/translations/a/b/c'],
    ['GET', '/.env'],
    ['GET', '/static/..%2f..%2fpackage.json'],
  ])('%s %s is unknown: 404 with a detail', async (method, path) => {
    const detail = expectRefusal(await send(method, path), 404);
    expect(detail).toEqual(expect.any(String));
  });

  test.each([
    ['PUT', PATH],
    ['PUT', `${PATH}/${'0'.repeat(32)}`],
    ['GET', '/api/auth/signup/email'],
    ['POST', '/healthz'],
  ])('%s %s is not an allowed method: 405 with a detail', async (method, path) => {
    for (const headers of [{}, tenant.headers]) {
      const detail = expectRefusal(await send(method, path, { headers }), 405);
      expect(detail).toEqual(expect.any(String));
    }
  });

  test('a 405 comes before the body is read', async () => {
    expectRefusal(await send('PUT', PATH, { headers: jsonHeaders(), body: '{' }), 405);
  });

  test.each(['PROPFIND', 'TRACE'])('%s is not a supported method', async (method) => {
    for (const path of [PATH, '/healthz']) {
      const answer = await send(method, path, { headers: tenant.headers });
      expectRefusal(answer, 400, 405);
    }
    expectHarmless(await send(method, '/trpc/system.health', { headers: tenant.headers }));
  });
});

describe('TRANSLATION_ENABLED=false', () => {
  const off = useTestApp({ env: { ...env, TRANSLATION_ENABLED: 'false' } });
  let signup: Signup;
  beforeAll(async () => {
    signup = await off.signUp();
  });

  test('503 translation is temporarily disabled, before any other gate', async () => {
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
});
