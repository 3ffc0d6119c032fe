import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bearer, env, found, founding } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { contentsOf, eventsOf } from '#test/setup/stored-rows.ts';
import { expectInvalid, expectTokens, meOf, signIn, signUp } from './sign-in.ts';

const app = useTestApp({ env });

describe('a signup (A 4.2)', () => {
  test('creates a workspace, whose key is shown only here, and signs its administrator in', async () => {
    const sent = founding({ tenant_name: 'Ünïcode 翻訳 😀 Ltd.', email: 'Mixed.Case@Example.ORG' });
    const answer = await signUp(app, sent);
    const { account, token, tenant_api_key: key, ...rest } = answer.body;
    expect(rest).toEqual({ mfa_required: false, next: { translations: '/api/translations' } });
    expect(account).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'Ünïcode 翻訳 😀 Ltd.',
      api_key_prefix: key.slice(0, 8),
      monthly_char_limit: 500_000,
      active: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/),
      metadata: {},
    });
    expect(Math.abs(Date.now() - Date.parse(account.created_at))).toBeLessThan(60_000);
    expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const who = { userId: token.user.user_id, tenantId: account.id, email: 'mixed.case@example.org' };
    expectTokens({ ...answer, body: token }, who);
    expect(Object.keys(token.user).toSorted()).toEqual(['email', 'provider', 'role', 'tenant_id', 'user_id']);
    expect(token.scope).toBe('translate:jobs');
    expect((await meOf(app, token.access_token)).body.user.role).toBe('global_administrator');
    for (const headers of [{ 'x-api-key': key }, bearer(key), bearer(token.access_token)]) {
      const job = await app.json('POST', '/api/translations', {
        headers,
        body: { source_text: 'Hello', target_lang: 'fr' },
      });
      expect(job.body.request.metadata.tenant).toEqual({ id: account.id, name: account.name });
      expect(JSON.stringify(job.body)).not.toContain(key.slice(0, 9));
    }
    expect(await eventsOf(app, account.id, 'tenant_founded')).toMatchObject([
      { actor: ['member', who.userId], target: account.id, details: { way: 'signup' } },
    ]);
  });

  test('stores no secret, in no encoding: of the key its SHA-256 and prefix; the address in lowercase', async () => {
    const password = 'Wholly-Unrepeatable-Passphrase-77';
    const { body } = await signUp(app, founding({ email: 'SHOUTING.Unique@Example.Org', password }));
    const { tenant_api_key: key, token } = body;
    for (const headers of [{ 'x-api-key': key }, bearer(token.access_token)])
      expect((await app.json('GET', '/api/translations', { headers })).status).toBe(200);
    const stored = await contentsOf(app);
    expect(stored).toContain('shouting.unique@example.org');
    expect(stored).toContain(createHash('sha256').update(key).digest('hex'));
    expect(stored).toContain(key.slice(0, 8));
    for (const text of ['SHOUTING.Unique', key.slice(0, 9)]) expect(stored).not.toContain(text);
    for (const secret of [key, token.access_token, token.refresh_token, password])
      for (const form of ['utf8', 'hex', 'base64', 'base64url'] as const)
        expect(stored).not.toContain(Buffer.from(secret).toString(form));
    for (const name of ['md5', 'sha1', 'sha256', 'sha512'])
      expect(stored).not.toContain(createHash(name).update(password).digest('hex'));
  });

  test('the same address may create several workspaces, also concurrently', async () => {
    const { email } = founding();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => signUp(app, founding({ email, tenant_name: `Workspace ${i}` }))),
    );
    for (const [i, { body }] of answers.entries()) {
      expect(body.account.name).toBe(`Workspace ${i}`);
      expect(body.token.user).toMatchObject({ email, tenant_id: body.account.id });
    }
    for (const of of [
      answers.map(({ body }) => body.account.id),
      answers.map(({ body }) => body.tenant_api_key),
      answers.map(({ body }) => body.token.user.user_id),
    ])
      expect(new Set(of).size).toBe(6);
  });

  test('drops platform-owned metadata and keeps the rest as it was sent', async () => {
    const owned = { pay_tier: 'smuggled', Trial_x: 'smuggled', OIDC_Org_Id: 'smuggled' };
    const free = { team: 'docs', storages: ['a', 1, null], nested: { deep: 'kept' }, 'clé 😀': '', '': 1 };
    const { body } = await signUp(app, founding({ metadata: { ...owned, ...free } }));
    expect(body.account.metadata).toEqual(free);
    expect(await contentsOf(app)).not.toContain('smuggled');
  });
});

describe('monthly_char_limit', () => {
  const small = useTestApp({ env: { ...env, DEFAULT_MONTHLY_CHAR_LIMIT: '1000' } });

  test.each([
    [undefined, 1000],
    [null, 1000],
    [999, 999],
    [1001, 1000],
    [1e16, 1000],
    [Number.MAX_VALUE, 1000],
  ])('%j becomes %j where the default is 1000', async (limit, kept) => {
    const { body } = await signUp(small, founding({ monthly_char_limit: limit }));
    expect(body.account.monthly_char_limit).toBe(kept);
  });
});

describe('a refused signup creates nothing', () => {
  const wrong: [string, unknown][] = [
    ['tenant_name', undefined],
    ['tenant_name', 42],
    ['email', null],
    ['password', { length: 12 }],
    ['invite_token', 42],
    ['monthly_char_limit', 0],
    ['monthly_char_limit', 1.5],
    ['monthly_char_limit', '1000'],
    ['metadata', ['pay_tier']],
    ['metadata', 'pay_tier'],
  ];

  test('a wrong field is 422, and named; so are several', async () => {
    await found(app);
    const before = await contentsOf(app);
    for (const [field, value] of wrong) expectInvalid(await signUp(app, founding({ [field]: value })), field);
    const several = { tenant_name: 7, email: 7, password: 'short', monthly_char_limit: -1 };
    const { body } = await signUp(app, several);
    const named = body.detail.map((entry: { loc: unknown[] }) => entry.loc.at(-1));
    expect(named.toSorted()).toEqual(Object.keys(several).toSorted());
    expectInvalid(await signUp(app, founding({ email: `${'x'.repeat(100_000)}@example.org` })), 'email');
    expect(await contentsOf(app)).toBe(before);
  });

  test.each([
    'plain',
    '@example.org',
    'per son@example.org',
    'a@b@example.org',
    'a@example.org\nbcc: b@c.org',
  ])('the address %j is 400', async (email) => {
    const before = await contentsOf(app);
    const { status, body, headers } = await signUp(app, founding({ email }));
    expect([status, body]).toEqual([400, { detail: 'invalid email address' }]);
    expect(headers.getSetCookie()).toEqual([]);
    expect(await contentsOf(app)).toBe(before);
  });

  test('null as invite token is none, an empty one is an invalid one', async () => {
    const sent = founding({ invite_token: '' });
    const refused = await signUp(app, sent);
    expect([refused.status, refused.body]).toEqual([400, { detail: 'invalid or expired invite' }]);
    expect((await signUp(app, { ...sent, invite_token: null })).body.tenant_api_key).toMatch(/^[\w-]{43}$/);
    expect((await signIn(app, sent)).status).toBe(200);
  });
});
