import { describe, expect, test } from 'vitest';
import { bearer, env, found, founding } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { contentsOf } from '#test/setup/stored-rows.ts';
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
    expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const who = { userId: token.user.user_id, tenantId: account.id, email: 'mixed.case@example.org' };
    expectTokens({ ...answer, body: token }, who);
    expect(token.scope).toBe('translate:jobs');
    expect((await meOf(app, token.access_token)).body.user.role).toBe('global_administrator');
    for (const headers of [{ 'x-api-key': key }, bearer(key), bearer(token.access_token)]) {
      const body = { source_text: 'Hello', target_lang: 'fr' };
      const job = await app.json('POST', '/api/translations', { headers, body });
      expect(job.body.request.metadata.tenant).toEqual({ id: account.id, name: account.name });
    }
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
    [999, 999],
    [1001, 1000],
  ])('%j becomes %j where the default is 1000', async (limit, kept) => {
    const { body } = await signUp(small, founding({ monthly_char_limit: limit }));
    expect(body.account.monthly_char_limit).toBe(kept);
  });
});

describe('a refused signup creates nothing', () => {
  const wrong: [string, unknown][] = [
    ['tenant_name', undefined],
    ['email', null],
    ['invite_token', 42],
    ['monthly_char_limit', 0],
    ['monthly_char_limit', 1.5],
    ['metadata', ['pay_tier']],
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

  test.each(['plain', 'per son@example.org', 'a@example.org\nbcc: b@c.org'])(
    'the address %j is 400',
    async (email) => {
      const before = await contentsOf(app);
      const { status, body, headers } = await signUp(app, founding({ email }));
      expect([status, body]).toEqual([400, refusalOf('invalid email address')]);
      expect(headers.getSetCookie()).toEqual([]);
      expect(await contentsOf(app)).toBe(before);
    },
  );

  test('null as invite token is none, an empty one is an invalid one', async () => {
    const sent = founding({ invite_token: '' });
    const refused = await signUp(app, sent);
    expect([refused.status, refused.body]).toEqual([400, refusalOf('invalid or expired invite')]);
    expect((await signUp(app, { ...sent, invite_token: null })).body.tenant_api_key).toMatch(/^[\w-]{43}$/);
    expect((await signIn(app, sent)).status).toBe(200);
  });
});
