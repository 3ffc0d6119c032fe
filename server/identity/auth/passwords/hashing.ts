import { timingSafeEqual } from 'node:crypto';
import { AppError } from '#server/errors.ts';
import { keyedHashes, type SecretsKeys } from '#server/platform/encryption.ts';
import { createThreads, threadCount } from '#server/platform/threads/threads.ts';
import type { HashingResult, HashingTask, HashingWork } from './hashing-worker.ts';

/**
 * Returns the argon2id hash of a normalized password, in PHC form. The hash is computed on another thread.
 *
 * The salt is not random for each account: it is 16 bytes of a keyed hash of the email address. So checking all
 * accounts of an address takes one hash, the same as for an address without accounts. Without SECRETS_KEY, no one can
 * compute the salt in advance. The disadvantage: the database shows whether two accounts of one address have the same
 * password.
 */
export function hashPassword(password: string, email: string, secretsKeys: SecretsKeys): Promise<string> {
  return hashWithSalt(password, saltsOf(email, secretsKeys)[0]);
}

/** Returns the salt by the current key and, if there is a previous key, the salt by that key. */
function saltsOf(email: string, secretsKeys: SecretsKeys): [Buffer, ...Buffer[]] {
  const [current, ...previous] = keyedHashes(secretsKeys, 'password salt', email);
  return [current.subarray(0, 16), ...previous.map((hash) => hash.subarray(0, 16))];
}

async function hashWithSalt(password: string, salt: Buffer): Promise<string> {
  const result = await hashOnThread({ password, salt });
  if (!('hash' in result)) throw new Error('a password could not be hashed');
  return result.hash;
}

/** Checks a password against a stored hash, whatever its salt and parameters are. */
async function verifyPassword(phc: string, password: string): Promise<boolean> {
  const result = await hashOnThread({ password, phc });
  if (!('matches' in result)) throw new Error('a password could not be checked');
  return result.matches;
}

/**
 * Finds the accounts of an address that have this password. Computes one hash for any number of accounts, even none, so
 * that the time does not reveal how many there are; while there is a previous key, it computes two. (If a stored hash
 * has old parameters or used a deleted key, it takes one hash more, until its member signs in.)
 * @returns the matching accounts, and the password's hash with the current parameters and key
 */
export async function accountsOfPassword<A extends { passwordHash: string }>(
  accounts: readonly A[],
  password: string,
  email: string,
  secretsKeys: SecretsKeys,
): Promise<{ matching: A[]; passwordHash: string }> {
  const [currentSalt, ...previousSalts] = saltsOf(email, secretsKeys);
  const [passwordHash, ...previousHashes] = await Promise.all([
    hashWithSalt(password, currentSalt),
    ...previousSalts.map((salt) => hashWithSalt(password, salt)),
  ]);
  const own = [passwordHash, ...previousHashes];
  const matching: A[] = [];
  for (const account of accounts) {
    const ofSameSalt = own.find((hash) => saltPartOf(hash) === saltPartOf(account.passwordHash));
    const matches =
      ofSameSalt === undefined
        ? await verifyPassword(account.passwordHash, password)
        : equal(account.passwordHash, ofSameSalt);
    if (matches) matching.push(account);
  }
  return { matching, passwordHash };
}

/** Returns the part of a PHC hash that contains algorithm, parameters and salt. */
function saltPartOf(phc: string): string {
  return phc.slice(0, phc.lastIndexOf('$'));
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Maximum number of tasks in the queue: a few seconds of work. */
const maxQueued = 200;

/** Far more than a task takes while other processes use all cores. */
const deadlineMs = 60_000;

interface Waiting {
  task: HashingTask;
  settle(result: HashingResult): void;
}

const runTask = createThreads<HashingWork>(
  new URL('./hashing-worker.ts', import.meta.url),
  'hashes passwords',
  deadlineMs,
);
const waiting: Waiting[] = [];
let running = 0;

/**
 * Runs a task on one of a pool of threads, because hashing blocks its thread. Tasks start in the order of the calls.
 * A thread needs 19 MiB to hash, and 60 MB for the dictionaries of an estimate; idle threads end.
 * @throws AppError 429 if the queue is full
 */
export function hashOnThread(task: HashingTask): Promise<HashingResult> {
  if (waiting.length >= maxQueued)
    throw new AppError('too_many_requests', 'too many sign-ins at this moment; try again', { retryAfter: 5 });
  return new Promise((settle) => {
    waiting.push({ task, settle });
    void next();
  });
}

async function next(): Promise<void> {
  const first = running < threadCount ? waiting.shift() : undefined;
  if (!first) return;
  running += 1;
  // If a thread dies, only its own task fails. The next task gets a new thread.
  const result = await runTask('run', first.task).catch(() => ({ failed: true }) as const);
  running -= 1;
  first.settle(result);
  void next();
}
