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

const { send, post, jsonHeaders, expectAlive } = wireTo(app, () => tenant);

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
  /** Streams a JSON body of `total` bytes without a content length. The body is only ended if `end` is true. */
  async function stream(total: number, end = false): Promise<number> {
    const request = http.request(`${app.address}${PATH}`, {
      method: 'POST',
      agent: false,
      headers: { ...jsonHeaders(), 'transfer-encoding': 'chunked' },
    });
    request.on('error', () => {});
    const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
    const flush = (bytes: string | Buffer) => new Promise((resolve) => request.write(bytes, resolve));
    const start = HELLO.slice(0, -1);
    await flush(start);
    const blanks = Buffer.alloc(1_000_000, ' ');
    for (let left = total - start.length - 1; left > 0; left -= blanks.length)
      await flush(blanks.subarray(0, left));
    // The last byte is sent separately, so that no other bytes are still being sent when the response arrives.
    if (!end) void flush(' ');
    if (end) request.end('}');
    const [response] = await answered.finally(() => end || request.destroy());
    return response.statusCode ?? 0;
  }

  test('a streamed body of 30,000,001 bytes is 413 though it does not end', async () => {
    // The server may close the connection before the sender has read the 413, so this is repeated.
    expect(await poll(() => stream(30_000_001).catch(() => undefined))).toBe(413);
    await expectAlive();
  });

  test('a streamed body within the ceilings is read', async () => {
    expect(await stream(5_000_000, true)).toBe(200);
  });
});
