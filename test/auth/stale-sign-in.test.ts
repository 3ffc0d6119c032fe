import { beforeEach, describe, expect, test } from 'vitest';
import { completeSignIn } from '#server/identity/auth/sign-in.ts';
import { env, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { countRows } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env });
const tables = ['tokens', 'credential_directory', 'mfa_challenges', 'audit_log'];

let member: Person;
beforeEach(async () => {
  member = await join(app, await found(app));
});

const sql = () => openSuperuser(app.superuserUrl);

async function storedHash(): Promise<string> {
  const [row] = await sql()`select password_hash from users where user_id = ${member.userId}`;
  return row?.['password_hash'];
}

/** The transaction after the hash of a correct password. */
function complete(password: { checked: string; present: string }) {
  const { tenantId, userId } = member;
  const origin = { requestId: 'stale', clientAddress: '127.0.0.1' };
  return app.database.inTenant(tenantId, (tx) =>
    completeSignIn(tx, app.services, origin, { tenantId, userId, way: 'password', password }),
  );
}

const kinds: [string, 'tokens' | 'challenge', () => Promise<unknown>][] = [
  ['a member without an authenticator', 'tokens', async () => {}],
  [
    'a member with one',
    'challenge',
    async () => sql()`update users set totp_secret = '\\x01' where user_id = ${member.userId}`,
  ],
];

describe.each(kinds)('A 4.3: a change during the hashing of the password of %s', (_, kind, make) => {
  beforeEach(async () => {
    await make();
  });

  /** Nothing is issued, stored or recorded. */
  async function expectRefused(password: { checked: string; present: string }) {
    const [before, hash] = [await countRows(sql(), tables), await storedHash()];
    expect(await complete(password)).toBeUndefined();
    expect(await countRows(sql(), tables)).toEqual(before);
    expect(await storedHash()).toBe(hash);
  }

  test('none: the member is signed in', async () => {
    const checked = await storedHash();
    expect((await complete({ checked, present: checked }))?.kind).toBe(kind);
  });

  test('a new password: the checked hash is no longer the stored one', async () => {
    const checked = await storedHash();
    await sql()`update users set password_hash = 'of a new one' where user_id = ${member.userId}`;
    await expectRefused({ checked, present: checked });
    await expectRefused({ checked, present: 'the same password, hashed as of now' });
  });

  test('the same password hashed anew, by a concurrent sign-in: the member is signed in', async () => {
    const checked = await storedHash();
    await sql()`update users set password_hash = 'hashed anew' where user_id = ${member.userId}`;
    expect((await complete({ checked, present: 'hashed anew' }))?.kind).toBe(kind);
    expect(await storedHash()).toBe('hashed anew');
  });

  test('a revocation', async () => {
    const checked = await storedHash();
    await sql()`update users set active = false where user_id = ${member.userId}`;
    await expectRefused({ checked, present: checked });
    await expectRefused({ checked, present: 'the same password, hashed as of now' });
  });

  test('a deactivation of the workspace', async () => {
    const checked = await storedHash();
    await sql()`update tenants set active = false where tenant_id = ${member.tenantId}`;
    await expectRefused({ checked, present: checked });
    await expectRefused({ checked, present: 'the same password, hashed as of now' });
  });
});
