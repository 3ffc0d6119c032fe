import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { AppError } from '#server/errors.ts';
import type { LockedMember } from '#server/identity/access/sessions.ts';
import { type Actor, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { type ChallengeRow, type Claimant, countCode, deleteChallenge } from './challenge.ts';

/** Number of wrong codes that one challenge allows, verification and recovery codes together. */
const codesPerChallenge = 5;
/** Number of wrong codes that one member may submit within a sliding window. */
const failuresAllowed = 10;
const failureWindowSeconds = 15 * 60;

/**
 * The result of checking a code. A rejection is returned and not thrown, so that the failed attempt that it counted is
 * committed. After the commit, pass the result to `acceptedOrThrow`.
 */
export type CodeOutcome<T> = { accepted: T } | { refusal: AppError };

/**
 * Returns the accepted value.
 * @throws AppError the rejection
 */
export function acceptedOrThrow<T>(outcome: CodeOutcome<T>): T {
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome.accepted;
}

/** Whether a challenge has no attempts left. */
export function isSpent({ codesSubmitted }: ChallengeRow): boolean {
  return codesSubmitted >= codesPerChallenge;
}

/**
 * Checks both limits before a code is checked: beyond a limit, a right code and a wrong one get the same response. The
 * member's row is locked, so the limits also hold for concurrent requests. Call `refuseCode` after a wrong code. A
 * right code is not counted, because the caller then deletes the challenge.
 * @returns the Unix time in seconds by the database's clock, or a rejection: 401 `invalid or expired MFA challenge`,
 *   429 with Retry-After
 */
export async function beginAttempt(
  tx: Tx,
  origin: Origin,
  claimant: Claimant,
): Promise<{ now: number } | { refusal: AppError }> {
  const { user, challenge } = claimant;
  if (challenge && isSpent(challenge)) {
    await Promise.all([
      deleteChallenge(tx, challenge),
      recordEvent(tx, origin, { action: 'mfa_challenge_burnt', ...eventOf(claimant) }),
    ]);
    return { refusal: noSuchChallenge() };
  }
  const { failures, secondsLeft, now } = await readFailures(tx, user);
  return failures >= failuresAllowed ? { refusal: tooManyMfaAttempts(secondsLeft ?? 0) } : { now };
}

/** Counts a wrong code. Returns the rejection, a 401 `invalid MFA code`. */
export async function refuseCode(tx: Tx, origin: Origin, claimant: Claimant): Promise<{ refusal: AppError }> {
  const { user, challenge } = claimant;
  await Promise.all([
    challenge && countCode(tx, challenge),
    addFailure(tx, user),
    recordEvent(tx, origin, { action: 'mfa_code_refused', ...eventOf(claimant) }),
  ]);
  return { refusal: new AppError('unauthenticated', 'invalid MFA code') };
}

/**
 * The event of an attempt. A challenge does not prove who submits the code, so attempts with a challenge are recorded
 * as anonymous.
 */
function eventOf({ user: { tenantId, userId }, challenge }: Claimant) {
  const actor: Actor = challenge ? { kind: 'anonymous' } : { kind: 'member', userId };
  return { tenantId, actor, target: userId };
}

export function noSuchChallenge(): AppError {
  return new AppError('unauthenticated', 'invalid or expired MFA challenge');
}

function tooManyMfaAttempts(seconds: number): AppError {
  return new AppError('too_many_requests', 'too many MFA attempts', { retryAfter: Math.max(1, seconds) });
}

interface Failures {
  /** Number of wrong codes within the window. */
  failures: number;
  /** Seconds until the oldest wrong code leaves the window; null if none exists. */
  secondsLeft: number | null;
  /** The current Unix time in seconds, by the database's clock. */
  now: number;
}

async function readFailures(tx: Tx, { tenantId, userId }: LockedMember): Promise<Failures> {
  const window = sql`make_interval(secs => ${failureWindowSeconds})`;
  const [row] = await tx.execute(sql`
    select count(failed_at)::int as failures,
      extract(epoch from min(failed_at) + ${window} - clock_timestamp())::float8 as seconds_left,
      extract(epoch from clock_timestamp())::float8 as now
    from users left join unnest(mfa_failed_at) failed_at on failed_at > clock_timestamp() - ${window}
    where tenant_id = ${tenantId} and user_id = ${userId}`);
  const secondsLeft = row?.['seconds_left'] ?? null;
  return {
    failures: Number(row?.['failures']),
    secondsLeft: secondsLeft === null ? null : Number(secondsLeft),
    now: Number(row?.['now']),
  };
}

/** Stores the time of a failed code. Only the latest `failuresAllowed` times are kept. */
async function addFailure(tx: Tx, { tenantId, userId }: LockedMember): Promise<void> {
  const failedAt = users.mfaFailedAt;
  await tx
    .update(users)
    .set({
      mfaFailedAt: sql`(array_append(${failedAt}, clock_timestamp()))[cardinality(${failedAt}) + 2 - ${failuresAllowed}::int:]`,
    })
    .where(and(eq(users.tenantId, tenantId), eq(users.userId, userId)));
}
