import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { env, expectHarmless, expectRefusal, HELLO, named, PATH, wireTo } from './wire.ts';

const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const { send, raw, post, jsonHeaders, expectAlive } = wireTo(app, () => tenant);

describe('hostile paths, queries and headers', () => {
  const paths = [
    `${PATH}/a%00b`,
    `${PATH}/%E0%A4%A`,
    `${PATH}/%ED%A0%80`,
    `${PATH}/..%2f..%2f`,
    `${PATH}/__proto__`,
    `${PATH}/${'x'.repeat(10_000)}`,
    '//evil.example/api',
  ];
  test.each(named(...paths))('GET %s is refused', async (_title, path) => {
    expectRefusal(await send('GET', path, { headers: tenant.headers }), 400, 404, 414, 422);
  });

  const queries = [
    '?limit=%00',
    '?limit[__proto__][polluted]=1',
    '?__proto__[polluted]=yes',
    '?status=%ff',
    '?cursor=%ED%A0%80',
    '?cursor=1&cursor=2',
    `?cursor=${'A'.repeat(10_000)}`,
    `?${Array.from({ length: 2000 }, (_, i) => `a${i}`).join('&')}`,
    '?&&=&%00=%00',
  ];
  test.each(named(...queries))('GET /api/translations%s is harmless', async (_title, query) => {
    const answer = await send('GET', `${PATH}${query}`, { headers: tenant.headers });
    expectHarmless(answer);
    expect([200, 400, 422]).toContain(answer.status);
  });

  const odd: [name: string, value: string][] = [
    ['authorization', 'Bearer \u00e9'],
    ['x-api-key', '\u00ff'],
    ['x-tenant-id', '__proto__'],
    ['cookie', '=;=;;;ll_session=%E0%A4%A; __proto__=polluted'],
    ['origin', '\u00ff'],
    ['x-forwarded-for', 'nonsense, \u00ff, 999.999.999.999, ::::, '],
    ['accept', 'nonsense;;q=x'],
    ['content-type', '\u00ff'],
    ['host', '[::'],
    ['idempotency-key', '\u00e9\u00e9'],
    ['traceparent', 'nonsense'],
  ];
  test.each(odd)('the header %s: %s is harmless', async (name, value) => {
    const headers = { ...jsonHeaders(), [name]: value };
    expectHarmless(await send('GET', PATH, { headers }));
    expectHarmless(await send('POST', PATH, { headers, body: HELLO }));
    expectHarmless(await send('POST', '/trpc/translations.create', { headers, body: `{"json":${HELLO}}` }));
  });

  test('an Idempotency-Key of 256 characters or with only a tab is harmless', async () => {
    for (const value of ['a'.repeat(256), '\t']) {
      const answer = await post(HELLO, { 'idempotency-key': value });
      expectHarmless(answer);
      expect([200, 400, 422]).toContain(answer.status);
    }
  });
});

describe('hostile HTTP', () => {
  const start = `${PATH} HTTP/1.1\r\nHost: localhost\r\n`;
  const malformed: [name: string, bytes: string][] = [
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', `BREW ${start}Connection: close\r\n\r\n`],
    ['a raw NUL in the path', 'GET /api/\0 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a header of 100 KB', `GET ${start}X-API-Key: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['a length with chunks', `POST ${start}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['an unknown expectation', `POST ${start}Expect: nonsense\r\nContent-Length: 2\r\n\r\n{}`],
    ['an upgrade', `GET ${start}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`],
  ];
  test.each(malformed)('%s gets a 4xx or a closed connection', async (_name, bytes) => {
    const answer = await raw(bytes);
    if (!answer) return;
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expectHarmless(answer);
  });

  test('a second Host header is refused: a proxy may have used the other one', async () => {
    const twice =
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nhost: other.example\r\nConnection: close\r\n\r\n';
    expect(expectRefusal((await raw(twice))!, 400)).toBe('the Host header must not be sent twice');
  });

  test('a body that is shorter than its declared length does nothing; a longer one is cut and does not parse', async () => {
    const { headers, apiKey } = await app.signUp();
    const head = `POST ${start}Content-Type: application/json\r\nX-API-Key: ${apiKey}\r\n`;
    const cut = (await raw(`${head}Content-Length: ${HELLO.length + 100}\r\n\r\n${HELLO}`))!;
    expect(expectRefusal(cut, 400)).toBe('incomplete request; send it again');
    expect((await app.json('GET', PATH, { headers })).body).toEqual([]);
    expectRefusal((await raw(`${head}Content-Length: 10\r\n\r\n${HELLO}`))!, 400);
  });

  test('afterwards the service still responds', async () => {
    await expectAlive();
  });
});
