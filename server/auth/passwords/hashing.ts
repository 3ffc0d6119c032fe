import { type Algorithm, hash } from '@node-rs/argon2';
import { AppError } from '#server/errors.ts';

/** `Algorithm.Argon2id`, an ambient enum whose value type stripping cannot see. */
const argon2id = 2 as Algorithm;

/** At least 19 MiB and two passes, OWASP's minimum for argon2id. */
const parameters = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes at one time. Each takes a thread of libuv's four and 19 MiB; the others wait their turn. */
const concurrency = 2;
/** Hashes that may wait: about two seconds of work. */
const maximumWaiting = 100;
let running = 0;
const waiting: (() => void)[] = [];

/** The argon2id hash of a normalized password, in PHC form. Runs on another thread. */
export async function hashPassword(password: string): Promise<string> {
  if (waiting.length >= maximumWaiting)
    throw new AppError('too_many_requests', 'too many sign-ups at this moment; try again', { retryAfter: 5 });
  if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await hash(password, parameters);
  } finally {
    // The place goes straight to the next in line, so that nobody can slip in between.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
