import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '#server/platform/ids.ts';
import { viaRpc } from '#test/contract/call.ts';
import {
  type Fields,
  join,
  openTeam,
  operatorKey,
  type Person,
  resetToken,
  type Team,
} from '#test/factories.ts';
import { startBeside, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { countRows, eventsOf } from '#test/setup/stored-rows.ts';
import { meOf, passwordGrant } from './sign-in.ts';
import { dancing, openIdentityProvider, redirectUri } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env: { ...env, OPERATOR_API_KEY: operatorKey } });
const dance = dancing(app, provider);
const next = 'another passphrase of some length';
let team: Team;
let member: Person;
beforeEach(async () => {
  team = await openTeam(app);
  member = await join(app, team.founder);
});

const sql = () => openSuperuser(app.superuserUrl);
const tenants = async () => (await countRows(sql(), ['tenants']))['tenants'];

describe('a person who belongs to no workspace', () => {
  test('is asked before one is created, if `may_create` is false', async () => {
    const { sub, email } = account();
    const before = await tenants();
    const asked = await dance.signIn(sub, { may_create: false });
    expect([asked.status, asked.body]).toEqual([
      200,
      { creation_required: true, email, next: { sso_authorize: '/api/oauth2/oidc/authorize' } },
    ]);
    expect([asked.headers.getSetCookie(), await tenants()]).toEqual([[], before]);
    for (const fields of [{ may_create: true }, {}]) {
      const { body } = await dance.signIn(account().sub, fields);
      expect(body.tenant_api_key).toEqual(expect.any(String));
    }
    expect(await tenants()).toBe(Number(before) + 2);
  });

  test('needs an invite to the workspace of the organization, without a question', async () => {
    await dance.signIn(account({ org_id: 'org-asked' }).sub);
    const { status, body } = await dance.signIn(account({ org_id: 'org-asked' }).sub, { may_create: false });
    expect([status, body.detail]).toEqual([403, 'invitation required']);
  });
});

