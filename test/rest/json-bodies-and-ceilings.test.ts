import { once } from 'node:events';
import http from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { env, expectHarmless, expectRefusal, HELLO, PATH, wireTo } from './wire.ts';

const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const { send, raw, post, jsonHeaders, expectAlive } = wireTo(app, () => tenant);

describe('JSON bodies', () => {
  test.each([
    ['an open brace', '{'],
    ['a raw NUL', '{"source_text":"a\0b","target_lang":"fr"}'],
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

  test.each(['[]', '"text"', 'null'])('%s is not an object: 400 with a string detail', async (body) => {
    expect(expectRefusal(await post(body), 400)).toEqual(expect.any(String));
    expectRefusal(await send('POST', '/api/auth/signup/email', { headers: jsonHeaders(), body }), 400, 422);
  });

  test('an invalid body is 422, every fault with loc, msg and type', async () => {
    const detail = expectRefusal(
      await post('{"source_text":1,"target_lang":2,"metadata":3,"text_type":"x","allow_fallback":"y"}'),
      422,
    );
    const named = detail.map(({ loc }: { loc: unknown[] }) => loc.at(-1)).toSorted();
    expect(named).toEqual(['allow_fallback', 'metadata', 'source_text', 'target_lang', 'text_type']);
  });

  test.each([
    'application/json; charset=utf-8',
    'application/vnd.example+json',
    'application/x-www-form-urlencoded',
  ])('content type %s is parsed as JSON', async (type) => {
    expect((await post(HELLO, { 'content-type': type })).status).toBe(200);
    expect(expectRefusal(await post('{', { 'content-type': type }), 400)).toMatch(/^invalid JSON body: /);
  });

  test('so is a body without a content type', async () => {
    const { status } = await send('POST', PATH, { headers: tenant.headers, body: HELLO });
    expect(status).toBe(200);
  });

  test.each([
    ['content-type', ';;;'],
    ['content-type', 'application/json; charset=utf-16'],
    ['content-encoding', 'gzip'],
  ])('a body with %s: %s is harmless', async (name, value) => {
    expectHarmless(await post(HELLO, { [name]: value }));
  });
});

describe('body ceilings (A 8)', () => {
  /** The response to a request that declares `length` bytes and sends none of them. */
  async function declare(path: string, length: number, headers: Record<string, string> = tenant.headers) {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
    return (await raw(`${head}Content-Length: ${length}\r\n${lines.join('')}\r\n`))!;
  }

  test('10,000,000 declared bytes are read; one more is 413 before the body, with or without a credential', async () => {
    expect((await post(HELLO.padEnd(10_000_000, ' '))).status).toBe(200);
    for (const headers of [tenant.headers, {}]) {
      const detail = expectRefusal(await declare(PATH, 10_000_001, headers), 413);
      expect(detail).toContain('request body exceeds MAX_REQUEST_BYTES');
    }
  });

  test.each(['/api/auth/signup/email', '/trpc/translations.create'])(
    'on %s, 30,000,001 declared bytes are 413',
    async (path) => {
      const answer = await declare(path, 30_000_001);
      expectHarmless(answer);
      expect(answer.status).toBe(413);
    },
  );

  /** Streams a JSON body of `total` bytes without a declared length, which ends only on request. */
  async function stream(path: string, total: number, end = false): Promise<number> {
    const request = http.request(`${app.address}${path}`, {
      method: 'POST',
      agent: false,
      headers: { ...jsonHeaders(), 'transfer-encoding': 'chunked' },
    });
    const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
    request.write(path.startsWith('/trpc') ? `{"json":${HELLO}` : HELLO.slice(0, -1));
    const blanks = Buffer.alloc(1_000_000, ' ');
    const flush = () => new Promise((resolve) => request.write(blanks, resolve));
    for (let left = total; left > 0 && !request.destroyed; left -= blanks.length) await flush();
    if (end) request.end('}');
    const [response] = await answered.finally(() => end || request.destroy());
    return response.statusCode ?? 0;
  }

  test.each([PATH, '/trpc/translations.create'])(
    'on %s, a streamed body of more than 30,000,000 bytes is 413 though it does not end',
    async (path) => {
      // The connection may be closed before its sender has read the 413.
      const status = await poll(() => stream(path, 31_000_000).catch(() => undefined));
      expect(status).toBe(413);
      await expectAlive();
    },
  );

  test('a streamed body within the ceilings is read', async () => {
    expect(await stream(PATH, 5_000_000, true)).toBe(200);
  });

  test('MAX_REQUEST_BYTES moves the declared ceiling', async () => {
    const { headers } = await tight.signUp();
    expect((await tight.json('POST', PATH, { headers, body: HELLO.padEnd(1000) })).status).toBe(200);
    const large = await tight.json('POST', PATH, { headers, body: HELLO.padEnd(1001) });
    expect([large.status, large.body.detail]).toEqual([
      413,
      expect.stringContaining('request body exceeds MAX_REQUEST_BYTES'),
    ]);
  });
  const tight = useTestApp({ env: { ...env, MAX_REQUEST_BYTES: '1000' } });
});
