import { type Algorithm, hashSync, verifySync } from '@node-rs/argon2';
import { serveThread } from '#server/platform/threads/threads.ts';

/**
 * A task for the thread: hash a password, check a password against a hash in PHC form, or estimate whether a password is
 * easily guessed, also from the words `own`.
 */
export type HashingTask =
  | { password: string; salt: Uint8Array }
  | { password: string; phc: string }
  | { password: string; own: readonly string[] };

export type HashingResult = { hash: string } | { matches: boolean } | { isEasy: boolean } | { failed: true };

/** `Algorithm.Argon2id`. It is an ambient enum, whose value is not available when types are only stripped. */
const argon2id = 2 as Algorithm;

/** argon2id with 19 MiB and four passes; OWASP's minimum is two passes. */
const parameters = { algorithm: argon2id, memoryCost: 19_456, timeCost: 4, parallelism: 1 };

const work = { run };
export type HashingWork = typeof work;

serveThread(work);

async function run(task: HashingTask): Promise<HashingResult> {
  try {
    if ('own' in task) {
      // The dictionaries are loaded when the first password is estimated.
      const { isEasilyGuessed } = await import('./strength.ts');
      return { isEasy: isEasilyGuessed(task.password, task.own) };
    }
    if ('phc' in task) return { matches: verifySync(task.phc, task.password) };
    return { hash: hashSync(task.password, { ...parameters, salt: task.salt }) };
  } catch {
    // Do not send the error: its message might contain the password.
    return { failed: true };
  }
}
