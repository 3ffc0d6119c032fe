import { and, count, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { mfaChallenges, recoveryCodes, users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';

/** A member's row. */
export type MemberRow = typeof users.$inferSelect;

type MemberKey = Pick<MemberRow, 'tenantId' | 'userId'>;

/** A challenge by what is stored of its id. */
export interface ChallengeKey {
  tenantId: string;
  challengeHash: Uint8Array;
}

export type ChallengeRow = typeof mfaChallenges.$inferSelect;

export async function insertChallenge(
  tx: Tx,
  challenge: Omit<typeof mfaChallenges.$inferInsert, 'expiresAt'>,
  lifeSeconds: number,
): Promise<void> {
  const expiresAt = sql`now() + make_interval(secs => ${lifeSeconds})`;
  await tx.insert(mfaChallenges).values({ ...challenge, expiresAt });
}

/** A challenge that is alive, of an active tenant. By the clock, since the transaction may have waited for a lock. */
export async function findChallenge(tx: Tx, key: ChallengeKey): Promise<ChallengeRow | undefined> {
  const [row] = await tx
    .select({ challenge: mfaChallenges })
    .from(mfaChallenges)
    .innerJoin(tenants, eq(tenants.tenantId, mfaChallenges.tenantId))
    .where(
      and(isChallenge(key), sql`${mfaChallenges.expiresAt} > clock_timestamp()`, eq(tenants.active, true)),
    );
  return row?.challenge;
}

export async function countCode(tx: Tx, key: ChallengeKey): Promise<void> {
  await tx
    .update(mfaChallenges)
    .set({ codesSubmitted: sql`${mfaChallenges.codesSubmitted} + 1` })
    .where(isChallenge(key));
}

export async function deleteChallenge(tx: Tx, key: ChallengeKey): Promise<void> {
  await tx.delete(mfaChallenges).where(isChallenge(key));
}

/** Deletes what would let a member enroll who has just done so. */
export async function deleteEnrolmentChallenges(tx: Tx, { tenantId, userId }: MemberKey): Promise<void> {
  await tx
    .delete(mfaChallenges)
    .where(
      and(
        eq(mfaChallenges.tenantId, tenantId),
        eq(mfaChallenges.userId, userId),
        eq(mfaChallenges.method, 'totp_enroll'),
      ),
    );
}

export interface Failures {
  /** Within the window. */
  failures: number;
  /** Until the oldest of them leaves it; null where there is none. */
  secondsLeft: number | null;
  /** Unix time in seconds, by the database's clock. */
  now: number;
}

export async function readFailures(
  tx: Tx,
  { tenantId, userId }: MemberKey,
  windowSeconds: number,
): Promise<Failures> {
  const window = sql`make_interval(secs => ${windowSeconds})`;
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

/** Notes a failed code, and keeps the newest `kept` of them. */
export async function addFailure(tx: Tx, key: MemberKey, kept: number): Promise<void> {
  const failedAt = users.mfaFailedAt;
  await tx
    .update(users)
    .set({
      mfaFailedAt: sql`(array_append(${failedAt}, clock_timestamp()))[cardinality(${failedAt}) + 2 - ${kept}::int:]`,
    })
    .where(isMember(key));
}

export async function savePendingSecret(tx: Tx, key: MemberKey, sealed: Uint8Array): Promise<void> {
  await tx.update(users).set({ totpPendingSecret: sealed }).where(isMember(key));
}

/** The pending secret becomes the member's; `step` is that of the code which proved it. */
export async function adoptPendingSecret(tx: Tx, key: MemberKey, step: number): Promise<void> {
  await tx
    .update(users)
    .set({ totpSecret: sql`${users.totpPendingSecret}`, totpPendingSecret: null, totpLastStep: step })
    .where(isMember(key));
}

export async function saveLastStep(tx: Tx, key: MemberKey, step: number): Promise<void> {
  await tx.update(users).set({ totpLastStep: step }).where(isMember(key));
}

export async function replaceRecoveryCodes(
  tx: Tx,
  { tenantId, userId }: MemberKey,
  codeHashes: Uint8Array[],
): Promise<void> {
  await tx.delete(recoveryCodes).where(isCodeOf({ tenantId, userId }));
  await tx.insert(recoveryCodes).values(codeHashes.map((codeHash) => ({ tenantId, userId, codeHash })));
}

/** Takes a recovery code away; false where there was none. */
export async function deleteRecoveryCode(tx: Tx, key: MemberKey, codeHash: Uint8Array): Promise<boolean> {
  const deleted = await tx
    .delete(recoveryCodes)
    .where(and(isCodeOf(key), eq(recoveryCodes.codeHash, codeHash)))
    .returning({ userId: recoveryCodes.userId });
  return deleted.length > 0;
}

export async function countRecoveryCodes(tx: Tx, key: MemberKey): Promise<number> {
  const [row] = await tx.select({ left: count() }).from(recoveryCodes).where(isCodeOf(key));
  return row?.left ?? 0;
}

function isChallenge({ tenantId, challengeHash }: ChallengeKey) {
  return and(eq(mfaChallenges.tenantId, tenantId), eq(mfaChallenges.challengeHash, challengeHash));
}

function isMember({ tenantId, userId }: MemberKey) {
  return and(eq(users.tenantId, tenantId), eq(users.userId, userId));
}

function isCodeOf({ tenantId, userId }: MemberKey) {
  return and(eq(recoveryCodes.tenantId, tenantId), eq(recoveryCodes.userId, userId));
}
