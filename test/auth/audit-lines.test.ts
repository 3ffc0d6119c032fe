import { beforeEach, describe, expect, test } from 'vitest';
import {
  found,
  foundEnrolled,
  found as foundMember,
  freshEmail,
  invite,
  join,
  env as membersEnv,
  operator,
  type Person,
  password,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { wrongTotpCode } from '#test/setup/totp.ts';
import { challengeFor, enroll } from './mfa.ts';
import { dancing, openIdentityProvider } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env: { ...membersEnv, ...env } });
const dance = dancing(app, provider);

let admin: Person;
let member: Person;
let requestId: string;
let counted = 0;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
  counted += 1;
  requestId = `request-${counted}-of-the-test`;
});

type Headers = Record<string, string>;

/** Posts JSON under the test's request id. */
const post = (path: string, body?: unknown, headers: Headers = {}) =>
  app.json('POST', path, { body, headers: { 'x-request-id': requestId, ...headers } });
const postForm = (path: string, fields: Headers, headers: Headers = {}) =>
  post(path, new URLSearchParams(fields).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
    ...headers,
  });
const signUp = (fields: Record<string, unknown>) =>
  post('/api/auth/signup/email', { password, tenant_name: 'x', email: freshEmail(), ...fields });

/** The events of one action in the tenant's log for the test's request. */
const linesOf = async (tenantId: string, action: string) =>
  (await eventsOf(app, tenantId, action)).filter((event) => event.requestId === requestId);

const line = (actor: string | string[], target: string | null, details: object = {}) => ({
  actor,
  target,
  details,
  address: '127.0.0.1',
  requestId,
});

const familyOf = async ({ refreshToken }: Person): Promise<string> => {
  const [row] = await openSuperuser(app.superuserUrl)`
    select family_id from tokens where token_hash = sha256(convert_to(${refreshToken}, 'UTF8'))`;
  return row?.['family_id'];
};

describe('A 6 rule 5: founding and joining are in the audit log', () => {
  test('a workspace that was founded by a password', async () => {
    const { body } = await signUp({});
    const { user_id, tenant_id } = body.token.user;
    expect(await linesOf(tenant_id, 'tenant_founded')).toEqual([
      line(['member', user_id], tenant_id, { way: 'signup' }),
    ]);
  });

  test('a workspace that was founded by single sign-on', async () => {
    const brought = await dance.bring(account().sub);
    const { body } = await dance.callback(brought, { 'x-request-id': requestId });
    const { user_id, tenant_id } = body.user;
    expect(await linesOf(tenant_id, 'tenant_founded')).toEqual([
      line(['member', user_id], tenant_id, { way: 'sso' }),
    ]);
  });

  test.each(['agent_id_developer', 'global_administrator'])(
    'who joined, by which invite, as %s',
    async (role) => {
      const { invite_token, invite_id } = await invite(app, admin, { role });
      const { body } = await signUp({ invite_token });
      expect(await linesOf(admin.tenantId, 'member_joined')).toEqual([
        line(['member', body.token.user.user_id], invite_id, { role, way: 'signup' }),
      ]);
      expect(await linesOf(admin.tenantId, 'tenant_founded')).toEqual([]);
    },
  );

  test('who joined by single sign-on', async () => {
    const { invite_token, invite_id } = await invite(app, admin);
    const brought = await dance.bring(account().sub, { invite_token });
    const { body } = await dance.callback(brought, { 'x-request-id': requestId });
    expect(await linesOf(admin.tenantId, 'member_joined')).toEqual([
      line(['member', body.user.user_id], invite_id, { role: 'agent_id_developer', way: 'sso' }),
    ]);
  });
});

