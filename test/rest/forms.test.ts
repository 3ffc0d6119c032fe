import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { procedure, type Route, router } from '#server/trpc.ts';
import { refusalOf } from '#test/setup/app.ts';
import { useBothTransports } from './both-transports.ts';

const route = (method: Route['method'], path: Route['path'], more: Partial<Route> = {}) => ({
  route: { method, path, tag: 'T', summary: 'S', ...more },
});
const echo = z.record(z.string(), z.unknown());

const grant = z.object({
  grant_type: z.string(),
  password: z.string().max(70_000).optional(),
  scope: z.string().default('all'),
  count: z.number().optional(),
});

const served = router({
  token: procedure
    .meta(route('POST', '/token', { body: 'form' }))
    .input(grant)
    .output(echo)
    .mutation(({ input }) => input),
  guarded: procedure
    .use(() => {
      throw new AppError('unauthenticated', 'no');
    })
    .meta(route('POST', '/guarded', { body: 'form' }))
    .input(grant)
    .output(echo)
    .mutation(({ input }) => input),
  signout: procedure
    .meta(route('POST', '/signout', { body: 'form_or_json' }))
    .input(z.object({ refresh_token: z.string().optional() }))
    .output(echo)
    .mutation(({ input }) => input),
});

const send = useBothTransports(served);
const small = useBothTransports(served, { MAX_REQUEST_BYTES: '1000' });
const formType = 'application/x-www-form-urlencoded';

type Body = string | Uint8Array<ArrayBuffer> | FormData;
function post(path: string, body?: Body, type: string | undefined = formType, via = send) {
  // Converted to bytes, because fetch adds its own content type to a string.
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return via(path, {
    method: 'POST',
    headers: type === '' ? {} : { 'content-type': type },
    ...(bytes !== undefined && { body: bytes }),
  });
}

const sendAForm = {
  status: 422,
  body: { detail: [{ loc: ['body'], msg: `send ${formType}`, type: 'invalid_content_type' }] },
};
const missing = { status: 422, body: { detail: [{ loc: ['body', 'grant_type'], type: 'invalid_type' }] } };

