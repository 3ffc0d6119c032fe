import { beforeEach, describe, expect, test } from 'vitest';
import { signUp } from '#test/auth/sign-in.ts';
import { administrator, developer, founding, openTeam, type Team } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let team: Team;
beforeEach(async () => {
  team = await openTeam(app, { tenant_name: 'The Übersetzer' });
});

const preview = (token: unknown) =>
  app.json('POST', '/api/auth/invites/preview', { body: { invite_token: token } });

async function expectInvalid(token: string) {
  const { status, body } = await preview(token);
  expect([status, body], token).toEqual([200, { valid: false }]);
}

describe('C 2: a usable invite', () => {
  test('shows the workspace’s name, the role, no address and when it ends', async () => {
    const { invite_token, expires_at } = await team.invite();
    const { status, body } = await preview(invite_token);
    expect(status).toBe(200);
    expect(body).toEqual({
      valid: true,
      tenant_name: 'The Übersetzer',
      role: developer,
      email: null,
      expires_at,
    });
  });

  test('shows the address it is bound to', async () => {
    const { invite_token } = await team.invite({ email: 'Ada@example.org', role: administrator });
    expect((await preview(invite_token)).body).toMatchObject({
      valid: true,
      email: 'ada@example.org',
      role: administrator,
    });
  });

  test('a preview does not use it up', async () => {
    const { invite_token } = await team.invite();
    for (let i = 0; i < 3; i++) expect((await preview(invite_token)).body.valid).toBe(true);
    expect((await signUp(app, founding({ invite_token }))).status).toBe(200);
  });
});

describe('A 4.1: every unusable token gives the same 200 with valid false', () => {
  test('malformed', async () => {
    const forms = [
      ...['nonsense', 'a.b', '.', '..', `${team.tenantId}.`, '%00', '😀.😀', 'x'.repeat(20_000)],
      ...['\0.\0', `${team.tenantId}.\0`, '\ud800', ''],
    ];
    for (const token of forms) await expectInvalid(token);
  });

  test('of an unknown tenant, of another tenant, with a wrong secret', async () => {
    const { invite_token } = await team.invite();
    const secret = invite_token.slice(team.tenantId.length + 1);
    const other = await openTeam(app);
    const forged = [
      `nobody.${secret}`,
      `*.${secret}`,
      `${other.tenantId}.${secret}`,
      `${invite_token}A`,
      invite_token.slice(0, -1),
      `${team.tenantId}.${secret.split('').reverse().join('')}`,
      secret,
    ];
    for (const token of forged) await expectInvalid(token);
  });

  test('expired', async () => {
    const { invite_token } = await team.invite();
    await openSuperuser(app.superuserUrl)`
      update invites set expires_at = now() - interval '1 second' where tenant_id = ${team.tenantId}`;
    await expectInvalid(invite_token);
  });

  test('withdrawn', async () => {
    const { invite_token, invite_id } = await team.invite();
    await app.json('DELETE', `/api/tenants/invites/${invite_id}`, { headers: team.admin });
    await expectInvalid(invite_token);
  });

  test('redeemed', async () => {
    const { invite_token } = await team.invite();
    await signUp(app, founding({ invite_token }));
    await expectInvalid(invite_token);
  });

  test('another kind of credential', async () => {
    for (const token of [team.apiKey, team.founder.accessToken, `${team.tenantId}.${team.apiKey}`])
      await expectInvalid(token);
  });
});

describe('C 7: the body', () => {
  test.each([[{}], [{ invite_token: 1 }], [{ invite_token: null }]])('%j is 422', async (body) => {
    expect((await app.json('POST', '/api/auth/invites/preview', { body })).status).toBe(422);
  });

  test('A 5.2: is public: a wrong credential beside it does not matter', async () => {
    const { invite_token } = await team.invite();
    const { status, body } = await app.json('POST', '/api/auth/invites/preview', {
      headers: { authorization: 'Bearer wrong', 'x-api-key': 'wrong' },
      body: { invite_token },
    });
    expect([status, body.valid]).toEqual([200, true]);
  });
});
