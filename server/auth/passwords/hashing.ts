import { timingSafeEqual } from 'node:crypto';
import { keyedHash } from '#server/encryption.ts';
import { hashOnThread } from './hashing-pool.ts';

/**
 * The argon2id hash of a normalized password, in PHC form. Runs on another thread.
 *
 * The salt is of the address (16 bytes of a keyed hash), not of the account: all accounts of one address then cost one
 * hash to check, however many there are, and as much as an address without any. Nobody without SECRETS_KEY can
 * know it beforehand. What it gives away to a reader of the database is that two accounts of one person have the
 * same password.
 */
export async function hashPassword(password: string, email: string, secretsKey: Buffer): Promise<string> {
  const salt = keyedHash(secretsKey, 'password salt', email).subarray(0, 16);
  const answer = await hashOnThread({ password, salt });
  if (!('hash' in answer)) throw new Error('a password could not be hashed');
  return answer.hash;
}

/** Whether a hash of any salt and parameters is of this password. */
async function verifyPassword(phc: string, password: string): Promise<boolean> {
  const answer = await hashOnThread({ password, phc });
  if (!('matches' in answer)) throw new Error('a password could not be checked');
  return answer.matches;
}

/**
 * Finds the accounts of an address that have this password. Computes one hash for any number of accounts, even none, so
 * that the time does not reveal how many there are. (A hash from before a change of the parameters or the key costs one more
 * until its member signs in.)
 * @returns `passwordHash` is the password's hash by the current parameters and key
 */
export async function accountsOfPassword<A extends { passwordHash: string }>(
  accounts: readonly A[],
  password: string,
  email: string,
  secretsKey: Buffer,
): Promise<{ matching: A[]; passwordHash: string }> {
  const own = await hashPassword(password, email, secretsKey);
  const matching: A[] = [];
  for (const account of accounts) {
    const matches =
      saltPartOf(account.passwordHash) === saltPartOf(own)
        ? equal(account.passwordHash, own)
        : await verifyPassword(account.passwordHash, password);
    if (matches) matching.push(account);
  }
  return { matching, passwordHash: own };
}

/** Algorithm, parameters and salt of a hash in PHC form. */
function saltPartOf(phc: string): string {
  return phc.slice(0, phc.lastIndexOf('$'));
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