describe('a member with a password', () => {
  /** Signs in by the provider, which must lead to the member's own account. */
  async function expectIn(sub: string, of: Person, at = dance, fields: Fields = {}): Promise<void> {
    const before = await tenants();
    const { status, body } = await at.signIn(sub, fields);
    expect([status, body.user?.user_id], JSON.stringify(body)).toEqual([200, of.userId]);
    expect(await tenants()).toBe(before);
  }
  const link = (fields: Fields = {}, headers = member.bearer) =>
    viaRpc(
      app,
      { path: 'auth.linkSso', type: 'mutation' },
      { input: { provider: 'oidc', redirect_uri: redirectUri, ...fields }, headers },
    );
  /** Links the provider's account of `sub` in a session. */
  async function linkTo(sub: string, headers = member.bearer) {
    const { body } = await link({}, headers);
    const { code, state } = await provider.signIn(body.authorization_url, sub);
    return dance.callback({ code, state });
  }

  test('links the provider in a session with a recent proof, and then signs in either way', async () => {
    await sql()`update tokens set proved_at = now() - interval '601 s' where user_id = ${member.userId}`;
    expect((await link()).body.error_code).toBe('proof_required');
    await sql()`update tokens set proved_at = now() where user_id = ${member.userId}`;
    // The provider's address may be another one.
    const { sub } = account();
    expect((await linkTo(sub)).body.user.user_id).toBe(member.userId);
    await expectIn(sub, member);
    expect((await passwordGrant(app, member)).status).toBe(200);
    expect(await eventsOf(app, team.tenantId, 'provider_linked')).toMatchObject([{ target: member.userId }]);
    expect((await linkTo(sub)).status).toBe(200);
    // One account of the provider is one member.
    expect((await linkTo(sub, team.admin)).status).toBe(409);
    expect((await linkTo(account().sub)).status).toBe(409);
  });

  test('links it by an invite for the same address, which another address cannot use', async () => {
    const other = account();
    const { sub } = account({ email: member.email });
    const { invite_token } = await team.invite({ email: member.email });
    expect((await dance.signIn(other.sub, { invite_token })).status).toBe(400);
    await expectIn(sub, member, dance, { invite_token });
    await expectIn(sub, member);
    const again = await team.invite({ email: member.email });
    const { sub: another } = account({ email: member.email });
    expect((await dance.signIn(another, { invite_token: again.invite_token })).status).toBe(400);
  });

  test('who confirmed the address keeps the password; whoever only took the address loses every way in', async () => {
    const reset_token = await resetToken(app, { ...member, bearer: team.founder.bearer });
    for (const isConfirmed of [true, false]) {
      await sql()`
        update users set provider_subject = null, email_confirmed_at = ${isConfirmed ? sql()`now()` : null}
        where user_id = ${member.userId}`;
      const { sub } = account({ email: member.email });
      const { invite_token } = await team.invite({ email: member.email });
      await expectIn(sub, member, dance, { invite_token });
      expect((await passwordGrant(app, member)).status).toBe(isConfirmed ? 200 : 401);
      expect((await meOf(app, member.accessToken)).status).toBe(isConfirmed ? 200 : 401);
    }
    const body = { reset_token, new_password: next };
    expect((await app.json('POST', '/api/auth/password-reset', { body })).status).toBe(401);
  });

  test.each([
    [
      'a reset link',
      async () => {
        const body = {
          reset_token: await resetToken(app, { ...member, bearer: team.founder.bearer }),
          new_password: next,
        };
        return app.json('POST', '/api/auth/password-reset', { body });
      },
    ],
    [
      'a change in a session',
      () =>
        viaRpc(
          app,
          { path: 'auth.changePassword', type: 'mutation' },
          { input: { current_password: member.password, new_password: next }, headers: member.bearer },
        ),
    ],
  ])('ends the link, which a stranger may have made, by a new password: %s', async (_, setPassword) => {
    const stranger = account();
    expect((await linkTo(stranger.sub)).body.user.user_id).toBe(member.userId);
    expect((await setPassword()).status).toBe(200);
    const { body } = await dance.signIn(stranger.sub, { may_create: false });
    expect(body).toMatchObject({ creation_required: true });
    expect((await passwordGrant(app, { ...member, password: next })).status).toBe(200);
  });

  test('is another person without a link, where passwords are on', async () => {
    const { sub } = account({ email: member.email });
    await sql()`update users set email_confirmed_at = now() where user_id = ${member.userId}`;
    const { body } = await dance.signIn(sub, { may_create: false });
    expect(body.creation_required).toBe(true);
  });

  test('comes in by the confirmed address where passwords are off; by another one not', async () => {
    const passwordless = await startBeside(app, { ...env, PASSWORD_SIGNIN_ENABLED: 'false' });
    try {
      const at = dancing(passwordless as never, provider);
      const { sub } = account({ email: member.email });
      expect((await at.signIn(sub, { may_create: false })).body.creation_required).toBe(true);
      await sql()`update users set email_confirmed_at = now() where user_id = ${member.userId}`;
      await expectIn(sub, member, at);
      await expectIn(sub, member);
    } finally {
      await passwordless.close();
    }
  });

  test.each([
    ['another letter', (email: string) => email.replace('k', '\u212a')],
    ['a line break after it', (email: string) => `${email}\n`],
    ['a space before it', (email: string) => ` ${email}`],
    ['a line separator after it', (email: string) => `${email}\u2028`],
  ])('is not found by an address with %s, which only becomes the same one', async (_, disguise) => {
    const mike = await team.join({}, `mike-${newId()}@corp.example`);
    await sql()`update users set email_confirmed_at = now() where user_id = ${mike.userId}`;
    const { sub } = account({ email: disguise(mike.email) });
    const { invite_token } = await team.invite({ email: mike.email });
    const before = await tenants();
    const passwordless = await startBeside(app, { ...env, PASSWORD_SIGNIN_ENABLED: 'false' });
    try {
      for (const at of [dancing(passwordless as never, provider), dance])
        for (const fields of [{}, { may_create: false }, { invite_token }]) {
          const { status, body } = await at.signIn(sub, fields);
          expect([status, body.detail]).toEqual([403, 'the identity provider sent an invalid email address']);
        }
    } finally {
      await passwordless.close();
    }
    const [row] = await sql()`select provider_subject from users where user_id = ${mike.userId}`;
    expect([row?.['provider_subject'], await tenants()]).toEqual([null, before]);
  });

  test('who was revoked comes in by none of these ways', async () => {
    const { sub } = account({ email: member.email });
    await sql()`
      update users set active = false, email_confirmed_at = now() where user_id = ${member.userId}`;
    const { invite_token } = await team.invite({ email: member.email });
    expect((await dance.signIn(sub, { invite_token })).status).toBe(400);
    const passwordless = await startBeside(app, { ...env, PASSWORD_SIGNIN_ENABLED: 'false' });
    try {
      const { body } = await dancing(passwordless as never, provider).signIn(sub, { may_create: false });
      expect(body.creation_required).toBe(true);
    } finally {
      await passwordless.close();
    }
  });
});
