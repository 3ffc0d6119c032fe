import { hash } from '@node-rs/argon2';
import { beforeEach, describe, expect, test } from 'vitest';
import { env, freshEmail, type Person, password, signUpFounder } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { passwordGrant } from './sign-in.ts';

const app = useTestApp({ env });

/** The creators of two workspaces. They have the same email address and different passwords. */
let account: Person;
let other: Person;
const othersPassword = 'quite another passphrase';
beforeEach(async () => {
  const email = freshEmail();
  account = await signUpFounder(app, { email });
  other = await signUpFounder(app, { email, password: othersPassword });
});

async function hashOf({ userId }: Person): Promise<string> {
  const [row] = await openSuperuser(app.superuserUrl)`
    select password_hash from users where user_id = ${userId}`;
  return row?.['password_hash'];
}

/** The part of a PHC string before the hash. */
const saltPartOf = (phc: string) => phc.split('$').slice(0, -1).join('$');

const asNow = { memoryCost: 19_456, timeCost: 4, parallelism: 1 };

describe.each<[string, Parameters<typeof hash>[1]]>([
  ['another salt, as of another SECRETS_KEY', asNow],
  ['less memory', { ...asNow, memoryCost: 8192 }],
])('a password whose hash is of %s', (_, options) => {
  test('is rehashed when its member signs in, and by nothing else', async () => {
    const former = await hash(password, options);
    const sql = openSuperuser(app.superuserUrl);
    await sql`update users set password_hash = ${former} where user_id = ${account.userId}`;
    expect((await passwordGrant(app, account, { password: othersPassword })).status).toBe(401);
    await sql`update users set active = false where user_id = ${account.userId}`;
    expect((await passwordGrant(app, account)).status).toBe(401);
    expect(await hashOf(account)).toBe(former);

    await sql`update users set active = true where user_id = ${account.userId}`;
    expect((await passwordGrant(app, account)).status).toBe(200);
    const present = await hashOf(account);
    // Both accounts now have the same salt, so that computing one hash checks both. This is so for all accounts of one
    // email address.
    expect(saltPartOf(present)).toBe(saltPartOf(await hashOf(other)));
    expect(present).not.toBe(await hashOf(other));
    expect((await passwordGrant(app, account)).status).toBe(200);
    expect((await passwordGrant(app, account, { password: othersPassword })).status).toBe(401);
    expect(await hashOf(account)).toBe(present);
  });
});
