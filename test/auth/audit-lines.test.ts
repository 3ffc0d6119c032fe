import { beforeEach, describe, expect, test } from 'vitest';
import {
  found,
  founding,
  type Headers,
  invite,
  join,
  operator,
  operatorKey,
  type Person,
  resetToken,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { revoke, signIn, signUp } from './sign-in.ts';
import { dancing, openIdentityProvider } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env: { ...env, OPERATOR_API_KEY: operatorKey } });
const dance = dancing(app, provider);

let admin: Person;
let member: Person;
/** Headers with the request ID of the current test. */
let marked: { 'x-request-id': string };
let counted = 0;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
  counted += 1;
  marked = { 'x-request-id': `request-${counted}-of-the-test` };
});

/** Expects that the log of a workspace has exactly these events of one action with the request ID of the test. */
async function expectLines(tenantId: string, action: string, ...lines: object[]): Promise<void> {
  const requestId = marked['x-request-id'];
  const found = (await eventsOf(app, tenantId, action)).filter((event) => event.requestId === requestId);
  expect(found).toEqual(lines.map((line) => ({ address: '127.0.0.1', requestId, details: {}, ...line })));
}

const familyOf = async ({ refreshToken }: Person): Promise<string> => {
  const [row] = await openSuperuser(app.superuserUrl)`
    select family_id from tokens where token_hash = sha256(convert_to(${refreshToken}, 'UTF8'))`;
  return row?.['family_id'];
};

describe('the audit log has (A 6)', () => {
  test.each(['signup', 'sso'])(
    'who created a workspace, and who joined one by which invite: %s',
    async (way) => {
      const register = async (fields: { invite_token?: string } = {}) => {
        if (way === 'signup') return (await signUp(app, founding(fields), marked)).body.token.user;
        return (await dance.callback(await dance.bring(account().sub, fields), marked)).body.user;
      };
      const founder = await register();
      const actor = ['member', founder.user_id];
      await expectLines(founder.tenant_id, 'tenant_founded', {
        actor,
        target: founder.tenant_id,
        details: { way },
      });
      const { invite_token, invite_id } = await invite(app, admin, { role: 'global_administrator' });
      const joined = await register({ invite_token });
      await expectLines(admin.tenantId, 'member_joined', {
        actor: ['member', joined.user_id],
        target: invite_id,
        details: { role: 'global_administrator', way },
      });
      await expectLines(admin.tenantId, 'tenant_founded');
    },
  );

  test('the address of a failed sign-in, in no workspace, whether or not it is known or active', async () => {
    const line = (target: string | null) => ({ actor: 'anonymous', target, details: { way: 'password' } });
    const wrong = { password: 'none of their passphrases' };
    const attempt = (email: string, fields = {}) => signIn(app, { email, ...wrong }, fields, marked);
    await attempt(member.email.toUpperCase());
    await attempt(' Nobody.At.All@Example.org');
    await openSuperuser(app.superuserUrl)`update users set active = false where user_id = ${member.userId}`;
    await signIn(app, member, { tenant_id: member.tenantId }, marked);
    // A text that is not an email address may be a password in the wrong field, so the log must not contain it.
    const typed = ['Correct-Horse-Battery', 'correct horse @ battery', 'correct-horse@'];
    for (const text of typed) await attempt(text);
    await expectLines(
      '',
      'sign_in_failed',
      ...[member.email, 'nobody.at.all@example.org', member.email, null, null, null].map(line),
    );
    await expectLines(member.tenantId, 'sign_in_failed');
    const rows = await openSuperuser(app.superuserUrl)`select lower(a::text) as row from audit_log a`;
    for (const { row } of rows) expect(row).not.toMatch(/correct.horse/);
  });

  test('the session that a sign-out ended, by the cookie as by a refresh token', async () => {
    const line = { actor: ['member', member.userId], target: await familyOf(member) };
    const signOut = (refresh_token: string | undefined, headers: Headers = {}) =>
      app.json('POST', '/api/auth/signout', { body: { refresh_token }, headers: { ...marked, ...headers } });
    await signOut('nobody');
    await expectLines(member.tenantId, 'signed_out');
    await signOut(undefined, member.cookie);
    await signOut(member.refreshToken);
    await expectLines(member.tenantId, 'signed_out', line, line);
  });

  test.each<[string, () => Headers, () => object]>([
    ['an administrator', () => admin.bearer, () => ({ actor: ['member', admin.userId] })],
    ['the operator key', () => operator, () => ({ actor: 'operator_key' })],
    [
      'an administrator with the operator key',
      () => ({ ...admin.bearer, ...operator }),
      () => ({ actor: ['member', admin.userId], details: { operator_key: true } }),
    ],
  ])('a revocation by %s', async (_, headers, by) => {
    const line = { ...by(), target: await familyOf(member) };
    for (const token of ['nobody', member.accessToken, member.refreshToken])
      expect((await revoke(app, token, { ...headers(), ...marked })).status).toBe(200);
    await expectLines(member.tenantId, 'token_revoked', line, line);
  });

  test('a new password by a reset link', async () => {
    const reset_token = await resetToken(app, { ...member, bearer: admin.bearer });
    const body = { reset_token, new_password: 'quite another passphrase' };
    await app.json('POST', '/api/auth/password-reset', { body, headers: marked });
    const actor = ['member', member.userId];
    await expectLines(member.tenantId, 'password_reset', { actor, target: member.userId });
  });
});
