import type { Tx } from '#db/client.ts';
import { lockMember, notSignedIn, type SessionPrincipal } from '#server/access/service.ts';
import { type Origin, recordEvent } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { issueRecoveryCodes } from './recovery-codes.ts';

/**
 * Replaces a signed-in member's recovery codes (A 5.3 rule 5).
 * @throws AppError 409 without an authenticator
 */
export async function regenerateCodes(
  tx: Tx,
  { secretsKey }: Services,
  origin: Origin,
  principal: SessionPrincipal,
): Promise<string[]> {
  const tenantId = principal.tenant.id;
  const userId = principal.user.id;
  const user = await lockMember(tx, tenantId, userId);
  if (!user?.active) throw notSignedIn();
  if (user.totpSecret === null) throw new AppError('state_conflict', 'no authenticator is enrolled');
  const codes = await issueRecoveryCodes(tx, secretsKey, user);
  await recordEvent(tx, origin, {
    action: 'recovery_codes_regenerated',
    tenantId,
    actor: { kind: 'member', userId },
    target: userId,
  });
  return codes;
}
