import { beforeEach, describe, expect, test } from 'vitest';
import { grant, sessionStatus } from '#test/auth/sign-in.ts';
import {
  type Enrolled,
  found,
  foundEnrolled,
  found as foundMember,
  type Person,
  password,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf, eventsOf } from '#test/setup/stored-rows.ts';
import { byTheServer, env, operateHere } from './command.ts';

const app = useTestApp({ env });
const newPassword = 'quite another passphrase';

const signIn = ({ email, tenantId }: { email: string; tenantId: string }, secret: string) =>
  grant(app, { grant_type: 'password', username: email, password: secret, tenant_id: tenantId });

/** Sets a password with the link that the command printed last. */
async function followLink(lines: string[]) {
  const link = new URL(lines.at(-1) as string);
  const resetToken = new URLSearchParams(link.hash.slice(1)).get('reset_token');
  const body = { reset_token: resetToken, new_password: newPassword };
  return { link, answer: await app.json('POST', '/api/auth/password-reset', { body }) };
}

const administers = async (token: string) =>
  (await app.json('GET', '/api/auth/users', { headers: { authorization: `Bearer ${token}` } })).status;

describe('an administrator who was demoted and revoked, and has lost password and authenticator', () => {
  let founder: Enrolled;
  beforeEach(async () => {
    founder = await foundEnrolled(app);
    await openSuperuser(app.superuserUrl)`
      update users set active = false, role = 'agent_id_developer'
      where tenant_id = ${founder.tenantId} and user_id = ${founder.userId}`;
  });

  test('signs in by the printed link, as an administrator; each change is logged once', async () => {
    expect((await signIn(founder, password)).status).toBe(401);
    const address = founder.email.toUpperCase();
    const lines = await operateHere(app, ['restore-admin', founder.tenantId, address, '--reset-mfa']);
    const { answer } = await followLink(lines);
    expect([answer.status, answer.body]).toEqual([200, { password_reset: true }]);
    expect((await signIn(founder, password)).status).toBe(401);
    const { status, body } = await signIn(founder, newPassword);
    expect([status, await administers(body.access_token)]).toEqual([200, 200]);
    expect((await followLink(lines)).answer.status).toBe(401);
    expect(await eventsOf(app, founder.tenantId, 'administrator_restored')).toEqual([
      byTheServer(founder.userId, {
        role_from: 'agent_id_developer',
        role_to: 'global_administrator',
        active_from: false,
        active_to: true,
      }),
    ]);
    for (const action of ['mfa_reset', 'reset_link_issued'])
      expect(await eventsOf(app, founder.tenantId, action)).toEqual([byTheServer(founder.userId, {})]);
  });

  test('without --reset-mfa the authenticator is asked for as before', async () => {
    await followLink(await operateHere(app, ['restore-admin', founder.tenantId, founder.email]));
    const { status, body } = await signIn(founder, newPassword);
    expect([status, body.mfa_required, body.mfa_challenge.method]).toEqual([200, true, 'totp']);
    expect(await eventsOf(app, founder.tenantId, 'mfa_reset')).toEqual([]);
  });

  test('the link is at BASE_URL, its token in the fragment, and is stored nowhere', async () => {
    const args = ['restore-admin', founder.tenantId, founder.email];
    const lines = await operateHere(app, args, { BASE_URL: 'https://translate.example' });
    const link = new URL(lines.at(-1) as string);
    expect([link.origin, link.search]).toEqual(['https://translate.example', '']);
    const [, secret] = link.hash.split('.');
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await contentsOf(app)).not.toContain(secret);
    expect(lines.slice(0, -1).join('\n')).not.toContain(secret);
  });
});

describe('an address that is already a member', () => {
  let founder: Person;
  beforeEach(async () => {
    founder = await found(app);
  });

  test('an active administrator gets a link, keeps its session until it is used, and is not "restored"', async () => {
    const lines = await operateHere(app, ['restore-admin', founder.tenantId, founder.email]);
    expect(await eventsOf(app, founder.tenantId, 'administrator_restored')).toEqual([]);
    expect(await sessionStatus(app, founder)).toBe(200);
    expect((await followLink(lines)).answer.status).toBe(200);
    expect(await sessionStatus(app, founder)).toBe(401);
  });

  test('a designated operator, whom no other administrator may reset', async () => {
    const settings = { OPERATOR_TENANT_ID: founder.tenantId, OPERATOR_EMAILS: founder.email };
    const args = ['restore-admin', founder.tenantId, founder.email, '--reset-mfa'];
    const { answer } = await followLink(await operateHere(app, args, settings));
    expect(answer.status).toBe(200);
  });

  test('a member of the identity provider has no password, so gets no link', async () => {
    await openSuperuser(app.superuserUrl)`
      update users set provider = 'oidc', password_hash = null, provider_subject = 'issuer subject', active = false
      where tenant_id = ${founder.tenantId}`;
    const lines = await operateHere(app, ['restore-admin', founder.tenantId, founder.email]);
    expect(lines).toContainEqual(expect.stringMatching(/^reset_url +-$/));
    expect(await eventsOf(app, founder.tenantId, 'administrator_restored')).toHaveLength(1);
    expect(await eventsOf(app, founder.tenantId, 'reset_link_issued')).toEqual([]);
  });

  test('an address that is not a member of this tenant is refused; the message says how to invite', async () => {
    const elsewhere = await foundMember(app);
    const before = await contentsOf(app);
    const args = ['restore-admin', founder.tenantId, elsewhere.email, '--reset-mfa'];
    const { message }: Error = await operateHere(app, args).then(
      () => expect.fail(),
      (error) => error,
    );
    expect(message).toMatch(new RegExp(`^.*${elsewhere.email}.* invite ${founder.tenantId} --email .*$`));
    expect(message).not.toContain(founder.email);
    expect(await contentsOf(app)).toBe(before);
  });
});
