import { availableParallelism } from 'node:os';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import { AppError } from '#server/errors.ts';
import { keyedHash } from '#server/sealing.ts';

/** `Algorithm.Argon2id`, an ambient enum whose value type stripping cannot see. */
const argon2id = 2 as Algorithm;

/** At least 19 MiB and two passes, OWASP's minimum for argon2id. */
const parameters = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Hashes at one time: half of the cores, so that requests which need no password are still answered. Each takes a thread
 * of libuv's four and 19 MiB; the others wait their turn.
 */
const concurrency = Math.max(1, Math.min(3, Math.floor(availableParallelism() / 2)));
/** Hashes that may wait: some seconds of work. */
const maximumWaiting = 200;
let running = 0;
const waiting: (() => void)[] = [];

/**
 * The argon2id hash of a normalized password, in PHC form. Runs on another thread.
 *
 * The salt is of the address (16 bytes of a keyed hash), not of the account: all accounts of one address then cost one
 * hash to check, however many there are, and as much as an address without any. Nobody without SECRETS_KEY can
 * know it beforehand. What it gives away to a reader of the database is that two accounts of one person have the
 * same password.
 */
export function hashPassword(password: string, email: string, secretsKey: Buffer): Promise<string> {
  return inTurn(() => hash(password, { ...parameters, salt: saltOf(email, secretsKey) }));
}

/** Whether a hash is of this password, whatever its salt and parameters are. As dear as they say. */
export function verifyPassword(phc: string, password: string): Promise<boolean> {
  return inTurn(() => verify(phc, password));
}

function saltOf(email: string, secretsKey: Buffer): Buffer {
  return keyedHash(secretsKey, 'password salt', email).subarray(0, 16);
}

/** Runs one of this process's hashes at a time for each place; refuses with 429 where too many wait. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= maximumWaiting)
    throw new AppError('too_many_requests', 'too many sign-ins at this moment; try again', { retryAfter: 5 });
  if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    // The place goes straight to the next in line, so that nobody can slip in between.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
