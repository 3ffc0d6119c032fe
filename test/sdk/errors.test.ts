import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();
const closed = useTestApp({ env: { TRANSLATION_ENABLED: 'false' } });

async function founded(fields?: Record<string, unknown>) {
  const { apiKey } = await app.signUp(fields);
  return new sdk.LinguaLoop({ baseUrl: app.address, apiKey, maxRetries: 0 });
}

async function errorOf(call: Promise<unknown>): Promise<sdk.LinguaLoopError> {
  const error = await call.then(
    () => expect.fail('the call succeeded'),
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(sdk.LinguaLoopError);
  return error;
}

const hello = { source_text: 'Hello', target_lang: 'fr' };

describe('an error of the service has the class of its status', () => {
  test('400 BadRequestError', async () => {
    const client = await founded();
    const error = await errorOf(client.translations.create({ ...hello, source_text: ' ' }));
    expect(error).toBeInstanceOf(sdk.BadRequestError);
    expect(error).toMatchObject({ status: 400, code: 'validation_error', answeredBy: 'service' });
  });

  test('401 AuthenticationError', async () => {
    const client = new sdk.LinguaLoop({ baseUrl: app.address, apiKey: 'wrong' });
    const error = await errorOf(client.translations.create(hello));
    expect(error).toBeInstanceOf(sdk.AuthenticationError);
    expect(error).toMatchObject({ code: null, detail: 'missing or invalid tenant credentials' });
  });

  test('403 PermissionDeniedError', async () => {
    const client = new sdk.LinguaLoop({
      baseUrl: app.address,
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init.headers, origin: 'https://elsewhere.example' } }),
    });
    const signup = { tenant_name: 'X', email: 'x@example.org', password: 'a long enough passphrase' };
    expect(await errorOf(client.auth.signUp(signup))).toBeInstanceOf(sdk.PermissionDeniedError);
  });

  test('404 NotFoundError, readable, with the request id that was sent', async () => {
    const client = await founded();
    const error = await errorOf(client.translations.get('0'.repeat(32), { requestId: 'order-7' }));
    expect(error).toBeInstanceOf(sdk.NotFoundError);
    expect(error).toMatchObject({ code: 'not_found', requestId: 'order-7', detail: 'job not found' });
    expect(error.message).toBe('404 job not found (request order-7)');
    expect(String(error)).toBe('NotFoundError: 404 job not found (request order-7)');
  });

  test('413 PayloadTooLargeError, from the text gate and from the body limit', async () => {
    const client = await founded();
    const long = await errorOf(client.translations.create({ ...hello, source_text: 'x'.repeat(50_001) }));
    const huge = await errorOf(client.translations.create({ ...hello, source_text: 'x'.repeat(10_000_001) }));
    for (const error of [long, huge]) {
      expect(error).toBeInstanceOf(sdk.PayloadTooLargeError);
      expect(error.answeredBy).toBe('service');
    }
  });

  test('422 UnprocessableContentError, with a sentence or with an entry for each field', async () => {
    const client = await founded();
    const language = await errorOf(client.translations.create({ ...hello, target_lang: 'xx' }));
    expect(language).toBeInstanceOf(sdk.UnprocessableContentError);
    expect(language.detail).toMatch(/^unsupported target_lang "xx"/);
    const fields = await errorOf(client.translations.listPage({ limit: 0 }));
    expect(fields).toBeInstanceOf(sdk.UnprocessableContentError);
    expect(fields.detail).toMatchObject([{ loc: ['query', 'limit'], type: 'too_small' }]);
    expect(fields.message).toMatch(/^422 query\.limit: .+ \(request [0-9a-f]{32}\)$/);
  });

  test('503 ServiceUnavailableError: the kill switch is not tried again', async () => {
    const fetched = vi.fn((url: string, init: RequestInit) => fetch(url, init));
    const client = new sdk.LinguaLoop({ baseUrl: closed.address, fetch: fetched });
    const error = await errorOf(client.translations.create(hello));
    expect(error).toBeInstanceOf(sdk.ServiceUnavailableError);
    expect(error.detail).toBe('translation is temporarily disabled');
    expect(fetched).toHaveBeenCalledTimes(1);
  });
});

describe('secrets', () => {
  const apiKey = 'a-key-that-must-not-show';
  const accessToken = 'a-token-that-must-not-show';

  test('neither the client nor its errors show a credential', async () => {
    const client = new sdk.LinguaLoop({ baseUrl: app.address, apiKey, accessToken });
    const refused = await errorOf(client.translations.get('x'));
    const nobody = new sdk.LinguaLoop({ baseUrl: 'http://127.0.0.1:1', apiKey, accessToken, maxRetries: 0 });
    const unreachable = await errorOf(nobody.translations.get('x'));
    for (const value of [client, refused, unreachable])
      expect(inspect(value, { depth: 20, showHidden: true }) + JSON.stringify(value)).not.toContain(
        'must-not-show',
      );
  });

  test.each(['apiKey', 'accessToken', 'tenantId'])(
    'an %s that no header can carry is not repeated',
    (name) => {
      expect(() => new sdk.LinguaLoop({ baseUrl: app.address, [name]: 'must-not-show\n' })).toThrow(
        new TypeError(`${name} must be printable ASCII without spaces`),
      );
    },
  );

  test('neither is the password of an address', () => {
    expect(() => new sdk.LinguaLoop({ baseUrl: 'http://me:must-not-show@localhost' })).toThrow(
      new TypeError('baseUrl must not have credentials: use apiKey or accessToken'),
    );
  });

  test.each(['', 'localhost:8080', 'ftp://example.org'])('baseUrl %j is refused', (baseUrl) => {
    expect(() => new sdk.LinguaLoop({ baseUrl })).toThrow(TypeError);
  });
});
