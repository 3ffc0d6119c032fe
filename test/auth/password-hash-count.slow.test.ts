import { Worker } from 'node:worker_threads';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { accountsOfPassword, hashPassword } from '#server/identity/auth/passwords/hashing.ts';
import { env, found, freshEmail, password, signUpFounder } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { grant } from './sign-in.ts';

/** Counts hashes: each hash is one message to a thread. */
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

/** Creates `accounts` workspaces whose creators have the same email address, and returns the address. */
async function addressOf(accounts: number): Promise<string> {
  const email = freshEmail();
  for (let i = 0; i < accounts; i += 1) await signUpFounder(app, { email, password });
  hashed.mockClear();
  return email;
}

describe('checking a password costs one hash, however many accounts the address has', () => {
  test.each([
    [0, 'wrong', wrong],
    [3, 'right', password],
    [3, 'wrong', wrong],
  ])('%i accounts, %s password', async (accounts, _, sent) => {
    const email = await addressOf(accounts);
    const { status } = await grant(app, { grant_type: 'password', username: email, password: sent });
    expect(status).toBe(sent === password ? 200 : 401);
    expect(hashed).toHaveBeenCalledTimes(1);
    expect(hashed.mock.calls[0]?.[0].task).toMatchObject({ password: sent, salt: expect.any(Uint8Array) });
  });

  test.each([0, 1])('%i accounts, in another workspace than the named one', async (accounts) => {
    const email = await addressOf(accounts);
    const { tenantId } = await found(app);
    const fields = { grant_type: 'password', username: email, password, tenant_id: tenantId };
    expect((await grant(app, fields)).status).toBe(401);
    expect(hashed).toHaveBeenCalledTimes(1);
  });
});

describe.each([0, 2])('of %i accounts', (accounts) => {
  const email = 'ada@example.org';
  const both = { current: Buffer.alloc(32, 8), previous: key.current };

  test.each([
    ['the only key', key, [key], 1],
    ['the previous key, while it is replaced', both, [key], 2],
    ['both keys, while one is replaced', both, [key, both], 2],
  ])('whose hashes are of %s', async (_, keys, made, cost) => {
    const hashes = await Promise.all(made.map((each) => hashPassword(password, email, each)));
    const current = await hashPassword(password, email, keys);
    const known = Array.from({ length: accounts }, (_, i) => ({ passwordHash: hashes[i % hashes.length]! }));
    hashed.mockClear();
    const matched = await accountsOfPassword(known, password, email, keys);
    expect(matched).toEqual({ matching: known, passwordHash: current });
    expect((await accountsOfPassword(known, wrong, email, keys)).matching).toEqual([]);
    expect(hashed.mock.calls.filter(([asked]) => 'salt' in asked.task)).toHaveLength(2 * cost);
    expect(hashed).toHaveBeenCalledTimes(2 * cost);
  });
});

describe('the salt of a password', () => {
  test('depends on the address and on SECRETS_KEY, and not on the password', async () => {
    const hashes = await Promise.all([
      hashPassword(password, 'ada@example.org', key),
      hashPassword(wrong, 'ada@example.org', key),
      hashPassword(password, 'ben@example.org', key),
      hashPassword(password, 'ada@example.org', keyOf(8)),
    ]);
    const [own, again, ...others] = hashes.map(saltOf);
    // 16 bytes.
    expect(own).toMatch(/^[\w+/]{22}$/);
    expect(again).toBe(own);
    expect(new Set([own, ...others]).size).toBe(3);
  });
});
