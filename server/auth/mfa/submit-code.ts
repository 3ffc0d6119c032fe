import type { Tx } from '#db/client.ts';
import { type Actor, type Origin, recordEvent } from '#server/audit/service.ts';
import { AppError } from '#server/errors.ts';
import type { Claimant } from './challenge.ts';
import { addFailure, type ChallengeRow, countCode, deleteChallenge, readFailures } from './queries.ts';

/** A 5.3 rule 3: codes of either kind for one challenge. */
const codesPerChallenge = 5;
/** A 5.3 rule 4: failed codes of one member, in one window that slides. */
const failuresAllowed = 10;
const failureWindowSeconds = 15 * 60;

/**
 * What became of a code. A refusal is returned, not thrown: what it counted must be committed. Whoever has committed
 * it calls `settle`.
 */
export type CodeOutcome<T> = { accepted: T } | { refusal: AppError };

/** @throws AppError the refusal */
export function settle<T>(outcome: CodeOutcome<T>): T {
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome.accepted;
}

/** Whether every code of the challenge was submitted: it is good for nothing any more. */
export function isSpent({ codesSubmitted }: ChallengeRow): boolean {
  return codesSubmitted >= codesPerChallenge;
}

/**
 * Lets a code be checked, within both budgets of A 5.3. The member's row is locked, so that they hold however many
 * codes come at a time. A right code is not counted here: the caller consumes the challenge.
 * @param check tells what a right code leads to, and undefined for a wrong one; `now` is the Unix time in seconds
 * @returns refusals: 401 `invalid or expired MFA challenge`, 401 `invalid MFA code`, 429 with Retry-After
 */
export async function submitCode<T>(
  tx: Tx,
  origin: Origin,
  { user, challenge }: Claimant,
  check: (now: number) => Promise<T | undefined>,
): Promise<CodeOutcome<T>> {
  const { tenantId, userId } = user;
  const actor: Actor = challenge ? { kind: 'anonymous' } : { kind: 'member', userId };
  if (challenge && isSpent(challenge)) {
    await Promise.all([
      deleteChallenge(tx, challenge),
      recordEvent(tx, origin, { action: 'mfa_challenge_burnt', tenantId, actor, target: userId }),
    ]);
    return { refusal: noSuchChallenge() };
  }
  // C 7: before the code is looked at, so that a right one tells nothing either.
  const { failures, secondsLeft, now } = await readFailures(tx, user, failureWindowSeconds);
  if (failures >= failuresAllowed) return { refusal: tooManyAttempts(secondsLeft ?? 0) };

  const accepted = await check(now);
  if (accepted !== undefined) return { accepted };
  await Promise.all([
    challenge && countCode(tx, challenge),
    addFailure(tx, user, failuresAllowed),
    recordEvent(tx, origin, { action: 'mfa_code_refused', tenantId, actor, target: userId }),
  ]);
  return { refusal: new AppError('unauthenticated', 'invalid MFA code') };
}

export function noSuchChallenge(): AppError {
  return new AppError('unauthenticated', 'invalid or expired MFA challenge');
}

function tooManyAttempts(seconds: number): AppError {
  return new AppError('too_many_requests', 'too many MFA attempts', { retryAfter: Math.max(1, seconds) });
}