describe('A 6 rule 5: a wrong password is in the audit log, under no tenant', () => {
  const attempt = (username: string, fields: Headers = {}) =>
    postForm('/api/oauth2/token', {
      grant_type: 'password',
      username,
      password: 'none of their passphrases',
      ...fields,
    });
  const failed = (target: string | null) => [line('anonymous', target, { way: 'password' })];

  test.each([
    ['of a member', () => member.email.toUpperCase(), () => member.email],
    ['of nobody', () => ' Nobody.At.All@Example.org', () => 'nobody.at.all@example.org'],
  ])('the address %s', async (_, typed, target) => {
    expect((await attempt(typed())).status).toBe(401);
    expect(await linesOf('', 'sign_in_failed')).toEqual(failed(target()));
  });

  test('with a pinned workspace and of a revoked member, it says no more', async () => {
    await openSuperuser(app.superuserUrl)`update users set active = false where user_id = ${member.userId}`;
    expect((await attempt(member.email, { tenant_id: member.tenantId, password })).status).toBe(401);
    expect(await linesOf('', 'sign_in_failed')).toEqual(failed(member.email));
    expect(await linesOf(member.tenantId, 'sign_in_failed')).toEqual([]);
  });

  test('a value that is not an address may be a password in the wrong field, and is not logged', async () => {
    const typed = ['Correct-Horse-Battery', 'correct horse @ battery', '@correct-horse', 'correct-horse@'];
    for (const username of typed) expect((await attempt(username)).status).toBe(401);
    expect(await linesOf('', 'sign_in_failed')).toEqual(typed.flatMap(() => failed(null)));
    const rows = await openSuperuser(app.superuserUrl)`select lower(a::text) as row from audit_log a`;
    for (const { row } of rows) expect(row).not.toMatch(/correct.horse/);
  });
});

describe('A 6 rule 5: the end of a session is in the audit log', () => {
  test('a sign-out: who, and of which family', async () => {
    const family = await familyOf(member);
    await post('/api/auth/signout', { refresh_token: member.refreshToken });
    expect(await linesOf(member.tenantId, 'signed_out')).toEqual([line(['member', member.userId], family)]);
  });

  test('a sign-out by the cookie', async () => {
    const family = await familyOf(member);
    await post('/api/auth/signout', undefined, { cookie: `ll_session=${member.accessToken}` });
    expect(await linesOf(member.tenantId, 'signed_out')).toEqual([line(['member', member.userId], family)]);
  });

  test.each([
    ['an administrator', () => admin.bearer, () => ['member', admin.userId], {}],
    ['the operator key', () => operator, () => 'operator_key', {}],
    [
      'an administrator beside the operator key',
      () => ({ ...admin.bearer, ...operator }),
      () => ['member', admin.userId],
      { operator_key: true },
    ],
  ])('a revocation by %s', async (_, headers, actor, details) => {
    const family = await familyOf(member);
    for (const token of [member.accessToken, member.refreshToken])
      expect((await postForm('/api/oauth2/revoke', { token }, headers())).status).toBe(200);
    const revoked = line(actor(), family, details);
    expect(await linesOf(member.tenantId, 'token_revoked')).toEqual([revoked, revoked]);
  });

  test('an unknown token is not revoked, and not recorded', async () => {
    await postForm('/api/oauth2/revoke', { token: 'nobody' }, admin.bearer);
    await post('/api/auth/signout', { refresh_token: 'nobody' });
    for (const action of ['token_revoked', 'signed_out'])
      expect(await linesOf(member.tenantId, action)).toEqual([]);
  });
});

test('A 6 rule 5: a new password by a reset link is in the audit log', async () => {
  const path = `/api/auth/users/${member.userId}/password-reset-link`;
  const { body: link } = await app.json('POST', path, { headers: admin.bearer });
  const { status } = await post('/api/auth/password-reset', {
    reset_token: link.reset_token,
    new_password: 'quite another passphrase',
  });
  expect(status).toBe(200);
  expect(await linesOf(member.tenantId, 'password_reset')).toEqual([
    line(['member', member.userId], member.userId),
  ]);
});

describe('A 6 rule 5: a wrong code is in the audit log', () => {
  test('by a challenge: without an actor', async () => {
    const enrolled = await foundEnrolled(app);
    const { status } = await post('/api/auth/mfa/verify', {
      challenge_id: await challengeFor(app.database, enrolled),
      mfa_code: wrongTotpCode(enrolled.secret),
    });
    expect(status).toBe(401);
    expect(await linesOf(enrolled.tenantId, 'mfa_code_refused')).toEqual([
      line('anonymous', enrolled.userId),
    ]);
  });

  test('by a session: with its member', async () => {
    const founder = await foundMember(app);
    const { body } = await enroll(app, {}, founder.cookie);
    const code = { mfa_code: wrongTotpCode(body.secret) };
    expect((await post('/api/auth/mfa/confirm', code, founder.cookie)).status).toBe(401);
    expect(await linesOf(founder.tenantId, 'mfa_code_refused')).toEqual([
      line(['member', founder.userId], founder.userId),
    ]);
  });
});
