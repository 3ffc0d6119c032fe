import { hash } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { AppError } from '#server/errors.ts';
import { hashOnThread } from '#server/identity/auth/passwords/hashing.ts';

const password = 'a long enough passphrase';
/** A hash that can be checked quickly, because the test is about the queue. */
const phc = await hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });

const tooMany = 260;

/**
 * Starts the maximum number of checks that are accepted in one iteration of the event loop. Each third check has a
 * wrong password.
 */
function flood() {
  const accepted: Promise<{ asked: boolean; answer: unknown }>[] = [];
  const refusals: unknown[] = [];
  for (let i = 0; i < tooMany; i += 1) {
    const asked = i % 3 !== 0;
    try {
      const task = { password: asked ? password : 'another', phc };
      accepted.push(hashOnThread(task).then((answer) => ({ asked, answer })));
    } catch (error) {
      refusals.push(error);
    }
  }
  return { accepted, refusals };
}

test('of 260 concurrent hashes 200 are queued, the others are 429 with Retry-After', async () => {
  const { accepted, refusals } = flood();
  // In addition to the queue, each thread computes one check; there are at most four threads.
  expect(accepted.length).toBeGreaterThan(200);
  expect(accepted.length).toBeLessThanOrEqual(204);
  expect(refusals).toHaveLength(tooMany - accepted.length);
  for (const refusal of refusals) {
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({ status: 429, code: 'too_many_requests' });
    const { retryAfter = 0 } = refusal as AppError;
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(60);
  }
  // Each caller in the queue receives the result of its own check.
  for (const { asked, answer } of await Promise.all(accepted)) expect(answer).toEqual({ matches: asked });
  // After that, the queue accepts as many checks again.
  const next = flood().accepted;
  expect(next.length).toBeGreaterThan(200);
  await Promise.all(next);
});

test('a malformed hash gets a response too, and fails no others', async () => {
  const answers = await Promise.all([
    hashOnThread({ password, phc: 'no hash at all' }),
    hashOnThread({ password, phc }),
    hashOnThread({ password, salt: new Uint8Array(1) }),
    hashOnThread({ password: 'another', phc }),
  ]);
  expect(answers).toEqual([{ failed: true }, { matches: true }, { failed: true }, { matches: false }]);
});
