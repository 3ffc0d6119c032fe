import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { recoveryCodes, users } from '#db/schema/identity.ts';
import type { WithOwningTenant } from '#server/identity/access/guards/admin.ts';
import { forgetFactors } from '#server/identity/access/tokens.ts';
import { type Origin, recordAdministration } from '#server/identity/audit/audit-log.ts';
import type { Settings } from '#server/settings.ts';
import { requireMayReset, requireStillAdministrator, withLockedMember } from './locked-member.ts';
import { deleteChallenges } from './members.ts';

/**
 * Deletes a member's authenticator and recovery codes. The member enrolls again at the next sign-in that requires a
 * second factor. Sessions stay, but lose operator access.
 * @throws AppError 404; 403 for a designated operator, unless the caller uses the operator key
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
    await forgetFactors(tx, tenantId, userId);
    await recordAdministration(tx, origin, admin, { action: 'mfa_reset', tenantId, target: userId });
    return { mfa_reset: true, user_id: userId };
  });
}

/** Deletes a member's authenticator, confirmed or not, and the member's recovery codes. */
export async function deleteAuthenticator(tx: Tx, tenantId: string, userId: string): Promise<void> {
  await Promise.all([
    tx
      .update(users)
      .set({
        totpSecret: null,
        totpPendingSecret: null,
        totpLastStep: null,
        mfaFailedAt: [],
        unprovedFamily: null,
      })
      .where(and(eq(users.tenantId, tenantId), eq(users.userId, userId))),
    tx
      .delete(recoveryCodes)
      .where(and(eq(recoveryCodes.tenantId, tenantId), eq(recoveryCodes.userId, userId))),
  ]);
}
