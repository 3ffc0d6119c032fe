import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { preferredEncoding } from '#server/http/compression.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
let mine: Signup;
beforeAll(async () => {
  mine = await app.signUp();
  const client = new LinguaLoop({ baseUrl: app.address, apiKey: mine.apiKey });
  const texts = Array.from({ length: 9 }, (_, n) => `${n} ${'word '.repeat(100)}`);
  const inputs = texts.map((Text) => ({ Text, Language: 'en', Targets: [{ Language: 'fr' }] }));
  await client.translations.createBatch({ inputs });
});

/** Sends a request as it is, and returns the bytes of the response as they arrive. */
function send(
  path: string,
  headers: Record<string, string>,
  { method = 'GET', body = undefined as Uint8Array | undefined } = {},
) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>(
    (resolve, reject) => {
      const sent = request(`${app.address}${path}`, { method, headers }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) });
      });
      sent.on('error', reject);
      sent.end(body);
    },
  );
}

const list = '/api/translations';

describe('a response above 1 kB', () => {
  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is compressed by %s, and is the same', async (encoding, decompress) => {
    for (const [path, headers] of [
      [list, mine.headers],
      ['/openapi.json', {}],
      [
        '/trpc/translations.search?input=%7B%22json%22%3A%7B%7D%7D',
        { authorization: `Bearer ${mine.accessToken}` },
      ],
    ] as const) {
      const plain = await send(path, headers);
      const packed = await send(path, { ...headers, 'accept-encoding': encoding });
      expect([plain.status, plain.headers['content-encoding'], plain.headers['vary']]).toEqual([
        200,
        undefined,
        expect.stringContaining('Accept-Encoding'),
      ]);
      expect([path, packed.headers['content-encoding']]).toEqual([path, encoding]);
      expect(decompress(packed.bytes).equals(plain.bytes)).toBe(true);
      expect(Number(packed.headers['content-length'] ?? packed.bytes.length)).toBe(packed.bytes.length);
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    }
  });

  test('is not compressed if a browser may have added the credential itself', async () => {
    const { headers, status } = await send(list, { cookie: 'll_session=x', 'accept-encoding': 'br' });
    expect([status, headers['content-encoding']]).toEqual([401, undefined]);
    const large = await send('/signin', {
      cookie: 'll_session=x',
      'accept-encoding': 'br',
      accept: 'text/html',
    });
    expect([large.bytes.length > 1024, large.headers['content-encoding']]).toEqual([true, undefined]);
  });

  test('of HEAD has no encoding of a body that it lacks', async () => {
    const { headers, bytes } = await send('/openapi.json', { 'accept-encoding': 'br' }, { method: 'HEAD' });
    expect([headers['content-encoding'], bytes.length]).toEqual([undefined, 0]);
  });
});

test('a small response is not compressed', async () => {
  const { headers } = await send('/healthz', { 'accept-encoding': 'gzip' });
  expect(headers['content-encoding']).toBeUndefined();
});

test.each([
  ['br, gzip', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['GZIP', 'gzip'],
  ['identity', undefined],
  ['gzip;q=0', undefined],
  [undefined, undefined],
])('Accept-Encoding %s selects %s', (accepted, encoding) => {
  expect(preferredEncoding(accepted)).toBe(encoding);
});

test('a compressed request is 415 with the reason, and nothing is read', async () => {
  const body = gzipSync(JSON.stringify({ source_text: 'Hello', target_lang: 'fr' }));
  const headers = { ...mine.headers, 'content-type': 'application/json' };
  for (const encoding of ['gzip', 'br', 'zstd']) {
    const { status, bytes } = await send(
      list,
      { ...headers, 'content-encoding': encoding },
      { method: 'POST', body },
    );
    expect([status, JSON.parse(bytes.toString())]).toMatchObject([
      415,
      { error_code: 'unsupported_media_type', detail: expect.stringContaining('Content-Encoding') },
    ]);
  }
  const plain = new TextEncoder().encode('{"source_text": "Hello", "target_lang": "fr"}');
  const { status } = await send(
    list,
    { ...headers, 'content-encoding': 'identity' },
    { method: 'POST', body: plain },
  );
  expect(status).toBe(200);
});
