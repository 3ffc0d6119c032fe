import net from 'node:net';
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
    'http://evil.example/healthz/nothing',
  ];

  test.each(named(...paths))('GET %s', async (_title, path) => {
    const answer = await send('GET', path, { headers: tenant.headers });
    expectHarmless(answer);
    expectRefusal(answer, 400, 404, 405, 414, 422, 431);
  });

  test.each(named('/?', '/??', '/#', '*'))('GET %s is the page of /', async (_title, path) => {
    const answer = await send('GET', path, { headers: tenant.headers });
    expectHarmless(answer);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
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

  test('afterwards the service still responds', async () => {
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

  test('a declared length longer than the body: the partial request does nothing', async () => {
    const { headers } = await app.signUp();
    const head = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-API-Key: ${headers['x-api-key']}\r\n`;
    const answer = await raw(`${head}Content-Length: ${HELLO.length + 100}\r\n\r\n${HELLO}`, { end: true });
    if (answer) {
      expectHarmless(answer);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    expect((await app.json('GET', PATH, { headers })).body).toEqual([]);
  });

  test('a declared length shorter than the body: the truncated body does not parse', async () => {
    const head = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-API-Key: ${tenant.apiKey}\r\n`;
    const answer = await raw(`${head}Content-Length: 10\r\n\r\n${HELLO}`, { end: true });
    expectRefusal(answer!, 400);
  });

  test('50 connections dropped in the middle of a body do not harm the service', async () => {
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

  test('afterwards the service still responds', async () => {
    await expectAlive();
  });
});
