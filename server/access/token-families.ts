import type { Tx } from '#db/client.ts';
import type { Settings } from '#server/settings.ts';
import { consumeToken, deleteTokens, findToken, lockMember, type TokenRow } from './queries.ts';
import { type IssuedTokens, startSession } from './sessions.ts';

/** Milliseconds after its use in which a second one counts as the same client's, that did not hear the answer (C 7). */
const reuseGrace = 10_000;

export type Rotation =
  | { kind: 'rotated'; tokens: IssuedTokens }
  | { kind: 'refused' }
  /** A consumed token came back late: somebody else has it. Its family is ended. */
  | { kind: 'reused'; userId: string; familyId: string };

/**
 * Exchanges a refresh token for a new pair of its family, once however many ask at a time (A 3.3).
 * @param scope of the new tokens; that of the old one where it is not given
 */
export async function rotateRefreshToken(
  tx: Tx,
  tenantId: string,
  tokenHash: Uint8Array,
  settings: Settings,
  scope: string | undefined,
): Promise<Rotation> {
  const seen = await findToken(tx, tenantId, tokenHash);
  if (seen?.kind !== 'refresh_token') return { kind: 'refused' };
  const { userId, familyId } = seen;
  if (seen.consumedAt !== null) return secondUse(tx, seen);

  const user = await lockMember(tx, tenantId, userId, 'share');
  if (!user?.active) return { kind: 'refused' };
  if (!(await consumeToken(tx, tenantId, tokenHash))) return { kind: 'refused' };
  const { email, provider, role } = user;
  const member = { tenantId, userId, email, provider, role };
  const tokens = await startSession(tx, member, settings, { scope: scope ?? seen.scope, familyId });
  return { kind: 'rotated', tokens };
}

async function secondUse(tx: Tx, { tenantId, userId, familyId, consumedAt }: TokenRow): Promise<Rotation> {
  if (Date.now() - (consumedAt as Date).getTime() <= reuseGrace) return { kind: 'refused' };
  await endFamily(tx, tenantId, userId, familyId);
  return { kind: 'reused', userId, familyId };
}

/** Ends all tokens that descend from one sign-in. The lock waits for a rotation of the family that is under way. */
export async function endFamily(tx: Tx, tenantId: string, userId: string, familyId: string): Promise<void> {
  await lockMember(tx, tenantId, userId, 'no key update');
  await deleteTokens(tx, tenantId, { userId, familyId });
}
