import { Worker } from 'node:worker_threads';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { accountsOfPassword, hashPassword } from '#server/identity/auth/passwords/hashing.ts';
import { env, found, freshEmail, password, signUpFounder } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { grant } from './sign-in.ts';

/** Each hash is one message to a thread. */
const hashed = vi.spyOn(Worker.prototype, 'postMessage');
afterAll(() => hashed.mockRestore());

const app = useTestApp({ env });
const keyOf = (byte: number) => ({ current: Buffer.alloc(32, byte), previous: null });
const key = keyOf(7);
const wrong = 'none of the passphrases';

beforeEach(() => {
  hashed.mockClear();
});

const saltOf = (phc: string) => phc.split('$')[4];

/** Creates `accounts` workspaces with one email address; returns the address. */
async function addressOf(accounts: number): Promise<string> {
  const email = freshEmail();
  for (let i = 0; i < accounts; i += 1) await signUpFounder(app, { email, password });
  hashed.mockClear();
  return email;
}

describe.each([0, 1, 3])('A 4.3: an address with %i accounts', (accounts) => {
  test.each([
    ['right', password],
    ['wrong', wrong],
  ])('costs exactly one hash, and no check of another: the password is %s', async (_, sent) => {
    const email = await addressOf(accounts);
    const right = accounts > 0 && sent === password;
    const { status } = await grant(app, { grant_type: 'password', username: email, password: sent });
    expect(status).toBe(right ? 200 : 401);
    expect(hashed).toHaveBeenCalledTimes(1);
    expect(hashed.mock.calls[0]?.[0]).toMatchObject({ password: sent, salt: expect.any(Uint8Array) });
  });

  test('costs as much if the workspace is named, whether it is theirs or not', async () => {
    const email = await addressOf(accounts);
    const { tenantId } = await found(app);
    hashed.mockClear();
    const fields = { grant_type: 'password', username: email, password, tenant_id: tenantId };
    expect((await grant(app, fields)).status).toBe(401);
    expect(hashed).toHaveBeenCalledTimes(1);
  });

  test('is matched by one hash', async () => {
    const passwordHash = await hashPassword(password, 'ada@example.org', key);
    const known = Array.from({ length: accounts }, (_, place) => ({ place, passwordHash }));
    hashed.mockClear();
    const matched = await accountsOfPassword(known, password, 'ada@example.org', key);
    expect(matched).toEqual({ matching: known, passwordHash });
    expect((await accountsOfPassword(known, wrong, 'ada@example.org', key)).matching).toEqual([]);
    expect(hashed).toHaveBeenCalledTimes(2);
  });
});

describe.each([0, 1, 3])('while a key is replaced, an address with %i accounts', (accounts) => {
  const email = 'ada@example.org';
  const both = { current: Buffer.alloc(32, 8), previous: key.current };

  test.each([
    ['the previous key', [key]],
    ['the current key', [both]],
    ['both', [key, both]],
  ])('costs two hashes and no check, where its hashes are of %s', async (_, made) => {
    const hashes = await Promise.all(made.map((keys) => hashPassword(password, email, keys)));
    const known = Array.from({ length: accounts }, (_, i) => ({ passwordHash: hashes[i % hashes.length]! }));
    hashed.mockClear();
    const matched = await accountsOfPassword(known, password, email, both);
    expect(matched).toEqual({ matching: known, passwordHash: await hashPassword(password, email, both) });
    expect((await accountsOfPassword(known, wrong, email, both)).matching).toEqual([]);
    expect(hashed.mock.calls.filter(([asked]) => 'salt' in asked)).toHaveLength(2 + 1 + 2);
    expect(hashed).toHaveBeenCalledTimes(2 + 1 + 2);
  });
});

describe('the salt of a password', () => {
  test('depends on its address: two addresses have two, whatever the password', async () => {
    const [ada, ben] = ['ada@example.org', 'ben@example.org'];
    const salts = await Promise.all(
      [ada, ben].map(async (email) => saltOf(await hashPassword(password, email, key))),
    );
    expect(new Set(salts).size).toBe(2);
    expect(saltOf(await hashPassword(wrong, ada, key))).toBe(salts[0]);
  });

  test('depends on SECRETS_KEY', async () => {
    const hashes = [key, keyOf(0), keyOf(8)].map((secret) =>
      hashPassword(password, 'ada@example.org', secret),
    );
    expect(new Set((await Promise.all(hashes)).map(saltOf)).size).toBe(3);
  });

  test('is 16 bytes, the same for all accounts of an address, and of no other address', async () => {
    const email = freshEmail();
    await signUpFounder(app, { email, password });
    await signUpFounder(app, { email: email.toUpperCase(), password: 'quite another passphrase' });
    const other = await addressOf(1);
    const rows = await openSuperuser(app.superuserUrl)`
      select email, password_hash from users where email = any(${[email, other]}) order by email = ${other}`;
    const [first, second, third] = rows.map((row) => saltOf(row['password_hash']));
    expect(first).toMatch(/^[\w+/]{22}$/);
    expect(second).toBe(first);
    expect(third).toMatch(/^[\w+/]{22}$/);
    expect(third).not.toBe(first);
  });
});
