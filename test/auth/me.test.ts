import { beforeAll, describe, expect, test } from 'vitest';
import { apiKey, bearer, cookie, found, invite, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { enrol } from './mfa.ts';
import { expectRefused, me, meOf, signIn } from './sign-in.ts';

const OPERATOR_KEY = 'an-operator-key-of-some-length-0123456789';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: OPERATOR_KEY } });

let ada: Person;
let member: Person;
beforeAll(async () => {
  ada = await found(app, { metadata: { team: 'docs', payments: 'kept' } });
  member = await join(app, ada);
});

describe('A 2.4: the caller’s own user and account', () => {
  test('an administrator: the user with the effective role, and the whole account', async () => {
    const { status, body } = await meOf(app, ada.accessToken);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: {
        user_id: ada.userId,
        tenant_id: ada.tenantId,
        email: ada.email,
        provider: 'email',
        role: 'global_administrator',
        totp_enrolled: false,
      },
      tenant: {
        id: ada.tenantId,
        name: ada.tenantName,
        api_key_prefix: ada.apiKey.slice(0, 8),
        monthly_char_limit: 500_000,
        active: true,
        metadata: { team: 'docs', payments: 'kept' },
      },
    });
    expect(body.tenant.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/);
  });

  test('a member: their own role, and the account', async () => {
    const { body } = await meOf(app, member.accessToken);
    expect(body.user).toMatchObject({
      user_id: member.userId,
      email: member.email,
      role: 'agent_id_developer',
      totp_enrolled: false,
    });
    expect(body.tenant).toMatchObject({ id: ada.tenantId, metadata: { team: 'docs', payments: 'kept' } });
  });

  test('A 2.1: platform-owned keys, in any case, are an administrator’s alone', async () => {
    const keys = [
      'pay_tier',
      'PAY_X',
      'trial_a',
      'topup_a',
      'mfa_a',
      'Mfa_B',
      'sso_a',
      'invites_a',
      'storage_a',
    ];
    const owned = Object.fromEntries([...keys, 'oidc_org_id'].map((key) => [key, `the-${key}`]));
    const fresh = await found(app, { metadata: { team: 'docs' } });
    const other = await join(app, fresh);
    await openSuperuser(app.superuserUrl)`
      update tenants set metadata = metadata || ${JSON.stringify(owned)}::text::jsonb
      where tenant_id = ${fresh.tenantId}`;
    expect((await meOf(app, fresh.accessToken)).body.tenant.metadata).toMatchObject({
      ...owned,
      team: 'docs',
    });
    expect((await meOf(app, other.accessToken)).body.tenant.metadata).toEqual({ team: 'docs' });
  });

  test('A 2.4: the invite ledger is an administrator’s alone, and holds no token', async () => {
    const fresh = await found(app);
    const other = await join(app, fresh);
    const email = 'somebody.awaited@example.org';
    const { invite_token: token } = await invite(app, fresh, { email });
    const { body: listed } = await app.json('GET', '/api/tenants/invites', {
      headers: bearer(fresh.accessToken),
    });
    const pending = listed.find((record: { email: string }) => record.email === email);
    const full = JSON.stringify((await meOf(app, fresh.accessToken)).body.tenant);
    expect(full).toContain(pending.invite_id);
    expect(full).not.toContain(token.split('.')[1]);
    const narrow = JSON.stringify((await meOf(app, other.accessToken)).body);
    expect(narrow).not.toContain(pending.invite_id);
    expect(narrow).not.toContain(email);
  });

  test('A 5.3 rule 6: totp_enrolled shows whether there is an authenticator; its secret is never shown', async () => {
    const other = await join(app, ada);
    const { secret, recoveryCodes } = await enrol(app, other);
    const { body } = await meOf(app, other.accessToken);
    expect(body.user.totp_enrolled).toBe(true);
    const text = JSON.stringify(body);
    for (const hidden of [secret, ...recoveryCodes]) expect(text).not.toContain(hidden);
    expect(text).not.toMatch(/argon2|_hash|_secret|subject/);
    expect((await meOf(app, ada.accessToken)).body.user.totp_enrolled).toBe(false);
  });

  test('C 7: a change of role shows at the next request', async () => {
    const other = await join(app, ada);
    for (const role of ['global_administrator', 'agent_id_developer']) {
      const headers = bearer(ada.accessToken);
      await app.json('PATCH', `/api/auth/users/${other.userId}/role`, { headers, body: { role } });
      expect((await meOf(app, other.accessToken)).body.user.role).toBe(role);
    }
  });
});

