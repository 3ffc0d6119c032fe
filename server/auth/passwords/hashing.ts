import { keyedHash } from '#server/encryption.ts';
import { hashOnThread } from './hashing-threads.ts';

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

/** Whether a hash is of this password, whatever its salt and parameters are. As dear as they say. */
export async function verifyPassword(phc: string, password: string): Promise<boolean> {
  const answer = await hashOnThread({ password, phc });
  if (!('matches' in answer)) throw new Error('a password could not be checked');
  return answer.matches;
}
