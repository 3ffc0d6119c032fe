import { beforeAll, describe, expect, test } from 'vitest';
import { apiKey, bearer } from '#test/factories.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { askingAt, LIST, OPERATOR_KEY, REFUSED } from './two-tenants.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: OPERATOR_KEY } });

let ana: Signup;
let ben: Signup;
beforeAll(async () => {
  ana = await app.signUp({ tenant_name: 'Ana' });
  ben = await app.signUp({ tenant_name: 'Ben' });
});

const { submit, whose, expectRefused } = askingAt(app);

describe('A 5.1: what identifies a tenant', () => {
  test('the tenant API key, as X-API-Key or as a bearer, and the access token as a bearer', async () => {
    expect(await whose(apiKey(ana.apiKey))).toBe(ana.tenantId);
    expect(await whose(bearer(ana.apiKey))).toBe(ana.tenantId);
    expect(await whose(bearer(ana.accessToken))).toBe(ana.tenantId);
    expect(await whose(apiKey(ben.apiKey))).toBe(ben.tenantId);
    expect(await whose(bearer(ben.accessToken))).toBe(ben.tenantId);
  });

  test('B 5: no credential at all returns 401', async () => {
    await expectRefused({});
  });

  test('rule 2: a bearer value that is neither a token nor a key returns 401', async () => {
    const bad = ['nonsense', ana.tenantId, '0', 'null', 'undefined', "' or ''='"];
    for (const value of bad) await expectRefused(bearer(value));
  });

  test('a slightly altered key returns 401', async () => {
    const key = ana.apiKey;
    const flipped = key.slice(0, -2) + (key.at(-2) === 'A' ? 'B' : 'A') + key.at(-1);
    const swapped = key.replace(/[a-zA-Z]/g, (c) =>
      c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase(),
    );
    const wrong = [
      key.slice(0, 8),
      key.slice(0, -1),
      `${key}A`,
      flipped,
      swapped,
      key + key,
      `${key},${key}`,
    ];
    for (const value of wrong) {
      await expectRefused(apiKey(value));
      await expectRefused(bearer(value));
    }
  });

  test('a slightly altered access token returns 401', async () => {
    const token = ana.accessToken;
    for (const value of [token.slice(0, -1), `${token}A`, token.slice(1), `${token} ${token}`]) {
      await expectRefused(bearer(value));
    }
  });

  test('an access token is not accepted as an API key', async () => {
    await expectRefused(apiKey(ana.accessToken));
  });

  test('a refresh token gives no access, neither as a bearer nor as a key', async () => {
    const { body } = await app.json('POST', '/api/auth/signup/email', {
      body: {
        tenant_name: 'Refresher',
        email: 'refresher@example.org',
        password: 'a long enough passphrase',
      },
    });
    await expectRefused(bearer(body.token.refresh_token));
    await expectRefused(apiKey(body.token.refresh_token));
  });

  test('a key under another scheme, or in the query, gives no access', async () => {
    const { apiKey: key, accessToken: token } = ana;
    await expectRefused({ authorization: key });
    await expectRefused({ authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` });
    await expectRefused({ authorization: `Basic ${key}` });
    for (const query of [`api_key=${key}`, `x-api-key=${key}`, `access_token=${token}`, `token=${token}`]) {
      const { status, body } = await app.json('GET', `${LIST}?${query}`);
      expect(status).toBe(401);
      expect(body.detail).toBe(REFUSED);
    }
  });
});

describe('A 3.3: the life of an access token', () => {
  const shortLived = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', ACCESS_TOKEN_TTL_SECONDS: '1' } });
  let brief: Signup;
  beforeAll(async () => {
    brief = await shortLived.signUp();
  });

  test('after it has expired the token returns 401, and the key still works', async () => {
    const job = await submit(bearer(brief.accessToken), 'Hello', shortLived);
    expect([200, 401]).toContain(job.status);
    await expect
      .poll(async () => (await shortLived.json('GET', LIST, { headers: bearer(brief.accessToken) })).status, {
        timeout: 8000,
        interval: 100,
      })
      .toBe(401);
    await expectRefused(bearer(brief.accessToken), shortLived);
    // The key does not expire.
    expect((await submit(brief.headers, 'Hello', shortLived)).status).toBe(200);
  });
});

describe('C 7: a deployment with neither keys nor tenants', () => {
  const unset = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

  test.each(['undefined', 'null', 'None', 'false', '0', 'default'])(
    'an unset operator or service key never matches %j',
    async (value) => {
      for (const headers of [apiKey(value), bearer(value)]) {
        expect((await submit(headers, 'Hello', unset)).status).toBe(401);
        expect((await unset.json('GET', LIST, { headers })).status).toBe(401);
      }
    },
  );

  test('an empty one or a missing one matches nothing either', async () => {
    for (const headers of [{}, apiKey(''), { authorization: 'Bearer ' }, { authorization: 'Bearer' }]) {
      expect((await submit(headers, 'Hello', unset)).status).toBe(401);
    }
  });
});
