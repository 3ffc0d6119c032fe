import type { Tx } from '#db/client.ts';
import { defaultScope, hashSecret, lockMember, newSecret } from '#server/access/service.ts';
import type { Settings } from '#server/settings.ts';
import type { MfaChallenge } from '../schema.ts';
import {
  type ChallengeKey,
  type ChallengeRow,
  findChallenge,
  insertChallenge,
  type MemberRow,
} from './queries.ts';

/** A challenge as it is told to the client, this once; `expiresIn` in seconds. */
export interface IssuedChallenge {
  challengeId: string;
  method: 'totp' | 'totp_enroll';
  expiresIn: number;
}

/** Who answers for a second factor: a member whose row is locked, by a challenge or else by a session of that family. */
export type Claimant = { user: MemberRow } & (
  | { challenge: ChallengeRow }
  | { challenge: null; familyId: string }
);

/** A tenant's id, a dot, a secret. */
const challengeIdForm = /^([a-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43})$/;

/**
 * Issues a challenge in place of tokens (A 5.3), inside a transaction of the member's tenant that has locked its row.
 * @param scope of the tokens that will be issued
 */
export async function issueChallenge(
  tx: Tx,
  user: MemberRow,
  settings: Settings,
  scope: string = defaultScope,
): Promise<IssuedChallenge> {
  const { tenantId, userId } = user;
  const secret = newSecret();
  const method = user.totpSecret === null ? 'totp_enroll' : 'totp';
  const expiresIn = settings.MFA_CHALLENGE_TTL_SECONDS;
  await insertChallenge(
    tx,
    { tenantId, userId, challengeHash: hashSecret(secret), method, scope },
    expiresIn,
  );
  return { challengeId: `${tenantId}.${secret}`, method, expiresIn };
}

/** A 2.4, C 2 */
export function challengeResponse({ challengeId, method, expiresIn }: IssuedChallenge): MfaChallenge {
  return { challenge_id: challengeId, method, expires_in: expiresIn };
}

/** The paths that lead on from a challenge (A 4.2 rule 3, C 2). */
export function nextAfter({ method }: IssuedChallenge): Record<string, string> {
  const oauth2_token = '/api/oauth2/token';
  if (method === 'totp') return { oauth2_token, mfa_verify: '/api/auth/mfa/verify' };
  return { mfa_enroll: '/api/auth/mfa/enroll', mfa_confirm: '/api/auth/mfa/confirm', oauth2_token };
}

/** Where a challenge is stored; undefined for what cannot be one, which is not looked up. */
export function readChallengeId(challengeId: string): ChallengeKey | undefined {
  const [, tenantId, secret] = challengeIdForm.exec(challengeId) ?? [];
  if (tenantId === undefined || secret === undefined) return undefined;
  return { tenantId, challengeHash: hashSecret(secret) };
}

/**
 * The challenge and its member, locked. It is read again behind the lock: of those who waited for it with one code, all
 * but the first find what the first has left.
 * @returns undefined for an unknown, expired, burnt or consumed one, and for one of a revoked member or an inactive tenant
 */
export async function lockChallenge(
  tx: Tx,
  key: ChallengeKey,
): Promise<{ user: MemberRow; challenge: ChallengeRow } | undefined> {
  const seen = await findChallenge(tx, key);
  if (!seen) return undefined;
  const user = await lockMember(tx, key.tenantId, seen.userId);
  const challenge = await findChallenge(tx, key);
  return user?.active && challenge ? { user, challenge } : undefined;
}
