import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { type TestApp, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const PATH = '/api/auth/signup/email';
const PASSWORD = 'correct horse battery staple';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let counted = 0;

/** A body that founds a workspace, with a name and an address nobody has used. */
function founding(fields: Record<string, unknown> = {}) {
  counted += 1;
  return {
    tenant_name: `Founded ${counted}`,
    email: `person${counted}@example.org`,
    password: PASSWORD,
    ...fields,
  };
}

function post(body: unknown, headers: Record<string, string> = {}, at: TestApp = app) {
  return at.json('POST', PATH, { body, headers });
}

/** Every row of every table, as text. Byte strings show in hexadecimal. */
async function everyRow(sql: postgres.Sql): Promise<{ table: string; row: string }[]> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name
    from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
    order by 1`;
  const rows: { table: string; row: string }[] = [];
  for (const { name } of tables) {
    const found = await sql.unsafe<{ row: string }[]>(`select t::text as row from ${name} t order by 1`);
    for (const { row } of found) rows.push({ table: name, row });
  }
  return rows;
}

/** The rows a refused signup must leave as they were; a record of the refusal itself is allowed. */
async function accounts(sql: postgres.Sql): Promise<{ table: string; row: string }[]> {
  return (await everyRow(sql)).filter(({ table }) => !/audit|rate|attempt|graphile/.test(table));
}

/** How a secret may lie about: as it is, in hexadecimal, in base64. */
function disguises(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url')];
}

async function expectRefused(
  body: Record<string, unknown>,
  expected: { status: number; detail?: RegExp | string },
  at: TestApp = app,
) {
  const sql = openSuperuser(at.superuserUrl);
  const before = await accounts(sql);
  const answer = await post(body, {}, at);
  expect(answer.status).toBe(expected.status);
  if (expected.status === 422) expect(Array.isArray(answer.body.detail)).toBe(true);
  else expect(answer.body.detail).toEqual(expect.any(String));
  if (typeof expected.detail === 'string') expect(answer.body.detail).toBe(expected.detail);
  else if (expected.detail) expect(answer.body.detail).toMatch(expected.detail);
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect(await accounts(sql)).toEqual(before);
  return answer;
}

describe('A 4.2: the answer of a founding signup', () => {
  test('A 2.4: account, tenant_api_key, mfa_required, token and next, and no challenge', async () => {
    const sent = founding();
    const { status, body } = await post(sent);
    expect(status).toBe(200);
    expect(body.mfa_required).toBe(false);
    expect(body.mfa_challenge ?? null).toBeNull();
    expect(Array.isArray(body.next)).toBe(false);
    for (const path of Object.values(body.next)) expect(path).toMatch(/^\//);
    expect(body).toMatchObject({ account: expect.any(Object), token: expect.any(Object) });
  });

  test('A 2.1: the account carries name, prefix, allowance, active, created_at in UTC and metadata', async () => {
    const sent = founding({ tenant_name: 'Ünïcode 翻訳 😀 Ltd.' });
    const { body } = await post(sent);
    expect(body.account).toMatchObject({
      id: expect.stringMatching(/./),
      name: 'Ünïcode 翻訳 😀 Ltd.',
      api_key_prefix: body.tenant_api_key.slice(0, 8),
      monthly_char_limit: 500_000,
      active: true,
      metadata: expect.any(Object),
    });
    expect(body.account.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/);
    expect(Math.abs(Date.now() - Date.parse(body.account.created_at))).toBeLessThan(60_000);
    const owned = /^(pay_|trial_|topup_|mfa_|sso_|invites_|storage_)/i;
    expect(Object.keys(body.account.metadata).filter((key) => owned.test(key))).toEqual([]);
  });

  test('A 2.3: the token response has its fields, defaults and user; tokens are opaque', async () => {
    const sent = founding({ email: 'Mixed.Case@Example.ORG' });
    const { body } = await post(sent);
    expect(body.token).toMatchObject({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'translate:jobs',
      refresh_token: expect.any(String),
      refresh_expires_in: 2_592_000,
      user: {
        user_id: expect.any(String),
        tenant_id: body.account.id,
        email: 'mixed.case@example.org',
        provider: 'email',
        role: expect.stringMatching(/^(agent_id_developer|global_administrator)$/),
      },
    });
    const { access_token: access, refresh_token: refresh } = body.token;
    expect(access).not.toBe(refresh);
    expect(access).not.toBe(body.tenant_api_key);
    expect(access.split('.')).not.toHaveLength(3);
    expect(access.length).toBeGreaterThanOrEqual(22);
    expect(refresh.length).toBeGreaterThanOrEqual(22);
  });

  test('A 2.2: the answer holds no password hash, authenticator secret or other field of the person', async () => {
    const { body } = await post(founding());
    expect(Object.keys(body.token.user).sort()).toEqual([
      'email',
      'provider',
      'role',
      'tenant_id',
      'user_id',
    ]);
    expect(JSON.stringify(body)).not.toMatch(/argon2|password|\$2[aby]\$|scrypt/);
  });

  test('A 5.1: the key is a 43-character URL-safe string, and no two are alike', async () => {
    const keys = new Set<string>();
    for (let i = 0; i < 3; i += 1) {
      const { body } = await post(founding());
      expect(body.tenant_api_key).toMatch(/^[A-Za-z0-9_-]{43}$/);
      keys.add(body.tenant_api_key);
    }
    expect(keys.size).toBe(3);
  });

  test('A 4.2 rule 2: the key is returned exactly once, its prefix of 8 characters ever after', async () => {
    const response = await app.request(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(founding()),
    });
    const text = await response.text();
    const { tenant_api_key: key } = JSON.parse(text);
    expect(text.split(key)).toHaveLength(2);
    expect([...response.headers].flat().join('\n')).not.toContain(key);

    const headers = { 'x-api-key': key };
    const job = await app.json('POST', '/api/translations', {
      headers,
      body: { source_text: 'Hello', target_lang: 'fr' },
    });
    expect(job.status).toBe(200);
    const list = await app.json('GET', '/api/translations', { headers });
    for (const later of [job, list]) expect(JSON.stringify(later.body)).not.toContain(key.slice(0, 9));
  });

  test('A 4.2: the founder is global_administrator of the new tenant in the database', async () => {
    const { body } = await post(founding());
    const sql = openSuperuser(app.superuserUrl);
    const rows = await everyRow(sql);
    const mine = rows.filter(
      ({ row }) => row.includes(body.token.user.user_id) && row.includes(body.account.id),
    );
    expect(mine.some(({ row }) => row.includes('global_administrator'))).toBe(true);
  });

  test('A 4.2: the address is lowercased before it is stored', async () => {
    const { status } = await post(founding({ email: 'SHOUTING.Unique@Example.Org' }));
    expect(status).toBe(200);
    const rows = await everyRow(openSuperuser(app.superuserUrl));
    expect(rows.some(({ row }) => row.includes('shouting.unique@example.org'))).toBe(true);
    expect(rows.some(({ row }) => row.includes('SHOUTING.Unique'))).toBe(false);
  });

  test('A 3.3, 4.2: one address may found several workspaces, each a tenant of its own', async () => {
    const email = 'serial.founder@example.org';
    const first = await post(founding({ email }));
    const second = await post(founding({ email }));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.account.id).not.toBe(first.body.account.id);
    expect(second.body.token.user.user_id).not.toBe(first.body.token.user.user_id);
  });

  test('A 4.2: key and token work at once, for the tenant that was founded', async () => {
    const { body } = await post(founding({ tenant_name: 'Works at once' }));
    for (const headers of [
      { 'x-api-key': body.tenant_api_key },
      { authorization: `Bearer ${body.token.access_token}` },
    ]) {
      const job = await app.json('POST', '/api/translations', {
        headers,
        body: { source_text: 'Hello', target_lang: 'fr' },
      });
      expect(job.status).toBe(200);
      expect(job.body.request.metadata.tenant).toEqual({ id: body.account.id, name: 'Works at once' });
    }
  });
});

describe('A 4.2: monthly_char_limit', () => {
  test.each([
    ['null stands for the default', null, 500_000],
    ['a smaller value is kept', 1, 1],
    ['the default itself is kept', 500_000, 500_000],
    ['one more is clamped, not rejected', 500_001, 500_000],
    ['a far larger value is clamped', 9_000_000_000_000, 500_000],
  ])('%s', async (_name, limit, kept) => {
    const { status, body } = await post(founding({ monthly_char_limit: limit }));
    expect(status).toBe(200);
    expect(body.account.monthly_char_limit).toBe(kept);
  });

  test.each([
    ['zero', 0],
    ['a negative', -1],
    ['a fraction', 1.5],
    ['a string', '1000'],
    ['a boolean', true],
  ])('%s is no integer >= 1: 422 naming the field, nothing created', async (_name, limit) => {
    const { body } = await expectRefused(founding({ monthly_char_limit: limit }), { status: 422 });
    expect(body.detail[0].loc).toContain('monthly_char_limit');
  });
});

describe('A 2.1, 4.2: metadata', () => {
  const owned = {
    pay_tier: 'smuggled-01',
    PAY_CUSTOMER_ID: 'smuggled-02',
    Trial_Chars_Granted: 'smuggled-03',
    trial_: 'smuggled-04',
    topup_chars_purchased: 'smuggled-05',
    tOpUp_x: 'smuggled-06',
    mfa_required: 'smuggled-07',
    MFA_required_for_sso: 'smuggled-08',
    sso_domain: 'smuggled-09',
    SSO_x: 'smuggled-10',
    invites_pending: 'smuggled-11',
    Invites_x: 'smuggled-12',
    storage_binding: 'smuggled-13',
    STORAGE_X: 'smuggled-14',
    oidc_org_id: 'smuggled-15',
    OIDC_Org_Id: 'smuggled-16',
  };
  const free = {
    team: 'docs',
    payments: 'kept',
    trial: true,
    pay: 1,
    my_pay_tier: 'kept',
    storages: ['a', 1, null],
    nested: { deep: { er: 'kept' } },
    'clé 😀': 'kept',
    '': 'kept',
  };

  test('platform-owned keys are stripped in any case, every other key is kept as it was sent', async () => {
    const { status, body } = await post(founding({ metadata: { ...owned, ...free } }));
    expect(status).toBe(200);
    expect(body.account.metadata).toEqual(free);
  });

  test('a stripped key is stored nowhere, and its value neither', async () => {
    await post(founding({ metadata: { ...owned, marker: 'kept-marker' } }));
    const rows = await everyRow(openSuperuser(app.superuserUrl));
    expect(rows.some(({ row }) => row.includes('kept-marker'))).toBe(true);
    expect(rows.filter(({ row }) => row.includes('smuggled-'))).toEqual([]);
  });

  test.each([
    ['an array', ['pay_tier']],
    ['a string', 'pay_tier'],
    ['a number', 7],
  ])('%s is no object: 422', async (_name, metadata) => {
    await expectRefused(founding({ metadata }), { status: 422 });
  });
});

describe('A 4.2 rule 1: a refusal creates nothing', () => {
  test.each(['tenant_name', 'email', 'password'])('without %s: 422 naming it', async (field) => {
    const body = founding({ [field]: undefined });
    const { body: refusal } = await expectRefused(body, { status: 422 });
    for (const entry of refusal.detail) {
      expect(entry).toMatchObject({
        loc: expect.any(Array),
        msg: expect.any(String),
        type: expect.any(String),
      });
    }
    expect(refusal.detail.map((entry: { loc: unknown[] }) => entry.loc.at(-1))).toEqual([field]);
  });

  test.each([
    ['tenant_name', 42],
    ['tenant_name', null],
    ['email', ['a@example.org']],
    ['email', null],
    ['password', 123_456_789_012],
    ['password', { length: 12 }],
    ['invite_token', 42],
  ])('%s of a wrong type (%j): 422', async (field, value) => {
    await expectRefused(founding({ [field]: value }), { status: 422 });
  });

  test.each([
    'plain',
    '@example.org',
    'person@',
    'per son@example.org',
    'a@b@example.org',
    'person@example..org',
    'person@exam ple.org',
    'person@example.org\nbcc: other@example.org',
  ])('the address %j: 400 invalid email address', async (email) => {
    await expectRefused(founding({ email }), { status: 400, detail: /invalid email address/ });
  });

  test('an address of 100,000 characters is refused, by policy or by schema', async () => {
    const sql = openSuperuser(app.superuserUrl);
    const before = await accounts(sql);
    const { status } = await post(founding({ email: `${'x'.repeat(100_000)}@example.org` }));
    expect([400, 422]).toContain(status);
    expect(await accounts(sql)).toEqual(before);
  });

  test.each([
    ['no character', ''],
    ['7 characters', 'abcdefg'],
    ['7 astral characters, 14 code units', '😀😁😂🤣😃😄😅'],
  ])('a password of %s: 422, under the schema minimum of 8', async (_name, password) => {
    const { body } = await expectRefused(founding({ password }), { status: 422 });
    expect(body.detail[0].loc).toContain('password');
    if (password !== '') expect(JSON.stringify(body)).not.toContain(password);
  });

  test.each([
    ['8 characters', 'xK9!qwZ2'],
    ['11 characters', 'xK9!qwZ2#pL'],
    ['8 astral characters, 16 code units', '😀😁😂🤣😃😄😅😆'],
    ['11 astral characters, 22 code units', '😀😁😂🤣😃😄😅😆😉😊😋'],
  ])('a password of %s: 400 too short, under the policy minimum of 12', async (_name, password) => {
    await expectRefused(founding({ password }), { status: 400, detail: /short|12/ });
  });

  test.each(['xK9!qwZ2#pLm', '😀😁😂🤣😃😄😅😆😉😊😋😎'])(
    'a password of just 12 characters is enough (%s)',
    async (password) => {
      expect((await post(founding({ password }))).status).toBe(200);
    },
  );

  test.each(['1qaz2wsx3edc', 'q1w2e3r4t5y6', '1q2w3e4r5t6y', '123456789012', 'passwordpassword'])(
    'the common password %s: 400',
    async (password) => {
      await expectRefused(founding({ password }), { status: 400, detail: /common/ });
    },
  );

  test.each([
    ['extraordinary.person@example.org', 'extraordinary.person'],
    ['Extraordinary.Person@example.org', 'Extraordinary.Person'],
  ])('the local part of %s as its password: 400', async (email, password) => {
    await expectRefused(founding({ email, password }), { status: 400, detail: /local part|e-?mail/i });
  });

  test('a refused password is not spelled out in the answer', async () => {
    const { body } = await expectRefused(founding({ password: 'q1w2e3r4t5y6' }), { status: 400 });
    expect(JSON.stringify(body)).not.toContain('q1w2e3r4t5y6');
  });

  test('several faults at once still create nothing', async () => {
    const { body } = await post({ tenant_name: 7, email: 7, password: 'short', monthly_char_limit: -1 });
    const named = body.detail.map((entry: { loc: unknown[] }) => entry.loc.at(-1)).sort();
    expect(named).toEqual(['email', 'monthly_char_limit', 'password', 'tenant_name']);
  });

  test('after a refusal the same name and address can still be registered', async () => {
    const body = founding();
    await expectRefused({ ...body, password: 'too short!' }, { status: 400 });
    expect((await post(body)).status).toBe(200);
  });
});

describe('A 4.2: invite_token', () => {
  test.each([
    ['of no known shape', 'nonsense'],
    ['of an unknown tenant', `${'0'.repeat(32)}.${'A'.repeat(43)}`],
    ['with quotes', "' or 1=1 --.'"],
    ['of dots', '...'],
  ])('a token %s: 400 invalid or expired invite, and no tenant is founded', async (_name, token) => {
    await expectRefused(founding({ invite_token: token }), {
      status: 400,
      detail: 'invalid or expired invite',
    });
  });

  test('a real tenant id with a wrong secret is told nothing else', async () => {
    const { tenantId } = await app.signUp();
    await expectRefused(founding({ invite_token: `${tenantId}.wrong` }), {
      status: 400,
      detail: 'invalid or expired invite',
    });
  });

  test('null founds a workspace like no token at all', async () => {
    const { status, body } = await post(founding({ invite_token: null }));
    expect(status).toBe(200);
    expect(body.tenant_api_key).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});

describe('A 2.1: secrets at rest', () => {
  test('key, tokens and password stand in no column of any table, in no encoding', async () => {
    const password = 'Wholly-Unrepeatable-Passphrase-77';
    const { body } = await post(founding({ tenant_name: 'Searchable Name', password }));
    const key: string = body.tenant_api_key;
    const { access_token: access, refresh_token: refresh } = body.token;
    // Use each credential once: what serves a request must not write it down either.
    for (const headers of [
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
      { authorization: `Bearer ${access}` },
    ]) {
      const job = await app.json('POST', '/api/translations', {
        headers,
        body: { source_text: 'Hello', target_lang: 'fr' },
      });
      expect(job.status).toBe(200);
    }

    const rows = await everyRow(openSuperuser(app.superuserUrl));
    // The search itself finds what is there.
    expect(rows.some(({ row }) => row.includes('Searchable Name'))).toBe(true);
    for (const secret of [key, access, refresh, password]) {
      for (const form of disguises(secret)) {
        expect(rows.filter(({ row }) => row.includes(form)).map(({ table }) => table)).toEqual([]);
      }
    }
  });

  test('of the key only a SHA-256 hash and the first 8 characters are kept', async () => {
    const { body } = await post(founding());
    const key: string = body.tenant_api_key;
    const rows = await everyRow(openSuperuser(app.superuserUrl));
    const hash = createHash('sha256').update(key).digest();
    const forms = [hash.toString('hex'), hash.toString('base64'), hash.toString('base64url')];
    expect(rows.some(({ row }) => forms.some((form) => row.includes(form)))).toBe(true);
    expect(rows.some(({ row }) => row.includes(key.slice(0, 8)))).toBe(true);
    expect(rows.filter(({ row }) => row.includes(key.slice(0, 9)))).toEqual([]);
  });

  test('a password is not kept as a bare digest either', async () => {
    const password = 'Digested-Nowhere-At-All-88';
    expect((await post(founding({ password }))).status).toBe(200);
    const rows = await everyRow(openSuperuser(app.superuserUrl));
    for (const name of ['md5', 'sha1', 'sha256', 'sha512']) {
      const digest = createHash(name).update(password).digest();
      for (const form of [digest.toString('hex'), digest.toString('base64'), digest.toString('base64url')]) {
        expect(rows.some(({ row }) => row.includes(form))).toBe(false);
      }
    }
  });
});

function cookieAttributes(setCookie: string): Map<string, string> {
  const pairs = setCookie.split(';').map((part) => {
    const [name = '', ...value] = part.trim().split('=');
    return [name.toLowerCase(), value.join('=')] as const;
  });
  return new Map(pairs);
}

describe('A 5.1: the session cookie of a signup', () => {
  const secure = useTestApp({
    env: {
      AUTH_RATE_LIMIT_ENABLED: 'false',
      BASE_URL: 'https://lingua.example.org',
      ACCESS_TOKEN_TTL_SECONDS: '120',
      REFRESH_TOKEN_TTL_SECONDS: '240',
      DEFAULT_MONTHLY_CHAR_LIMIT: '1000',
    },
  });

  test('ll_session holds the access token: HttpOnly, SameSite=Lax, Path=/, Max-Age of the token, not Secure on http', async () => {
    const { headers, body } = await post(founding());
    const [cookie = '', ...others] = headers.getSetCookie();
    expect(others).toEqual([]);
    const attributes = cookieAttributes(cookie);
    expect(attributes.get('ll_session')).toBe(body.token.access_token);
    expect(attributes.has('httponly')).toBe(true);
    expect(attributes.get('samesite')?.toLowerCase()).toBe('lax');
    expect(attributes.get('path')).toBe('/');
    expect(attributes.get('max-age')).toBe('3600');
    expect(attributes.has('domain')).toBe(false);
    expect(attributes.has('secure')).toBe(false);
  });

  test('under an https BASE_URL the cookie is Secure; lives follow the settings', async () => {
    const { headers, body } = await post(founding(), {}, secure);
    const attributes = cookieAttributes(headers.getSetCookie()[0] ?? '');
    expect(attributes.has('secure')).toBe(true);
    expect(attributes.get('max-age')).toBe('120');
    expect(body.token).toMatchObject({ expires_in: 120, refresh_expires_in: 240 });
  });

  test('DEFAULT_MONTHLY_CHAR_LIMIT is default and ceiling of a signup alike', async () => {
    const unsaid = await post(founding(), {}, secure);
    const larger = await post(founding({ monthly_char_limit: 1001 }), {}, secure);
    const smaller = await post(founding({ monthly_char_limit: 999 }), {}, secure);
    const limits = [unsaid, larger, smaller].map(({ body }) => body.account.monthly_char_limit);
    expect(limits).toEqual([1000, 1000, 999]);
  });

  test('C 7: the origin of BASE_URL is no other site', async () => {
    const { status } = await post(founding(), { origin: 'https://lingua.example.org' }, secure);
    expect(status).toBe(200);
  });

  test('C 7: Sec-Fetch-Site: cross-site is refused even beside our own Origin', async () => {
    const headers = { origin: 'https://lingua.example.org', 'sec-fetch-site': 'cross-site' };
    expect((await post(founding(), headers, secure)).status).toBe(403);
  });

  test.each([
    'https://evil.example',
    'https://lingua.example.org.evil.example',
    'https://evil.example/https://lingua.example.org',
  ])('C 7: Origin %s is refused with 403, no cookie, nothing created', async (origin) => {
    const sql = openSuperuser(secure.superuserUrl);
    const before = await accounts(sql);
    const answer = await post(founding(), { origin }, secure);
    expect(answer.status).toBe(403);
    expect(answer.body.detail).toEqual(expect.any(String));
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await accounts(sql)).toEqual(before);
  });
});

describe('C 7: a request that would set the cookie, from another site', () => {
  test('without BASE_URL the own origin is the default one, or the one really served', async () => {
    const answers = [
      await post(founding(), { origin: 'http://127.0.0.1:8080' }),
      await post(founding(), { origin: app.address }),
    ];
    expect(answers.map(({ status }) => status)).toContain(200);
  });

  test.each(['same-origin', 'none'])('Sec-Fetch-Site: %s is accepted', async (site) => {
    expect((await post(founding(), { 'sec-fetch-site': site })).status).toBe(200);
  });

  test.each([
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['a foreign Origin', { origin: 'http://evil.example' }],
    [
      'a foreign Origin beside Sec-Fetch-Site: none',
      { origin: 'http://evil.example', 'sec-fetch-site': 'none' },
    ],
    ['our origin as a prefix of theirs', { origin: 'http://127.0.0.1:8080.evil.example' }],
  ])('%s: 403, no cookie, nothing created', async (_name, headers) => {
    const sql = openSuperuser(app.superuserUrl);
    const before = await accounts(sql);
    const answer = await post(founding(), headers);
    expect(answer.status).toBe(403);
    expect(answer.body.detail).toEqual(expect.any(String));
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await accounts(sql)).toEqual(before);
  });

  test('through the tRPC door no cookie is set for another site either', async () => {
    const { headers } = await app.json('POST', '/trpc/auth.signUpWithEmail', {
      body: { json: founding() },
      headers: { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
    });
    expect(headers.getSetCookie()).toEqual([]);
  });
});

describe('EMAIL_SIGNUP_ENABLED=false', () => {
  const closed = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', EMAIL_SIGNUP_ENABLED: 'false' } });

  test('A 4.2: founding answers 403 email signup is disabled, and creates nothing', async () => {
    await expectRefused(founding(), { status: 403, detail: 'email signup is disabled' }, closed);
  });

  test('A 4.2 rule 4: the invite path is gated by the same switch', async () => {
    await expectRefused(
      founding({ invite_token: `${'0'.repeat(32)}.secret` }),
      { status: 403, detail: 'email signup is disabled' },
      closed,
    );
  });

  test('the tRPC door is closed too', async () => {
    const sql = openSuperuser(closed.superuserUrl);
    const before = await accounts(sql);
    const { status, body } = await closed.json('POST', '/trpc/auth.signUpWithEmail', {
      body: { json: founding() },
    });
    expect(status).toBe(403);
    expect(JSON.stringify(body)).toContain('email signup is disabled');
    expect(await accounts(sql)).toEqual(before);
  });
});

describe('two at once', () => {
  test('20 signups side by side found 20 tenants, none mixed up with another', async () => {
    const bodies = Array.from({ length: 20 }, () => founding());
    const answers = await Promise.all(bodies.map((body) => post(body)));
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
    for (const [i, { body }] of answers.entries()) {
      expect(body.account.name).toBe(bodies[i]!.tenant_name);
      expect(body.token.user).toMatchObject({ email: bodies[i]!.email, tenant_id: body.account.id });
    }
    expect(new Set(answers.map(({ body }) => body.account.id)).size).toBe(20);
    expect(new Set(answers.map(({ body }) => body.tenant_api_key)).size).toBe(20);
  });
});
