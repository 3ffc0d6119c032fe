import { hash } from '@node-rs/argon2';
import { beforeEach, describe, expect, test } from 'vitest';
import { env, type Person, password, signUpFounder } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { passwordGrant } from './sign-in.ts';

const app = useTestApp({ env });

let people = 0;

/** Two workspaces' founders of one address, whose passwords differ. */
let account: Person;
let other: Person;
const othersPassword = 'quite another passphrase';
beforeEach(async () => {
  people += 1;
  const email = `twice${people}@example.org`;
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

/** Older hashes: made with another SECRETS_KEY, or with other parameters. */
const formers: [string, Parameters<typeof hash>[1]][] = [
  ['another salt', asNow],
  ['another salt of another length', { ...asNow, salt: Buffer.alloc(32, 7) }],
  ['less memory', { ...asNow, memoryCost: 8192 }],
  ['one pass', { ...asNow, timeCost: 1 }],
  ['two lanes', { ...asNow, parallelism: 2 }],
  ['more of everything', { memoryCost: 32_768, timeCost: 3, parallelism: 2 }],
];

describe.each(formers)('a password whose hash is of %s', (_, options) => {
  let former: string;
  beforeEach(async () => {
    former = await hash(password, options);
    await openSuperuser(app.superuserUrl)`
      update users set password_hash = ${former} where user_id = ${account.userId}`;
  });

  test('still works, and is rehashed with the current parameters when its member signs in', async () => {
    expect(saltPartOf(former)).not.toBe(saltPartOf(await hashOf(other)));
    expect((await passwordGrant(app, account)).status).toBe(200);
    const present = await hashOf(account);
    // The same as the second account's, so that one hash checks both, as for every other address.
    expect(saltPartOf(present)).toBe(saltPartOf(await hashOf(other)));
    expect(present).not.toBe(await hashOf(other));
    expect((await passwordGrant(app, account)).status).toBe(200);
    expect((await passwordGrant(app, account, { password: othersPassword })).status).toBe(401);
    expect(await hashOf(account)).toBe(present);
  });

  test('stays as it is after a wrong password', async () => {
    for (const wrong of [othersPassword, `${password} `, 'x'])
      expect((await passwordGrant(app, account, { password: wrong })).status).toBe(401);
    expect(await hashOf(account)).toBe(former);
  });

  test('of a revoked member stays as it is', async () => {
    await openSuperuser(app.superuserUrl)`update users set active = false where user_id = ${account.userId}`;
    expect((await passwordGrant(app, account)).status).toBe(401);
    expect(await hashOf(account)).toBe(former);
  });
});

test('concurrent sign-ins all succeed, although the first one replaces the hash', async () => {
  const former = await hash(password, { ...asNow, timeCost: 1 });
  await openSuperuser(app.superuserUrl)`
    update users set password_hash = ${former} where user_id = ${account.userId}`;
  const signIns = await Promise.all(Array.from({ length: 6 }, () => passwordGrant(app, account)));
  expect(signIns.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(await hashOf(account)).not.toBe(former);
});

test('stored passwords are argon2id with at least 19 MiB, two passes and one lane', async () => {
  const weak = await hash(password, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
  await openSuperuser(app.superuserUrl)`
    update users set password_hash = ${weak} where user_id = ${account.userId}`;
  await passwordGrant(app, account);
  const rows = await openSuperuser(app.superuserUrl)`select password_hash from users
    where email = ${account.email}`;
  expect(rows).toHaveLength(2);
  for (const { password_hash } of rows) {
    const [, memory, passes, lanes] =
      /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$[\w+/]{22}\$[\w+/]{43}$/.exec(password_hash) ?? [];
    expect(Number(memory)).toBeGreaterThanOrEqual(19_456);
    expect(Number(passes)).toBeGreaterThanOrEqual(2);
    expect(Number(lanes)).toBe(1);
  }
});

test('a sign-in leaves a hash with the address’s own salt part alone', async () => {
  const before = await hashOf(account);
  expect((await passwordGrant(app, account)).status).toBe(200);
  expect(await hashOf(account)).toBe(before);
});
