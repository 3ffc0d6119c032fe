import type { Tx } from '#db/client.ts';
import { lockMember, notSignedIn, type SessionPrincipal } from '#server/access/service.ts';
import { type Origin, recordEvent } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { readTenant } from '#server/tenants/service.ts';
import { isMfaDemanded, wayOf } from './demand.ts';
import { issueRecoveryCodes } from './recovery-codes.ts';

/**
 * Replaces a signed-in member's recovery codes (A 5.3 rule 5). That takes a full session: one that has passed no second
 * factor, where a sign-in would be asked for it, would else come by codes that pass it.
 * @throws AppError 401 for such a session, 409 without an authenticator
 */
export async function regenerateCodes(
  tx: Tx,
  { secretsKey, settings }: Services,
  origin: Origin,
  principal: SessionPrincipal,
): Promise<string[]> {
  const tenantId = principal.tenant.id;
  const userId = principal.user.id;
  const [user, tenant] = await Promise.all([lockMember(tx, tenantId, userId), readTenant(tx, tenantId)]);
  if (!user?.active || !tenant) throw notSignedIn();
  if (user.totpSecret === null) throw new AppError('state_conflict', 'no authenticator is enrolled');
  const sameSignIn = { way: wayOf(user), tenantId, email: user.email, enrolled: true };
  if (!principal.family.secondFactor && isMfaDemanded(settings, tenant, sameSignIn)) throw notSignedIn();
  const codes = await issueRecoveryCodes(tx, secretsKey, user);
  await recordEvent(tx, origin, {
    action: 'recovery_codes_regenerated',
    tenantId,
    actor: { kind: 'member', userId },
    target: userId,
  });
  return codes;
}
