import { beforeEach, describe, expect, test } from 'vitest';
import { completeSignIn } from '#server/identity/auth/sign-in.ts';
import { env, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env });
const sql = () => openSuperuser(app.superuserUrl);

let member: Person;
let checked: string;
beforeEach(async () => {
  member = await join(app, await found(app));
  const [row] = await sql()`select password_hash from users where user_id = ${member.userId}`;
  checked = row?.['password_hash'];
});

/** Runs the transaction that follows the check of a correct password. */
function complete(present: string) {
  const { tenantId, userId } = member;
  const origin = { requestId: 'stale', clientAddress: '127.0.0.1' };
  const password = { checked, present };
  return app.database.inTenant(tenantId, (tx) =>
    completeSignIn(tx, app.services, origin, { tenantId, userId, way: 'password', password }),
  );
}

describe('a change during the hashing of a right password', () => {
  test.each([
    ['a new password', "update users set password_hash = 'of a new one' where user_id = $1"],
    ['a revocation', 'update users set active = false where user_id = $1'],
    [
      'a deactivation of the workspace',
      'update tenants set active = false where tenant_id = (select tenant_id from users where user_id = $1)',
    ],
  ])('%s: nothing is issued, stored or recorded', async (_, change) => {
    await sql().unsafe(change, [member.userId]);
    for (const enroll of [false, true]) {
      if (enroll) await sql()`update users set totp_secret = '\\x01' where user_id = ${member.userId}`;
      const before = await contentsOf(app);
      for (const present of [checked, 'the same password, hashed with other parameters'])
        expect(await complete(present)).toBeUndefined();
      expect(await contentsOf(app)).toBe(before);
    }
  });

  test('the same password rehashed by a concurrent sign-in, or none: the member is signed in', async () => {
    expect((await complete(checked))?.kind).toBe('tokens');
    await sql()`update users set password_hash = 'rehashed', totp_secret = '\\x01' where user_id = ${member.userId}`;
    expect((await complete('rehashed'))?.kind).toBe('challenge');
    const [row] = await sql()`select password_hash from users where user_id = ${member.userId}`;
    expect(row).toEqual({ password_hash: 'rehashed' });
  });
});
