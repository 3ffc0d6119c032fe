import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, type TestApp, useTestApp } from '#test/setup/app.ts';

const LIST = '/api/translations';
const REFUSED = 'missing or invalid tenant credentials';
const OPERATOR_KEY = 'an-operator-key-of-some-length-0123456789';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: OPERATOR_KEY } });

let ana: Signup;
let ben: Signup;
beforeAll(async () => {
  ana = await app.signUp({ tenant_name: 'Ana' });
  ben = await app.signUp({ tenant_name: 'Ben' });
});

const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
const apiKey = (value: string) => ({ 'x-api-key': value });

/** A fresh job, by whoever the headers stand for. */
function submit(headers: Record<string, string>, text = 'Hello', at: TestApp = app) {
  return at.json('POST', LIST, { headers, body: { source_text: text, target_lang: 'fr' } });
}

/** Which tenant the headers stand for: the id the server writes into a job. */
async function whose(headers: Record<string, string>): Promise<string> {
  const { status, body } = await submit(headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.request.metadata.tenant.id;
}

/** Refused alike on every route that asks for tenant credentials. */
async function expectRefused(headers: Record<string, string>, at: TestApp = app) {
  const answers = [
    await submit(headers, 'Hello', at),
    await at.json('GET', LIST, { headers }),
    await at.json('GET', `${LIST}/${'0'.repeat(32)}`, { headers }),
  ];
  for (const { status, body } of answers) {
    expect(status).toBe(401);
    expect(body.detail).toBe(REFUSED);
  }
}

describe('A 5.1: what identifies a tenant', () => {
  test('the tenant API key, as X-API-Key or as a bearer, and the access token as a bearer', async () => {
    expect(await whose(apiKey(ana.apiKey))).toBe(ana.tenantId);
    expect(await whose(bearer(ana.apiKey))).toBe(ana.tenantId);
    expect(await whose(bearer(ana.accessToken))).toBe(ana.tenantId);
    expect(await whose(apiKey(ben.apiKey))).toBe(ben.tenantId);
    expect(await whose(bearer(ben.accessToken))).toBe(ben.tenantId);
  });

  test('B 5: no credential at all answers 401', async () => {
    await expectRefused({});
  });

  test('rule 2: a bearer value that is neither a token nor a key answers 401', async () => {
    const bad = ['nonsense', ana.tenantId, '0', 'null', 'undefined', "' or ''='"];
    for (const value of bad) await expectRefused(bearer(value));
  });

  test('a key that is nearly right answers 401', async () => {
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

  test('an access token that is nearly right answers 401', async () => {
    const token = ana.accessToken;
    for (const value of [token.slice(0, -1), `${token}A`, token.slice(1), `${token} ${token}`]) {
      await expectRefused(bearer(value));
    }
  });

  test('an access token is no API key', async () => {
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

  test('once it has elapsed the token answers 401 like any other, the key goes on', async () => {
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

describe('A 5.1 rule 1, C 7: when both headers are present', () => {
  test('of two keys X-API-Key wins', async () => {
    expect(await whose({ ...apiKey(ana.apiKey), ...bearer(ben.apiKey) })).toBe(ana.tenantId);
    expect(await whose({ ...apiKey(ben.apiKey), ...bearer(ana.apiKey) })).toBe(ben.tenantId);
  });

  test('a wrong X-API-Key is not made up for by a right key in the bearer', async () => {
    await expectRefused({ ...apiKey('wrong'), ...bearer(ana.apiKey) });
  });

  test('a valid access token decides the tenant, whatever key is beside it', async () => {
    expect(await whose({ ...apiKey(ana.apiKey), ...bearer(ben.accessToken) })).toBe(ben.tenantId);
    expect(await whose({ ...apiKey(ben.apiKey), ...bearer(ana.accessToken) })).toBe(ana.tenantId);
    expect(await whose({ ...apiKey('wrong'), ...bearer(ana.accessToken) })).toBe(ana.tenantId);
  });

  test('beside an unusable bearer the X-API-Key decides', async () => {
    expect(await whose({ ...apiKey(ana.apiKey), ...bearer('nonsense') })).toBe(ana.tenantId);
  });

  test('two wrong ones stay wrong', async () => {
    await expectRefused({ ...apiKey('wrong'), ...bearer('nonsense') });
  });
});

describe('A 5.1 rule 3: X-Tenant-ID narrows to one account', () => {
  const ways = () => [apiKey(ana.apiKey), bearer(ana.apiKey), bearer(ana.accessToken)];

  test('the own id is accepted with every credential', async () => {
    for (const way of ways()) {
      expect(await whose({ ...way, 'x-tenant-id': ana.tenantId })).toBe(ana.tenantId);
    }
  });

  test('a foreign id is refused with every credential, not resolved elsewhere', async () => {
    for (const way of ways()) await expectRefused({ ...way, 'x-tenant-id': ben.tenantId });
  });

  test('an id of nobody is refused', async () => {
    const ids = [
      '0'.repeat(32),
      'nobody',
      `${ana.tenantId}0`,
      ana.tenantId.slice(0, -1),
      '*',
      '%',
      "' or ''='",
    ];
    for (const id of ids) {
      for (const way of ways()) await expectRefused({ ...way, 'x-tenant-id': id });
    }
  });

  test('an id alone is no credential', async () => {
    await expectRefused({ 'x-tenant-id': ana.tenantId });
  });

  test('it narrows the lookup of two keys as well', async () => {
    const both = { ...apiKey(ana.apiKey), ...bearer(ben.apiKey) };
    expect(await whose({ ...both, 'x-tenant-id': ana.tenantId })).toBe(ana.tenantId);
    await expectRefused({ ...both, 'x-tenant-id': ben.tenantId });
  });

  test('a token of one tenant never answers for another that is named, whatever key is beside it', async () => {
    const { status, body } = await submit({
      ...apiKey(ben.apiKey),
      ...bearer(ana.accessToken),
      'x-tenant-id': ben.tenantId,
    });
    expect([200, 401]).toContain(status);
    if (status === 200) expect(body.request.metadata.tenant.id).toBe(ben.tenantId);
  });
});

describe('B 5: the operator key', () => {
  test('alone it resolves to no tenant, even with a tenant named: 401', async () => {
    await expectRefused(apiKey(OPERATOR_KEY));
    await expectRefused(bearer(OPERATOR_KEY));
    await expectRefused({ ...apiKey(OPERATOR_KEY), 'x-tenant-id': ana.tenantId });
    await expectRefused({ ...bearer(OPERATOR_KEY), 'x-tenant-id': ana.tenantId });
  });

  test("C 7: beside a tenant's access token the token decides", async () => {
    expect(await whose({ ...apiKey(OPERATOR_KEY), ...bearer(ana.accessToken) })).toBe(ana.tenantId);
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

  test('nor does an empty one, nor none', async () => {
    for (const headers of [{}, apiKey(''), { authorization: 'Bearer ' }, { authorization: 'Bearer' }]) {
      expect((await submit(headers, 'Hello', unset)).status).toBe(401);
    }
  });
});

describe('C 7: the session cookie', () => {
  const cookie = (token: string) => ({ cookie: `ll_session=${token}` });

  test('does not count on the translation routes', async () => {
    await expectRefused(cookie(ana.accessToken));
    await expectRefused(cookie(ana.apiKey));
  });

  test('nor on the tRPC door', async () => {
    const create = await app.json('POST', '/trpc/translations.create', {
      headers: cookie(ana.accessToken),
      body: { json: { source_text: 'Hello', target_lang: 'fr' } },
    });
    expect(create.status).toBe(401);
    const input = encodeURIComponent(JSON.stringify({ json: { job_id: '0'.repeat(32) } }));
    const get = await app.json('GET', `/trpc/translations.get?input=${input}`, {
      headers: cookie(ana.accessToken),
    });
    expect(get.status).toBeGreaterThanOrEqual(400);
    expect(get.status).not.toBe(404);
  });

  test('beside another credential it changes nothing', async () => {
    expect(await whose({ ...apiKey(ana.apiKey), ...cookie(ben.accessToken) })).toBe(ana.tenantId);
  });

  test.each([
    ['Origin', { origin: 'https://evil.example' }],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
  ])('a changing request that carries it is refused when %s names another site', async (_name, foreign) => {
    const { headers } = await app.signUp();
    const answer = await submit({ ...headers, ...cookie(ana.accessToken), ...foreign });
    expect(answer.status).toBe(403);
    expect(answer.body.detail).toEqual(expect.any(String));
    expect((await app.json('GET', LIST, { headers })).body).toEqual([]);
  });

  test('a request without the cookie may come from anywhere', async () => {
    expect(await whose({ ...apiKey(ana.apiKey), origin: 'https://elsewhere.example' })).toBe(ana.tenantId);
  });
});

describe('A 1 rule 4: tenants do not see each other', () => {
  let job: { id: string };
  beforeAll(async () => {
    job = (await submit(ana.headers, 'A secret of Ana')).body;
  });

  test('the own job is found by every credential of the tenant', async () => {
    for (const headers of [apiKey(ana.apiKey), bearer(ana.apiKey), bearer(ana.accessToken)]) {
      const { status, body } = await app.json('GET', `${LIST}/${job.id}`, { headers });
      expect(status).toBe(200);
      expect(body).toMatchObject({ id: job.id, request: { source_text: 'A secret of Ana' } });
    }
  });

  test('A 5.2: a foreign job and an unknown one answer the same 404 job not found', async () => {
    const answers = [];
    for (const id of [job.id, 'f'.repeat(32)]) {
      for (const headers of [apiKey(ben.apiKey), bearer(ben.accessToken)]) {
        answers.push(await app.json('GET', `${LIST}/${id}`, { headers }));
      }
    }
    const shapes = answers.map(({ status, body }) => ({ status, ...body, request_id: null }));
    expect(shapes[0]).toMatchObject({ status: 404, detail: 'job not found' });
    for (const shape of shapes) expect(shape).toEqual(shapes[0]);
  });

  test.each([
    ['a word', 'nope'],
    ['a digit', '0'],
    ['in capitals', 'F'.repeat(32)],
    ['a blank', '%20'],
    ['of 1000 characters', 'a'.repeat(1000)],
    ['with quotes', "'%20or%201=1--"],
    ['an emoji', '%F0%9F%98%80'],
  ])('an id of another form (%s) is unknown too', async (_name, id) => {
    const { status } = await app.json('GET', `${LIST}/${id}`, { headers: ana.headers });
    expect([404, 422]).toContain(status);
  });

  test('C 7: the operator key beside a token does not reach into another tenant', async () => {
    const { status } = await app.json('GET', `${LIST}/${job.id}`, {
      headers: { ...apiKey(OPERATOR_KEY), ...bearer(ben.accessToken) },
    });
    // Standing "widens reads": whether by id as well is not said; a plain token never does.
    expect([200, 404]).toContain(status);
    const plain = await app.json('GET', `${LIST}/${job.id}`, { headers: bearer(ben.accessToken) });
    expect(plain.status).toBe(404);
  });

  test('through the tRPC door neither', async () => {
    const get = (headers: Record<string, string>, name: string) => {
      const input = encodeURIComponent(JSON.stringify({ json: { [name]: job.id } }));
      return app.json('GET', `/trpc/translations.get?input=${input}`, { headers });
    };
    for (const name of ['job_id', 'id', 'jobId']) {
      for (const headers of [apiKey(ben.apiKey), bearer(ben.accessToken), {}]) {
        const { status, body } = await get(headers, name);
        expect(status).toBeGreaterThanOrEqual(400);
        expect(JSON.stringify(body)).not.toContain('A secret of Ana');
      }
    }
  });

  test('a list holds the own jobs and no others', async () => {
    const [one, other] = [await app.signUp(), await app.signUp()];
    const mine = (await submit(one.headers)).body.id;
    const theirs = (await submit(other.headers)).body.id;
    const ids = async (signup: Signup) => {
      const { body } = await app.json('GET', LIST, { headers: signup.headers });
      return body.map((listed: { id: string }) => listed.id);
    };
    expect(await ids(one)).toEqual([mine]);
    expect(await ids(other)).toEqual([theirs]);
  });

  test('a query cannot name another tenant', async () => {
    const fresh = await app.signUp();
    for (const name of ['tenant_id', 'tenantId', 'tenant']) {
      const { status, body } = await app.json('GET', `${LIST}?${name}=${ana.tenantId}`, {
        headers: fresh.headers,
      });
      expect([200, 422]).toContain(status);
      if (status === 200) expect(body).toEqual([]);
    }
    const { body } = await app.json('POST', LIST, {
      headers: fresh.headers,
      body: {
        source_text: 'Hello',
        target_lang: 'fr',
        tenant_id: ana.tenantId,
        metadata: { tenant: { id: ana.tenantId, name: 'Ana' }, tenant_id: ana.tenantId },
      },
    });
    expect(body.request.metadata.tenant.id).toBe(fresh.tenantId);
    const seen = await app.json('GET', `${LIST}/${body.id}`, { headers: ana.headers });
    expect(seen.status).toBe(404);
  });

  test('100 requests of two tenants side by side each see their own only', async () => {
    const pair = [await app.signUp({ tenant_name: 'Left' }), await app.signUp({ tenant_name: 'Right' })];
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const me = pair[i % 2]!;
        const headers = i % 4 < 2 ? apiKey(me.apiKey) : bearer(me.accessToken);
        const { status, body } = await submit(headers, `Text ${i}`);
        expect(status).toBe(200);
        expect(body.request.metadata.tenant.id).toBe(me.tenantId);
        const read = await app.json('GET', `${LIST}/${body.id}`, { headers });
        expect(read.body.request.source_text).toBe(`Text ${i}`);
        const foreign = await app.json('GET', `${LIST}/${body.id}`, { headers: pair[(i + 1) % 2]!.headers });
        expect(foreign.status).toBe(404);
        const list = await app.json('GET', `${LIST}?limit=200`, { headers });
        for (const listed of list.body) expect(listed.request.metadata.tenant.id).toBe(me.tenantId);
      }),
    );
  });
});
