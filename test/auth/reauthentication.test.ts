import { beforeEach, describe, expect, test } from 'vitest';
import { asAdministratorSession } from '#server/identity/access/guards/session.ts';
import { atTheServer } from '#server/identity/audit/audit-log.ts';
import { withProof } from '#server/identity/auth/reauthentication.ts';
import { viaRpc } from '#test/contract/call.ts';
import { type Fields, found, foundEnrolled, type Headers, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { freshCode } from './mfa.ts';

const app = useTestApp({ env: { TRUST_PROXY: '1' } });
const withoutPasswords = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', PASSWORD_SIGNIN_ENABLED: 'false' },
});

const ask = (input: Fields, headers: Headers, at = app) =>
  viaRpc(at, { path: 'tenants.rotateKey', type: 'mutation' }, { input, headers });

let addresses = 0;
/** Headers with a client address that has not sent a request yet. */
const freshAddress = (): Headers => ({ 'x-forwarded-for': `198.18.7.${++addresses}` });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

describe('proofs are limited', () => {
  test('by client address: 30 a minute, counted separately', async () => {
    const here = freshAddress();
    const wrong = { mfa_code: '000000' };
    expect((await ask(wrong, { ...admin.bearer, ...here })).status).toBe(409);
    await openSuperuser(app.superuserUrl)`
      update rate_windows set attempts = 30
      where bucket = 'key_rotation' and subject = ${here['x-forwarded-for'] as string}`;
    const limited = await ask({ password: admin.password }, { ...admin.bearer, ...here });
    expect(limited).toMatchObject({ status: 429, headers: { retryAfter: 'there' } });
    expect((await ask(wrong, { ...admin.bearer, ...freshAddress() })).status).toBe(409);
  });

  test('by person: ten passwords in 15 minutes from whichever addresses, right or wrong', async () => {
    const knock = (password: string, person = admin) =>
      ask({ password }, { ...person.bearer, ...freshAddress() });
    expect((await knock('a wrong passphrase')).status).toBe(403);
    await openSuperuser(app.superuserUrl)`
      update rate_windows set attempts = 9 where bucket = 'password_proof' and subject = ${admin.userId}`;
    expect((await knock(admin.password)).status).toBe(200);
    expect(await knock(admin.password)).toMatchObject({ status: 429, headers: { retryAfter: 'there' } });
    const other = await found(app);
    expect((await knock(other.password, other)).status).toBe(200);
  });
});

describe('a password that changes while it is checked', () => {
  /** Proves the password. `change` runs after the stored hash was read, and before the proof is accepted. */
  async function prove(change: () => Promise<unknown>): Promise<string> {
    const [, bearer] = (admin.bearer['authorization'] as string).split(' ') as [string, string];
    const credentials = { bearer, apiKey: null, unreadable: false, cookie: null, tenantId: null };
    const authenticate = asAdministratorSession({ credentials, services: app.services, notes: {} } as never);
    let calls = 0;
    const asAdministrator: typeof authenticate = async (work) => {
      calls += 1;
      if (calls === 2) await change();
      return authenticate(work);
    };
    const proof = { password: admin.password };
    return withProof(
      app.services,
      atTheServer,
      asAdministrator,
      proof,
      async (_tx, { userId }) => userId,
    ).catch(({ message }: Error) => message);
  }
  const setHash = (hash: string) => () =>
    openSuperuser(app.superuserUrl)`
    update users set password_hash = ${hash} where user_id = ${admin.userId}`;

  test('is refused if it is another password now', async () => {
    const other = await found(app, { password: 'another long passphrase' });
    const [row] = await openSuperuser(app.superuserUrl)`
      select password_hash from users where user_id = ${other.userId}`;
    expect(await prove(setHash(row!['password_hash']))).toBe('wrong password');
  });

  test('passes if it is the same one, and is refused if the session has ended', async () => {
    expect(await prove(async () => {})).toBe(admin.userId);
    const ended = () => openSuperuser(app.superuserUrl)`
      delete from tokens where user_id = ${admin.userId}`;
    expect(await prove(ended)).toBe('invalid or expired bearer token');
  });
});

test('if password sign-in is disabled, none is a proof; a code is', async () => {
  const person = await foundEnrolled(withoutPasswords);
  expect(await ask({ password: person.password }, person.bearer, withoutPasswords)).toMatchObject({
    status: 403,
    body: { detail: 'password sign-in is disabled; use an authenticator code' },
  });
  expect((await ask({ password: person.password }, {}, withoutPasswords)).status).toBe(401);
  const mfa_code = await freshCode(withoutPasswords, person, person.secret);
  expect((await ask({ mfa_code }, person.bearer, withoutPasswords)).status).toBe(200);
});
