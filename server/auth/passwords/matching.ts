import { timingSafeEqual } from 'node:crypto';
import { hashPassword, verifyPassword } from './hashing.ts';

/**
 * Those of an address's accounts whose password this is. One hash is computed, be there ten accounts or none: the time
 * does not tell how many, nor whether any. (A hash of other parameters or another key, from before a change of
 * either, costs one more each until its member has signed in.)
 * @returns `passwordHash` is the password's by the present parameters and key
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
