import { timingSafeEqual } from 'node:crypto';
import { keyedHash } from '#server/encryption.ts';
import { hashOnThread } from './hashing-pool.ts';

/**
 * Returns the argon2id hash of a normalized password, in PHC form. Runs on another thread.
 *
 * The salt is derived from the address (16 bytes of a keyed hash), not random per account. Checking all accounts of an
 * address then costs one hash, the same as for an address without accounts. The salt cannot be computed beforehand without
 * SECRETS_KEY. The price: the database shows whether two accounts of one address have the same password.
 */
export async function hashPassword(password: string, email: string, secretsKey: Buffer): Promise<string> {
  const salt = keyedHash(secretsKey, 'password salt', email).subarray(0, 16);
  const result = await hashOnThread({ password, salt });
  if (!('hash' in result)) throw new Error('a password could not be hashed');
  return result.hash;
}

/** Checks a password against a hash with any salt and parameters. */
async function verifyPassword(phc: string, password: string): Promise<boolean> {
  const result = await hashOnThread({ password, phc });
  if (!('matches' in result)) throw new Error('a password could not be checked');
  return result.matches;
}

/**
 * Finds the accounts of an address that have this password. Computes one hash for any number of accounts, even none, so
 * that the time does not reveal how many there are. (A stored hash from before a change of the parameters or the key costs
 * one more, until its member signs in.)
 * @returns the matching accounts, and the password's hash with the current parameters and key
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

/** Returns the algorithm, parameters and salt of a hash in PHC form. */
function saltPartOf(phc: string): string {
  return phc.slice(0, phc.lastIndexOf('$'));
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