describe('a route that takes a form (A 4.3)', () => {
  test('reads its fields, all of them strings, and ignores others', async () => {
    const { status, body } = await post(
      '/token',
      'grant_type=password&password=a%26b%3Dc+d%2Be%20%F0%9F%94%91=f&__proto__=x&other=1&other=2&%25=&&',
    );
    expect(status).toBe(200);
    expect(body).toEqual({ grant_type: 'password', password: 'a&b=c d+e 🔑=f', scope: 'all' });
  });

  test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', ''])(
    'a body of content type "%s" is 422, with the expected type named',
    async (type) => {
      const body = type.includes('json') ? '{"grant_type":"x"}' : 'grant_type=x';
      expect(await post('/token', body, type)).toMatchObject(sendAForm);
    },
  );

  test('no body is an empty form: the missing field is named', async () => {
    expect(await post('/token', undefined, '')).toMatchObject(missing);
    expect(await post('/token', undefined)).toMatchObject(missing);
    expect(await post('/token', '')).toMatchObject(missing);
    expect(await post('/token', '&&&')).toMatchObject(missing);
  });

  test('RFC 6749 3.2: a parameter without a value counts as left out', async () => {
    expect(await post('/token', 'grant_type=')).toMatchObject(missing);
    expect(await post('/token', 'grant_type')).toMatchObject(missing);
    const { body } = await post('/token', 'grant_type=x&password=&scope=');
    expect(body).toEqual({ grant_type: 'x', scope: 'all' });
  });

  test.each(['password=a&password=b', 'password=&p%61ssword=a'])(
    'RFC 6749 3.2: a parameter given twice is 422, by its name: %s',
    async (twice) => {
      const { status, body } = await post('/token', `grant_type=x&${twice}`);
      expect(status).toBe(422);
      expect(body.detail).toEqual([
        { loc: ['body', 'password'], msg: 'must not be given twice', type: 'duplicate_field' },
      ]);
    },
  );

  test.each([
    ['bytes that are no UTF-8', Uint8Array.of(...Buffer.from('grant_type='), 0xff)],
    ['half of a surrogate pair', 'grant_type=%ED%A0%80'],
    ['a percent sign alone', 'grant_type=100%'],
  ])('%s: 400, without repeating the input', async (_what, body) => {
    const answer = await post('/token', body);
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toMatch(
      /^invalid form body: (not UTF-8|a field is not percent-encoded UTF-8)$/,
    );
  });

  test('a hundred fields are read, one more is refused', async () => {
    const fields = 'grant_type=x&'.padEnd(13 + 99 * 4, 'a=1&');
    expect((await post('/token', fields)).status).toBe(200);
    const { status, body } = await post('/token', `${fields}b=1`);
    expect([status, body.detail[0].msg]).toEqual([422, 'more than 100 fields']);
  });

  test('64 KiB are read, one byte more is 413', async () => {
    const start = 'grant_type=x&password=';
    const full = start.padEnd(65_536, 'p');
    expect((await post('/token', full)).body.password).toHaveLength(65_536 - start.length);
    expect(await post('/token', `${full}p`)).toEqual({
      status: 413,
      body: refusalOf('request body exceeds 65536 bytes', { limit: 65_536, actual: 65_537, unit: 'bytes' }),
    });
  });

  test('so it is if the length is not declared', async () => {
    const body = new Blob(['grant_type=x&password='.padEnd(65_537, 'p')]).stream();
    const init = { method: 'POST', headers: { 'content-type': formType }, body, duplex: 'half' };
    expect((await send('/token', init as RequestInit)).status).toBe(413);
  });

  test('a smaller MAX_REQUEST_BYTES holds for forms too', async () => {
    const answer = await post('/token', 'grant_type=x&password='.padEnd(1001, 'p'), formType, small);
    expect(answer).toEqual({
      status: 413,
      body: refusalOf('request body exceeds MAX_REQUEST_BYTES', { limit: 1000, actual: 1001, unit: 'bytes' }),
    });
  });

  test('the form is read after the guard', async () => {
    expect((await post('/guarded', '{}', 'application/json')).status).toBe(401);
    expect((await post('/guarded', 'grant_type=%FF')).status).toBe(401);
  });

  test('on /trpc it is JSON like any other', async () => {
    const body = JSON.stringify({ json: { grant_type: 'x' } });
    const answer = await post('/trpc/token', body, 'application/json');
    expect(answer.body.result.data.json).toEqual({ grant_type: 'x', scope: 'all' });
  });
});

describe('signout: a form or JSON (A 4.1)', () => {
  test.each([
    ['a form', 'refresh_token=r%2B1', formType],
    ['JSON', '{"refresh_token":"r+1"}', 'application/json'],
    ['JSON without a content type', '{"refresh_token":"r+1"}', ''],
  ])('%s', async (_what, body, type) => {
    expect(await post('/signout', body, type)).toEqual({ status: 200, body: { refresh_token: 'r+1' } });
  });

  test.each(['', 'application/json'])('no body, of content type "%s", is an empty object', async (type) => {
    expect(await post('/signout', undefined, type)).toEqual({ status: 200, body: {} });
    expect(await post('/signout', '', type)).toEqual({ status: 200, body: {} });
  });

  test.each([
    ['text/plain', 'refresh_token=r'],
    ['application/json', '{'],
    ['application/json', '{"other":"\\u0000","__proto__":1}'],
    [formType, 'refresh_token=%FF'],
    [formType, 'refresh_token=a&refresh_token=b'],
  ])('what cannot be read counts as no body (%s: %s)', async (type, body) => {
    expect(await post('/signout', body, type)).toEqual({ status: 200, body: {} });
  });

  test('a body of more than 64 KiB is 413, JSON too', async () => {
    const long = JSON.stringify({ refresh_token: 'r'.repeat(65_536) });
    expect((await post('/signout', long, 'application/json')).status).toBe(413);
  });
});
