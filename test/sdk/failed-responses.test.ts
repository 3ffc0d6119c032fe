import { describe, expect, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { failure, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();

async function errorOfNext(): Promise<sdk.LinguaLoopError> {
  const client = new sdk.LinguaLoop({ baseUrl: server.address, maxRetries: 0 });
  return client.system.health().then(
    () => expect.fail('the call succeeded'),
    (thrown) => thrown,
  );
}

describe('each status has its class', () => {
  test.each([
    [400, sdk.BadRequestError],
    [401, sdk.AuthenticationError],
    [404, sdk.NotFoundError],
    [422, sdk.UnprocessableContentError],
    [429, sdk.RateLimitError],
    [503, sdk.ServiceUnavailableError],
    [504, sdk.GatewayTimeoutError],
    [507, sdk.InsufficientStorageError],
  ])('%i', async (status, errorClass) => {
    server.script(failure(status, 'what is wrong', { error_code: 'a_code' }));
    const error = await errorOfNext();
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toBeInstanceOf(sdk.LinguaLoopError);
    expect(error.name).toBe(errorClass.name);
    expect(error).toMatchObject({ status, code: 'a_code', requestId: '01a1', detail: 'what is wrong' });
    expect(error.message).toBe(`${status} what is wrong (request 01a1)`);
  });
});

test('JSON.stringify has the message and what is known, but neither the cause nor the changed resource', async () => {
  server.script(failure(409, 'it has changed', { error_code: 'conflict' }));
  const error = await errorOfNext();
  Object.assign(error, { cause: new Error('inner'), present: { secret: 1 } });
  expect(JSON.parse(JSON.stringify({ error }))).toEqual({
    error: {
      name: 'ConflictError',
      message: '409 it has changed (request 01a1)',
      status: 409,
      code: 'conflict',
      requestId: '01a1',
      detail: 'it has changed',
      answeredBy: 'service',
    },
  });
  const unreachable = new sdk.LinguaLoop({ baseUrl: 'http://127.0.0.1:9', maxRetries: 0 });
  const broken = await unreachable.system.health().catch((thrown: unknown) => thrown);
  expect(JSON.parse(JSON.stringify(broken))).toMatchObject({
    name: 'ConnectionError',
    message: expect.stringMatching(/./),
  });
});

test('Retry-After is read from the header, or else from the body of a procedure', async () => {
  const data = { code: 'X', httpStatus: 429, detail: 'slow down', error_code: null, retry_after: 5 };
  const body = { error: { json: { message: 'slow down', code: -32000, data } } };
  server.script({ status: 429, body, headers: { 'retry-after': '7' } }, { status: 429, body });
  const { translations } = new sdk.LinguaLoop({ baseUrl: server.address, maxRetries: 0 });
  await expect(translations.counts()).rejects.toMatchObject({ retryAfter: 7 });
  await expect(translations.counts()).rejects.toMatchObject({ retryAfter: 5 });
});

describe('other answers', () => {
  test('the documented error of a route is the service’s too', async () => {
    const headers = { 'x-request-id': '02b2' };
    server.script({ status: 413, body: { detail: 'request body exceeds MAX_REQUEST_BYTES' }, headers });
    const error = await errorOfNext();
    expect(error).toBeInstanceOf(sdk.PayloadTooLargeError);
    expect(error).toMatchObject({ requestId: '02b2', answeredBy: 'service' });
  });

  test('a proxy’s error page has the class of its status and says where it came from', async () => {
    server.script({
      status: 502,
      body: '<html><head><style>h1 { color: red }</style><title>502</title></head><body><h1>Bad\n gateway</h1></body></html>',
    });
    const error = await errorOfNext();
    expect(error).toBeInstanceOf(sdk.BadGatewayError);
    expect(error).toMatchObject({ code: null, requestId: null, answeredBy: 'other' });
    expect(error.message).toBe('502 a response that is not from LinguaLoop (text/html): 502 Bad gateway');
  });

  test.each([
    ['JSON of another service', 503, { message: 'no healthy upstream' }],
    ['nothing', 503, ''],
    ['a list', 503, ['no']],
  ])('%s', async (_, status, body) => {
    server.script({ status, body });
    const error = await errorOfNext();
    expect(error).toBeInstanceOf(sdk.ServiceUnavailableError);
    expect(error.answeredBy).toBe('other');
  });

  test.each([
    ['<p>Please sign in to this network</p>'],
    [{ result: 1 }],
    [{ result: { data: {} } }],
    [{ ok: true }],
  ])('a success with an unknown body is an error: %j', async (body) => {
    server.script({ status: 200, body });
    const error = await errorOfNext();
    expect(error.constructor).toBe(sdk.LinguaLoopError);
    expect(error).toMatchObject({ status: 200, answeredBy: 'other' });
  });

  test('a redirect is not followed: it would send the key along', async () => {
    server.script({ status: 308, body: '', headers: { location: 'https://elsewhere.example/api' } });
    const error = await errorOfNext();
    expect(error.message).toBe('308 redirected to https://elsewhere.example/api; check baseUrl');
    expect(server.received).toHaveLength(1);
  });
});

test('the headers of the response are there for programs, and not in logs', async () => {
  server.script(failure(429, 'too many', {}, { 'x-proxy-hint': 'secret of the proxy' }));
  const error = await errorOfNext();
  expect(error.headers?.get('x-proxy-hint')).toBe('secret of the proxy');
  expect(JSON.stringify({ error, fields: { ...error } })).not.toContain('secret of the proxy');
  expect(new sdk.TimeoutError('x', 1).headers).toBeNull();
});
