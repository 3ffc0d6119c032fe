import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { hashPassword } from '#server/identity/auth/passwords/hashing.ts';
import { type SecretsKeys, seal, unseal } from '#server/platform/encryption.ts';
import { bearer, found, foundEnrolled, type Person } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';
import { challengeFor, confirm, enroll, failuresOf, mfaGrant, verify } from './mfa.ts';
import { passwordGrant } from './sign-in.ts';
import { dancing, openIdentityProvider } from './sso-flow.ts';

const [current, previous] = [randomBytes(32), randomBytes(32)];
const only = (key: Buffer): SecretsKeys => ({ current: key, previous: null });

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({
  env: {
    ...env,
    SECRETS_KEY: current.toString('base64'),
    SECRETS_KEY_PREVIOUS: previous.toString('base64'),
  },
});
const dance = dancing(app, provider);
const sql = () => openSuperuser(app.superuserUrl);

type Column = 'totp_secret' | 'totp_pending_secret';
const ownerOf = ({ tenantId, userId }: Person) => `${tenantId}/${userId}`;

async function sealAuthenticator(of: Person, column: Column, keys: SecretsKeys) {
  const [row] = await sql()`select totp_secret, totp_pending_secret from users where user_id = ${of.userId}`;
  const secret = unseal(only(current), 'authenticator', ownerOf(of), row?.[column]);
  const sealed = seal(keys, 'authenticator', ownerOf(of), secret);
  await sql()`update users set ${sql()(column)} = ${sealed} where user_id = ${of.userId}`;
}

/** Seals the state of a single sign-on with other keys. */
async function sealState(state: string, keys: SecretsKeys) {
  const stateHash = Buffer.from(hashSecret(state));
  const owner = stateHash.toString('hex');
  const [row] = await sql()`select sealed from sso_states where state_hash = ${stateHash}`;
  const plain = unseal(only(current), 'sso_state', owner, row?.['sealed']);
  const sealed = seal(keys, 'sso_state', owner, plain);
  await sql()`update sso_states set sealed = ${sealed} where state_hash = ${stateHash}`;
}

describe('while SECRETS_KEY_PREVIOUS is set, what it sealed still works', () => {
  test('an enrollment and a single sign-on that began with it', async () => {
    const member = await found(app);
    const { body: begun } = await enroll(app, {}, member.cookie);
    await sealAuthenticator(member, 'totp_pending_secret', only(previous));
    expect((await confirm(app, { mfa_code: totpCode(begun.secret) }, member.cookie)).status).toBe(200);

    const brought = await dance.bring(account().sub);
    await sealState(brought.state, only(previous));
    expect((await dance.callback(brought)).status).toBe(200);
  });

  test('a password whose salt is by it; it is rehashed with the current key', async () => {
    const member = await found(app);
    const [former, present] = await Promise.all(
      [previous, current].map((key) => hashPassword(member.password, member.email, only(key))),
    );
    await sql()`update users set password_hash = ${former!} where user_id = ${member.userId}`;
    const wrong = await passwordGrant(app, { ...member, password: 'none of the passphrases' });
    expect(wrong.status).toBe(401);
    expect((await passwordGrant(app, member)).status).toBe(200);
    const [row] = await sql()`select password_hash from users where user_id = ${member.userId}`;
    expect(row).toEqual({ password_hash: present });
  });
});

describe('an authenticator that neither key sealed', () => {
  /** Expects the 503 for a secret that no key decrypts. The response must not contain anything of the secret. */
  function expectUnreadable(answer: Awaited<ReturnType<typeof app.json>>): void {
    expect([answer.status, answer.body]).toEqual([
      503,
      {
        detail: 'the authenticator secret cannot be decrypted; reset it',
        error_code: 'service_unavailable',
        request_id: answer.headers.get('x-request-id'),
      },
    ]);
    expect(answer.headers.getSetCookie()).toEqual([]);
  }

  test('is 503 for codes, is not counted as a failure, and leaves the challenge; a reset repairs it', async () => {
    const member = await foundEnrolled(app);
    await sealAuthenticator(member, 'totp_secret', only(randomBytes(32)));
    const { challenge_id } = (await passwordGrant(app, member)).body.mfa_challenge;
    const code = totpCode(member.secret, 1);
    // More attempts than a challenge allows, because these attempts must not count.
    for (let i = 0; i < 3; i++) {
      expectUnreadable(await verify(app, challenge_id, code));
      expectUnreadable(await mfaGrant(app, challenge_id, code));
    }
    expect(await failuresOf(app.superuserUrl, member)).toBe(0);
    // Recovery codes are not affected.
    expect((await verify(app, challenge_id, member.recoveryCodes[0] as string)).status).toBe(200);
    const headers = bearer(member.accessToken);
    await app.json('POST', `/api/auth/users/${member.userId}/mfa/reset`, { headers });
    expect((await passwordGrant(app, member)).body.access_token).toEqual(expect.any(String));
  });

  test('a secret is bound to its row: it does not open for another member', async () => {
    const [member, thief] = [await foundEnrolled(app), await foundEnrolled(app)];
    await sql()`update users set totp_secret = (select totp_secret from users where user_id = ${thief.userId})
      where user_id = ${member.userId}`;
    expectUnreadable(await verify(app, await challengeFor(app.database, member), totpCode(thief.secret, 1)));
  });
});

test('a single sign-on’s state that neither key sealed is 401, is deleted, and founds nothing', async () => {
  const bring = () => dance.bring(account().sub);
  const [foreign, short, swapped, own] = [await bring(), await bring(), await bring(), await bring()];
  const hashOf = ({ state }: typeof own) => Buffer.from(hashSecret(state));
  await sealState(foreign.state, only(randomBytes(32)));
  await sql()`update sso_states set sealed = '\\x01' where state_hash = ${hashOf(short)}`;
  await sql()`update sso_states set sealed = (select sealed from sso_states where state_hash = ${hashOf(own)})
    where state_hash = ${hashOf(swapped)}`;
  const count = async (table: string) => (await sql()`select from ${sql()(table)}`).length;
  const [tenants, states] = [await count('tenants'), await count('sso_states')];
  for (const each of [foreign, short, swapped]) {
    const { status, body, headers } = await dance.callback(each);
    expect([status, body]).toEqual([401, refusalOf('invalid or expired sign-in state')]);
    expect(headers.getSetCookie()).toEqual([]);
  }
  expect([await count('tenants'), await count('sso_states')]).toEqual([tenants, states - 3]);
  expect((await dance.callback(own)).status).toBe(200);
});
