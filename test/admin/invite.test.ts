import { beforeEach, describe, expect, test } from 'vitest';
import { found, freshEmail, type Person, password } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf, eventsOf } from '#test/setup/stored-rows.ts';
import { byTheServer, env, operateHere } from './command.ts';

const app = useTestApp({ env });

let founder: Person;
beforeEach(async () => {
  founder = await found(app);
});

const redeem = (token: string, email = freshEmail()) =>
  app.json('POST', '/api/auth/signup/email', {
    body: { tenant_name: 'ignored', email, password, invite_token: token },
  });

const administers = async (token: string) =>
  (await app.json('GET', '/api/auth/users', { headers: { authorization: `Bearer ${token}` } })).status;

const invites = () => openSuperuser(app.superuserUrl)`
  select invite_id, created_by, email, role from invites where tenant_id = ${founder.tenantId}`;

describe('invite', () => {
  test('brings an administrator into a tenant that has none left', async () => {
    await openSuperuser(app.superuserUrl)`delete from users where tenant_id = ${founder.tenantId}`;
    const lines = await operateHere(app, ['invite', founder.tenantId]);
    const { status, body } = await redeem(lines.at(-1) as string);
    expect([status, body.account.id, body.tenant_api_key]).toEqual([200, founder.tenantId, null]);
    expect(await administers(body.token.access_token)).toBe(200);
    expect((await redeem(lines.at(-1) as string)).status).toBe(400);
  });

  test('is audited with its maker, and its token is stored nowhere', async () => {
    const token = (await operateHere(app, ['invite', founder.tenantId])).at(-1) as string;
    expect(token).toMatch(new RegExp(`^${founder.tenantId}\\.[\\w-]{43}$`));
    const [invite] = await invites();
    expect(invite).toMatchObject({ created_by: 'operator', email: null, role: 'global_administrator' });
    expect(await eventsOf(app, founder.tenantId, 'invite_created')).toEqual([
      byTheServer(invite?.['invite_id'], { email: null, role: 'global_administrator' }),
    ]);
    expect(await contentsOf(app)).not.toContain(token.split('.')[1]);
  });

  test('--email and --role bind it', async () => {
    const email = freshEmail();
    const args = ['invite', founder.tenantId, '--email', email.toUpperCase(), '--role', 'agent_id_developer'];
    const token = (await operateHere(app, args)).at(-1) as string;
    expect((await redeem(token)).status).toBe(400);
    const { status, body } = await redeem(token, email);
    expect([status, await administers(body.token.access_token)]).toEqual([200, 403]);
  });

  test('is refused while 20 are pending', async () => {
    await openSuperuser(app.superuserUrl)`
      insert into invites (tenant_id, invite_id, secret_hash, role, created_by, expires_at)
      select ${founder.tenantId}, 'i' || n, decode(lpad(to_hex(n), 2, '0'), 'hex'), 'agent_id_developer', 'x',
        now() + interval '1 day' from generate_series(1, 20) n`;
    const before = await contentsOf(app);
    await expect(operateHere(app, ['invite', founder.tenantId])).rejects.toThrow(
      /at most 20 pending invites/,
    );
    expect(await contentsOf(app)).toBe(before);
  });
});
