import { describe, expect, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { failure, procedureFailure, useScriptedServer } from './scripted-server.ts';

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
    [402, sdk.PaymentRequiredError],
    [403, sdk.PermissionDeniedError],
    [404, sdk.NotFoundError],
    [405, sdk.MethodNotAllowedError],
    [408, sdk.RequestTimeoutError],
    [409, sdk.ConflictError],
    [413, sdk.PayloadTooLargeError],
    [415, sdk.UnsupportedMediaTypeError],
    [422, sdk.UnprocessableContentError],
    [429, sdk.RateLimitError],
    [500, sdk.InternalServerError],
    [502, sdk.BadGatewayError],
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

  test('a status without a class is a LinguaLoopError', async () => {
    server.script(failure(418, 'short and stout'));
    const error = await errorOfNext();
    expect(error.constructor).toBe(sdk.LinguaLoopError);
    expect(error.status).toBe(418);
  });
});

describe('Retry-After', () => {
  const errorOfProcedure = () =>
    new sdk.LinguaLoop({ baseUrl: server.address, maxRetries: 0 }).translations
      .counts()
      .then(() => expect.fail('the call succeeded'))
      .catch((thrown) => thrown);

  test('the header takes precedence over the body', async () => {
    server.script(procedureFailure(429, 'slow down', { retry_after: 5 }, { 'retry-after': '7' }));
    expect((await errorOfProcedure()).retryAfter).toBe(7);
  });

  test('the body of a procedure gives it if the header is missing', async () => {
    server.script(procedureFailure(429, 'slow down', { retry_after: 5 }));
    expect((await errorOfProcedure()).retryAfter).toBe(5);
  });
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
    ['an error envelope of another service', 503, { error: { code: 503, message: 'no' } }],
    ['nothing', 503, ''],
    ['null', 503, 'null'],
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

  test.each([{ result: 1 }, { result: { data: {} } }, { ok: true }, [1]])(
    'nor is it a procedure’s result: %j',
    async (body) => {
      server.script({ status: 200, body });
      const client = new sdk.LinguaLoop({ baseUrl: server.address, maxRetries: 0 });
      await expect(client.translations.counts()).rejects.toMatchObject({ answeredBy: 'other' });
    },
  );

  test.each([{ ok: true }, [], '[]x'])('nor is it a job: %j', async (body) => {
    server.script({ status: 200, body });
    const client = new sdk.LinguaLoop({ baseUrl: server.address, maxRetries: 0 });
    await expect(client.translations.get('1')).rejects.toMatchObject({ answeredBy: 'other' });
  });

  test('a redirect is not followed: it would send the key along', async () => {
    server.script({ status: 308, body: '', headers: { location: 'https://elsewhere.example/api' } });
    const error = await errorOfNext();
    expect(error.message).toBe('308 redirected to https://elsewhere.example/api; check baseUrl');
    expect(server.received).toHaveLength(1);
  });
});
