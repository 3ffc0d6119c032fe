import { beforeAll, describe, expect, test } from 'vitest';
import { readCredentials } from '#server/identity/access/credentials.ts';
import { presentsOperatorKey, presentsServiceKey } from '#server/identity/access/principal.ts';
import { readSettings } from '#server/settings.ts';
import {
  apiKey,
  bearer,
  cookie,
  env,
  found,
  type Headers,
  operatorKey,
  type Person,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const nothing = { bearer: null, apiKey: null, unreadable: false, cookie: null, visit: null, tenantId: null };

describe('reading the credentials of a request (A 5.1)', () => {
  test.each([
    ['Bearer abc', { bearer: 'abc' }],
    ['bEaReR  abc ', { bearer: 'abc' }],
    ['Basic abc', { unreadable: true }],
    ['Bearer', { unreadable: true }],
    ['Bearer a b', { unreadable: true }],
    ['', {}],
  ])('Authorization: %s', (authorization, read) => {
    expect(readCredentials({ authorization }, true)).toEqual({ ...nothing, ...read });
  });

  test.each([
    ['ll_session=abc', 'abc'],
    ['a=b; ll_session=abc; c=d', 'abc'],
    ['session=abc', null],
    ['ll_session2=abc', null],
    ['ll_session=', null],
  ])('Cookie: %s', (text, read) => {
    expect(readCredentials({ cookie: text }, true)).toEqual({ ...nothing, cookie: read });
    // On /trpc, the cookie is ignored.
    expect(readCredentials({ cookie: text }, false)).toEqual(nothing);
  });

  test('X-API-Key and X-Tenant-ID count trimmed, the first of several; empty ones do not', () => {
    const sent = { 'x-api-key': [' one ', 'two'], 'x-tenant-id': ' here' };
    expect(readCredentials(sent, true)).toEqual({ ...nothing, apiKey: 'one', tenantId: 'here' });
    expect(readCredentials({ 'x-api-key': ' ', 'x-tenant-id': '' }, true)).toEqual(nothing);
  });
});

describe.each([
  ['operator', 'OPERATOR_API_KEY', presentsOperatorKey],
  ['service', 'SERVICE_API_KEY', presentsServiceKey],
] as const)('the %s key', (_, name, presents) => {
  const settings = readSettings({ [name]: operatorKey });

  test('counts in X-API-Key, whatever the bearer is, and as the bearer if there is no X-API-Key', () => {
    expect(presents({ ...nothing, apiKey: operatorKey, bearer: 'wrong' }, settings)).toBe(true);
    expect(presents({ ...nothing, bearer: operatorKey }, settings)).toBe(true);
    expect(presents({ ...nothing, apiKey: 'wrong', bearer: operatorKey }, settings)).toBe(false);
    expect(presents({ ...nothing, cookie: operatorKey }, settings)).toBe(false);
  });

  test.each([operatorKey.slice(0, -1), `${operatorKey}x`, operatorKey.toUpperCase(), 'undefined', '*'])(
    '%s is a wrong one',
    (key) => {
      expect(presents({ ...nothing, apiKey: key }, settings)).toBe(false);
    },
  );

  test.each([{}, { [name]: '' }])('unset (%j) it matches nothing', (unset) => {
    for (const key of [null, '', 'undefined', 'null', 'false', '0', 'default', operatorKey])
      expect(presents({ ...nothing, apiKey: key }, readSettings(unset))).toBe(false);
  });
});

describe('the workspace of a request', () => {
  const app = useTestApp({ env });
  let ana: Person;
  let ben: Person;
  beforeAll(async () => {
    ana = await found(app);
    ben = await found(app);
  });

  const submit = (headers: Headers) =>
    app.json('POST', '/api/translations', { headers, body: { source_text: 'Hello', target_lang: 'fr' } });

  /**
   * The workspace to which the headers belong. To find out, a job is created, which contains the ID of its workspace.
   */
  async function whose(headers: Headers): Promise<string> {
    const { status, body } = await submit(headers);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.request.metadata.tenant.id;
  }

  async function expectRefused(headers: Headers, path = '/api/translations') {
    const { status, body } = await app.json('GET', path, { headers });
    const refused = [401, 'missing or invalid tenant credentials'];
    expect([status, body.detail], JSON.stringify(headers)).toEqual(refused);
  }

  test('of two keys X-API-Key wins; a token decides whatever key is with it', async () => {
    expect(await whose({ ...ana.key, ...bearer(ben.apiKey) })).toBe(ana.tenantId);
    expect(await whose({ ...ben.key, ...ana.bearer })).toBe(ana.tenantId);
    expect(await whose({ ...apiKey('wrong'), ...ana.bearer })).toBe(ana.tenantId);
    expect(await whose({ ...apiKey(operatorKey), ...ana.bearer })).toBe(ana.tenantId);
    expect(await whose({ ...ana.key, ...bearer('nonsense') })).toBe(ana.tenantId);
    await expectRefused({ ...apiKey('wrong'), ...bearer(ana.apiKey) });
    await expectRefused({ ...apiKey('wrong'), ...bearer('nonsense') });
  });

  test('an altered key or token, one of another kind, and one in the query are refused', async () => {
    const { apiKey: key, accessToken: token } = ana;
    const swapped = [...key].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');
    for (const value of [key.slice(0, 8), key.slice(0, -1), `${key}A`, swapped, `${key},${key}`]) {
      await expectRefused(apiKey(value));
      await expectRefused(bearer(value));
    }
    for (const value of [token.slice(0, -1), `${token}A`, ana.refreshToken, ana.tenantId])
      await expectRefused(bearer(value));
    for (const value of [token, ana.refreshToken, operatorKey]) await expectRefused(apiKey(value));
    await expectRefused(cookie(token));
    for (const query of [`api_key=${key}`, `x-api-key=${key}`, `access_token=${token}`])
      await expectRefused({}, `/api/translations?${query}`);
  });

  test.each([
    'update tokens set expires_at = now() where tenant_id = $1',
    "update credential_directory set expires_at = now() where tenant_id = $1 and kind = 'access_token'",
    'update users set active = false where tenant_id = $1',
  ])('a token ends with its rows and its member, the key with neither: %s', async (statement) => {
    const fresh = await found(app);
    await openSuperuser(app.superuserUrl).unsafe(statement, [fresh.tenantId]);
    await expectRefused(fresh.bearer);
    expect(await whose(fresh.key)).toBe(fresh.tenantId);
  });

  test('neither a query nor a body can name another workspace', async () => {
    const fresh = await found(app);
    for (const name of ['tenant_id', 'tenant']) {
      const { body } = await app.json('GET', `/api/translations?${name}=${ana.tenantId}`, {
        headers: fresh.key,
      });
      expect(body).toEqual([]);
    }
    const tenant = { id: ana.tenantId, name: 'Ana' };
    const fields = { tenant_id: ana.tenantId, metadata: { tenant, tenant_id: ana.tenantId } };
    const { body } = await app.json('POST', '/api/translations', {
      headers: fresh.key,
      body: { source_text: 'Hello', target_lang: 'fr', ...fields },
    });
    expect(body.request.metadata.tenant.id).toBe(fresh.tenantId);
    expect((await app.json('GET', `/api/translations/${body.id}`, { headers: ana.key })).status).toBe(404);
  });
});
