import type { WithOwningTenant } from '#server/access/service.ts';
import { type Origin, recordAdministration } from '#server/audit/service.ts';
import type { Settings } from '#server/settings.ts';
import { requireMayReset, requireStillAdministrator, withLockedMember } from './locked-member.ts';
import { deleteAuthenticator, deleteChallenges } from './members.ts';

/**
 * Clears a member's authenticator, with everything that belongs to it: the member enrols anew at the next sign-in that
 * asks for a code. Sessions go on (A 4.1 ends none here), but an operator's standing needs an authenticator.
 * @throws AppError 404, 403 for another designated operator's
 */
export async function resetMfa(
  origin: Origin,
  withOwningTenant: WithOwningTenant,
  settings: Settings,
  userId: string,
): Promise<{ mfa_reset: true; user_id: string }> {
  return withLockedMember(withOwningTenant, userId, async (found) => {
    requireMayReset(found, settings);
    const { tx, tenantId, admin } = found;
    await requireStillAdministrator(tx, tenantId, admin);
    await deleteAuthenticator(tx, tenantId, userId);
    await deleteChallenges(tx, tenantId, userId);
    await recordAdministration(tx, origin, admin, { action: 'mfa_reset', tenantId, target: userId });
    return { mfa_reset: true, user_id: userId };
  });
}
