import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { hashPassword } from '#server/identity/auth/passwords/hashing.ts';
import { type SecretsKeys, seal, unseal } from '#server/platform/encryption.ts';
import { found, foundEnrolled } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';
import { confirm, enroll } from './mfa.ts';
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

describe('while SECRETS_KEY_PREVIOUS is set', () => {
  test('an enrollment that began under the previous key can be confirmed', async () => {
    const member = await found(app);
    const owner = `${member.tenantId}/${member.userId}`;
    const { body: begun } = await enroll(app, {}, member.cookie);
    const [row] = await sql()`select totp_pending_secret from users where user_id = ${member.userId}`;
    const plain = unseal(only(current), 'authenticator', owner, row?.['totp_pending_secret']);
    await sql()`
      update users set totp_pending_secret = ${seal(only(previous), 'authenticator', owner, plain)}
      where user_id = ${member.userId}`;
    const answer = await confirm(app, { mfa_code: totpCode(begun.secret) }, member.cookie);
    expect(answer.status).toBe(200);
  });

  test('a single sign-on that began under the previous key ends well', async () => {
    const brought = await dance.bring(account().sub);
    const stateHash = Buffer.from(hashSecret(brought.state));
    const owner = stateHash.toString('hex');
    const [row] = await sql()`select sealed from sso_states where state_hash = ${stateHash}`;
    const plain = unseal(only(current), 'sso_state', owner, row?.['sealed']);
    await sql()`
      update sso_states set sealed = ${seal(only(previous), 'sso_state', owner, plain)}
      where state_hash = ${stateHash}`;
    expect((await dance.callback(brought)).status).toBe(200);
  });

  test('a password whose salt is by the previous key is accepted, and rehashed with the current one', async () => {
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

  test('what neither key sealed is still refused', async () => {
    const member = await foundEnrolled(app);
    const owner = `${member.tenantId}/${member.userId}`;
    const sealed = seal(only(randomBytes(32)), 'authenticator', owner, randomBytes(20));
    await sql()`update users set totp_secret = ${sealed} where user_id = ${member.userId}`;
    const { body } = await passwordGrant(app, member);
    const { status } = await app.json('POST', '/api/auth/mfa/verify', {
      body: { challenge_id: body.mfa_challenge.challenge_id, mfa_code: totpCode(member.secret, 1) },
    });
    expect(status).toBe(503);
  });
});
