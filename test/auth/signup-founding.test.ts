import { describe, expect, test } from 'vitest';
import { founding } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { everyRow } from '#test/setup/stored-rows.ts';
import { SIGNUP, signingUpAt } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const { post } = signingUpAt(app);

describe('A 4.2: the response of a founding signup', () => {
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

  test('A 2.2: the response holds no password hash, authenticator secret or other field of the person', async () => {
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
    const response = await app.request(SIGNUP, {
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

describe('concurrent signups', () => {
  test('20 found 20 tenants, without mixing their data', async () => {
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
