import http from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { type Answer, env, expectHarmless, expectRefusal, HELLO, PATH, wireTo } from './wire.ts';

const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const { send, raw, post, jsonHeaders, expectAlive } = wireTo(app, () => tenant);

describe('C 7: JSON bodies', () => {
  test.each([
    ['an open brace', '{'],
    ['a comma too many', '{"source_text":"Hi","target_lang":"fr",}'],
    ['single quotes', "{'source_text':'Hi'}"],
    ['two values', '{}{}'],
    ['a bare word', 'hello'],
    ['NaN', '{"source_text":NaN}'],
    ['a comment', '{/* */}'],
    ['a raw line break in a string', '{"source_text":"a\nb","target_lang":"fr"}'],
    ['an unfinished escape', '{"source_text":"\\u12","target_lang":"fr"}'],
    ['a raw NUL', '{"source_text":"a\0b","target_lang":"fr"}'],
    ['white space only', ' \n '],
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

  test.each(['[]', '[{"source_text":"Hi","target_lang":"fr"}]', '"text"', '42', 'true', 'null'])(
    'B 4.1: %s is not an object: 400 with a string detail',
    async (body) => {
      expect(expectRefusal(await post(body), 400)).toEqual(expect.any(String));
      expectRefusal(await send('POST', '/api/auth/signup/email', { headers: jsonHeaders(), body }), 400, 422);
    },
  );

  test('A 7.1: an invalid body is 422, every fault with loc, msg and type', async () => {
    const detail = expectRefusal(
      await post('{"source_text":1,"target_lang":2,"metadata":3,"text_type":"x","allow_fallback":"y"}'),
      422,
    );
    const named = detail.map(({ loc }: { loc: unknown[] }) => loc.at(-1)).toSorted();
    expect(named).toEqual(['allow_fallback', 'metadata', 'source_text', 'target_lang', 'text_type']);
  });

  test('a byte order mark before the object is accepted, or named as invalid', async () => {
    const answer = await post(`\ufeff${HELLO}`);
    expectHarmless(answer);
    expect([200, 400]).toContain(answer.status);
  });

  test.each([
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/vnd.example+json',
    'application/x-unheard-of',
    'application/x-www-form-urlencoded',
  ])('B 4.1: content type %s is parsed as JSON', async (type) => {
    expect((await post(HELLO, { 'content-type': type })).status).toBe(200);
    expect(expectRefusal(await post('{', { 'content-type': type }), 400)).toMatch(/^invalid JSON body: /);
  });

  test('B 4.1: so is a body without a content type', async () => {
    const { status } = await send('POST', PATH, { headers: tenant.headers, body: HELLO });
    expect(status).toBe(200);
  });

  test.each([
    'nonsense',
    ';;;',
    'application/json; charset=utf-16',
    'a/b/c',
    'application/json, text/plain',
    '\u00e9/x',
  ])('content type %s never breaks the service', async (type) => {
    expectHarmless(await post(HELLO, { 'content-type': type }));
  });

  test.each(['gzip', 'br', 'nonsense'])(
    'a body declared as %s-encoded is refused or read as it is',
    async (encoding) => {
      expectHarmless(await post(HELLO, { 'content-encoding': encoding }));
    },
  );
});

describe('B 8, A 8: body ceilings', () => {
  /** The head of a request that announces `length` bytes and sends none of them. */
  const announce = (
    path: string,
    length: number | string,
    headers: Record<string, string> = tenant.headers,
  ) =>
    raw(
      [
        `POST ${path} HTTP/1.1`,
        'Host: localhost',
        'Content-Type: application/json',
        `Content-Length: ${length}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        '\r\n',
      ].join('\r\n'),
    );

  test.each([10_000_001, 29_999_999, 30_000_001, 99_999_999_999])(
    'a declared length of %d is 413 MAX_REQUEST_BYTES before the body was sent',
    async (length) => {
      const answer = await announce(PATH, length);
      const detail = expectRefusal(answer!, 413);
      if (length <= 30_000_000) expect(detail).toContain('request body exceeds MAX_REQUEST_BYTES');
    },
  );

  test('B 4.1: even without a credential', async () => {
    expectRefusal((await announce(PATH, 10_000_001, {}))!, 413);
  });

  test('exactly 10,000,000 declared bytes are read', async () => {
    const body = HELLO.padEnd(10_000_000, ' ');
    expect((await post(body)).status).toBe(200);
  });

  test.each(['/api/auth/signup/email', '/trpc/translations.create', '/trpc/auth.signUpWithEmail'])(
    'A 8: the absolute ceiling of 30,000,000 declared bytes holds on %s',
    async (path) => {
      const answer = await announce(path, 30_000_001);
      expectHarmless(answer!);
      expect(answer!.status).toBe(413);
    },
  );

  /** Streams `total` bytes of a JSON body in chunks, does not end it, and waits for a response. */
  function stream(path: string, total: number, end = false): Promise<Answer> {
    const { hostname, port } = new URL(app.address);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const request = http.request({
      hostname,
      port,
      path,
      method: 'POST',
      agent: false,
      headers: { ...jsonHeaders(), 'transfer-encoding': 'chunked' },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      const done = () => {
        resolve({ status: response.statusCode ?? 0, headers: new Headers(response.headers as never), text });
        request.destroy();
      };
      response.on('end', done);
      response.on('error', done);
    });
    const flush = (bytes: string | Buffer) => {
      const written = Promise.withResolvers<void>();
      request.write(bytes, () => written.resolve());
      return written.promise;
    };
    const pour = async () => {
      const start = path.startsWith('/trpc') ? `{"json":${HELLO}` : HELLO.slice(0, -1);
      await flush(start);
      const blanks = Buffer.alloc(1_000_000, ' ');
      const last = 1;
      for (let left = total - start.length - last; left > 0 && !request.destroyed; left -= blanks.length) {
        await flush(blanks.subarray(0, left));
      }
      // The last byte goes alone: nothing more is under way when the response comes.
      if (end) request.end('}');
      else await flush(' ');
    };
    void pour();
    return promise;
  }

  test.each([PATH, '/api/auth/signup/email', '/trpc/translations.create'])(
    'A 8: a streamed body of 30,000,001 bytes is 413 on %s, though it declares no length and does not end',
    async (path) => {
      // The connection may be closed between the pieces of the last chunk, before its sender has read the 413.
      const answer = await poll(() =>
        stream(path, 30_000_001).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error;
          return undefined;
        }),
      );
      expectHarmless(answer);
      expect(answer.status).toBe(413);
    },
  );

  test('a sender that goes on past the ceiling gets its 413 or a closed connection', async () => {
    const status = await stream(PATH, 60_000_000).then(
      (answer) => answer.status,
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(status);
    await expectAlive();
  });

  test('a streamed body within the ceilings is read', async () => {
    expect((await stream(PATH, 5_000_000, true)).status).toBe(200);
  });

  test('B 8: between the two ceilings a streamed body declares nothing: read, or 413', async () => {
    const { status } = await stream(PATH, 12_000_000, true);
    expect([200, 413]).toContain(status);
  });

  test.each(['-1', '1e3', '0x10', '12,12', 'abc', '', '99999999999999999999999999'])(
    'a Content-Length of %s is a 4xx',
    async (length) => {
      const answer = await announce(PATH, length);
      expectHarmless(answer!);
      expect(answer!.status).toBeGreaterThanOrEqual(400);
    },
  );

  test('MAX_REQUEST_BYTES moves the declared ceiling', async () => {
    const { headers } = await tight.signUp();
    const small = await tight.json('POST', PATH, { headers, body: HELLO.padEnd(1000) });
    expect(small.status).toBe(200);
    const large = await tight.json('POST', PATH, { headers, body: HELLO.padEnd(1001) });
    expect(large.status).toBe(413);
    expect(large.body.detail).toContain('request body exceeds MAX_REQUEST_BYTES');
  });

  const tight = useTestApp({ env: { ...env, MAX_REQUEST_BYTES: '1000' } });
});