describe('A 5.2, Bearer only', () => {
  test('missing bearer token: nothing, a cookie, a key, another scheme', async () => {
    const without = [
      {},
      cookie(ada.accessToken),
      apiKey(ada.apiKey),
      apiKey(ada.accessToken),
      apiKey(OPERATOR_KEY),
      { authorization: `Basic ${Buffer.from(`${ada.email}:${ada.password}`).toString('base64')}` },
    ];
    for (const headers of without) expectRefused(await me(app, headers), 401, 'missing bearer token');
  });

  test('a token in the query does not count', async () => {
    for (const name of ['access_token', 'token'])
      expectRefused(
        await app.json('GET', `/api/auth/me?${name}=${ada.accessToken}`),
        401,
        'missing bearer token',
      );
  });

  test('invalid or expired bearer token: an unknown one, a key, a refresh token', async () => {
    const wrong = ['nonsense', ada.apiKey, ada.refreshToken, OPERATOR_KEY, `${ada.accessToken}x`];
    for (const value of wrong) expectRefused(await meOf(app, value), 401, 'invalid or expired bearer token');
  });

  test('invalid or expired bearer token: expired, or of a member who was revoked', async () => {
    const expired = (await signIn(app, ada)).body.access_token;
    await openSuperuser(app.superuserUrl)`
      update tokens set expires_at = now() - interval '1 second'
      where token_hash = sha256(convert_to(${expired}, 'UTF8'))`;
    expectRefused(await meOf(app, expired), 401, 'invalid or expired bearer token');
    const gone = await join(app, ada);
    await app.json('DELETE', `/api/auth/users/${gone.userId}`, { headers: bearer(ada.accessToken) });
    expectRefused(await meOf(app, gone.accessToken), 401, 'invalid or expired bearer token');
  });

  test('tenant not found for bearer token: of an account that is not active', async () => {
    const idle = await found(app);
    const sql = openSuperuser(app.superuserUrl);
    await sql`update tenants set active = false where tenant_id = ${idle.tenantId}`;
    expectRefused(await meOf(app, idle.accessToken), 401, 'tenant not found for bearer token');
    await sql`update tenants set active = true where tenant_id = ${idle.tenantId}`;
    expect((await meOf(app, idle.accessToken)).status).toBe(200);
  });

  test('C 7: the token decides, whatever key or cookie is beside it', async () => {
    const ben = await found(app);
    for (const beside of [
      apiKey(ben.apiKey),
      apiKey('nonsense'),
      apiKey(OPERATOR_KEY),
      cookie(ben.accessToken),
    ]) {
      const { status, body } = await me(app, { ...bearer(ada.accessToken), ...beside });
      expect(status).toBe(200);
      expect(body.user.user_id).toBe(ada.userId);
    }
  });

  test('A 5.1 rule 3: X-Tenant-ID narrows to the own account', async () => {
    const ben = await found(app);
    const own = await me(app, { ...bearer(ada.accessToken), 'x-tenant-id': ada.tenantId });
    expect(own.status).toBe(200);
    for (const id of [ben.tenantId, 'nobody', '*'])
      expectRefused(await me(app, { ...bearer(ada.accessToken), 'x-tenant-id': id }), 401);
  });
});
