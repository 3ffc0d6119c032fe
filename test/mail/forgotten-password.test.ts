import { beforeEach, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { found, join, operatorKey, type Person } from '#test/factories.ts';
import type { ReceivedMail } from '#test/fakes/smtp.ts';
import { startBeside, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { attemptAll, confirmAddresses, mailEnv, outboxOf, useSmtp } from './outbox.ts';

const app = useTestApp({ env: { ...mailEnv, OPERATOR_API_KEY: operatorKey } });
const limited = useTestApp({ env: { ...mailEnv, AUTH_RATE_LIMIT_ENABLED: 'true' } });

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
  await confirmAddresses(app, admin);
});

const call = { path: 'auth.requestPasswordReset', type: 'mutation' } as const;
/** Sends the request as a visitor. Returns when the mails are in the outbox. */
async function forget(email: string, at: Pick<typeof app, 'json' | 'request' | 'address'> = app) {
  const response = await viaRpc(at as typeof app, call, { input: { email } });
  await app.settled();
  return [response.status, response.body];
}
const accepted = [200, { requested: true }];
const tokenOf = (mail: ReceivedMail) => /#reset_token=(\S+)/.exec(mail.text)?.[1];
const linksOf = async ({ tenantId }: Person) =>
  (await outboxOf(app, tenantId)).filter(({ kind }) => kind === 'reset_link');
const setPassword = (reset_token: string | undefined) =>
  app.json('POST', '/api/auth/password-reset', {
    body: { reset_token, new_password: 'quite another passphrase' },
  });

describe('a member who has forgotten the password', () => {
  test('gets a link by mail, which sets a new one and signs in', async () => {
    const smtp = await useSmtp();
    expect(await forget(` ${member.email.toUpperCase()} `)).toEqual(accepted);
    const [mail, ...more] = await attemptAll(app, smtp, admin.tenantId);
    expect([mail!.to, more]).toEqual([member.email, []]);
    expect(mail!.text).toContain('asked at the sign-in');
    expect((await setPassword(tokenOf(mail!))).status).toBe(200);
    const { status } = await app.json('POST', '/signin/token', {
      body: { grant_type: 'password', username: member.email, password: 'quite another passphrase' },
    });
    expect(status).toBe(200);
    expect(await eventsOf(app, admin.tenantId, 'reset_link_issued')).toMatchObject([
      { actor: 'anonymous', target: member.userId, details: { way: 'forgotten' } },
    ]);
  });

  test('gets one for each workspace', async () => {
    const other = await found(app, { email: member.email });
    await confirmAddresses(app, other);
    await forget(member.email);
    expect([(await linksOf(admin)).length, (await linksOf(other)).length]).toEqual([1, 1]);
  });

  test('of an address that is not confirmed, a revoked member, and of an inactive workspace, gets none', async () => {
    const sql = openSuperuser(app.superuserUrl);
    await sql`update users set email_confirmed_at = null where user_id = ${member.userId}`;
    expect(await forget(member.email)).toEqual(accepted);
    await sql`update users set email_confirmed_at = now(), active = false where user_id = ${member.userId}`;
    expect(await forget(member.email)).toEqual(accepted);
    await sql`update users set active = true where user_id = ${member.userId}`;
    await sql`update tenants set active = false where tenant_id = ${admin.tenantId}`;
    expect(await forget(member.email)).toEqual(accepted);
    expect(await linksOf(admin)).toEqual([]);
  });

  test.each(['unknown@example.org', 'unknown', "'; --", 'a@b\nc@d'])(
    '%j gets the same response',
    async (email) => {
      expect(await forget(email)).toEqual(accepted);
    },
  );

  test('gets at most 5 mails in a day, which do not use up those of an administrator', async () => {
    for (let number = 0; number < 7; number++) expect(await forget(member.email)).toEqual(accepted);
    expect(await linksOf(admin)).toHaveLength(5);
    const path = `/api/auth/users/${member.userId}/password-reset-link`;
    expect((await app.json('POST', path, { headers: admin.bearer })).body.sent_to).toBe(member.email);
    expect(await linksOf(admin)).toHaveLength(6);
  });
});

test('an operator’s own people get no link at the sign-in', async () => {
  const beside = await startBeside(app, {
    ...mailEnv,
    ...{ OPERATOR_EMAILS: member.email, OPERATOR_TENANT_ID: admin.tenantId },
  });
  try {
    expect(await forget(member.email, beside)).toEqual(accepted);
    expect(await forget(admin.email, beside)).toEqual(accepted);
    const receivers = async () => (await linksOf(admin)).map(({ user_id }) => user_id);
    await expect.poll(receivers).toEqual([admin.userId]);
    await beside.services.backgroundWork.drain(10_000);
    expect(await receivers()).toEqual([admin.userId]);
  } finally {
    await beside.close();
  }
});

test('more than 30 requests of a client in a minute are refused', async () => {
  const statuses = [];
  for (let number = 0; number < 31; number++)
    statuses.push((await viaRpc(limited, call, { input: { email: `n${number}@example.org` } })).status);
  expect(statuses).toEqual([...Array(30).fill(200), 429]);
});

test.each([
  ['without mail', { AUTH_RATE_LIMIT_ENABLED: 'false' }, 503],
  ['without passwords', { ...mailEnv, PASSWORD_SIGNIN_ENABLED: 'false' }, 403],
])('%s, there is no such request', async (_name, env, status) => {
  const beside = await startBeside(app, env);
  try {
    expect((await forget(member.email, beside))[0]).toBe(status);
    expect(await linksOf(admin)).toEqual([]);
  } finally {
    await beside.close();
  }
});
