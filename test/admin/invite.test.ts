import { beforeEach, describe, expect, test } from 'vitest';
import { found, freshEmail, type Person, password } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { env, operateHere } from './command.ts';

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

describe('invite', () => {
  test('brings an administrator into a tenant that has none left', async () => {
    await openSuperuser(app.superuserUrl)`delete from users where tenant_id = ${founder.tenantId}`;
    const lines = await operateHere(app, ['invite', founder.tenantId]);
    const { status, body } = await redeem(lines.at(-1) as string);
    expect([status, body.account.id, body.tenant_api_key]).toEqual([200, founder.tenantId, null]);
    expect(await administers(body.token.access_token)).toBe(200);
    expect((await redeem(lines.at(-1) as string)).status).toBe(400);
  });

  test('--email and --role bind it', async () => {
    const email = freshEmail();
    const args = ['invite', founder.tenantId, '--email', email.toUpperCase(), '--role', 'agent_id_developer'];
    const token = (await operateHere(app, args)).at(-1) as string;
    expect((await redeem(token)).status).toBe(400);
    const { status, body } = await redeem(token, email);
    expect([status, await administers(body.token.access_token)]).toEqual([200, 403]);
  });
});
