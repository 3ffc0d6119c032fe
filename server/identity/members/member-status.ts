import { and, eq, ne, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { AppError } from '#server/errors.ts';
import type { WithOwningTenant } from '#server/identity/access/guards/admin.ts';
import { requireProof } from '#server/identity/access/proof.ts';
import { endSessionsOf } from '#server/identity/access/sessions.ts';
import { type Origin, recordAdministration } from '#server/identity/audit/audit-log.ts';
import type { Settings } from '#server/settings.ts';
import { markWithdrawnOf } from './invite-queries.ts';
import {
  type LockedMemberContext,
  requireMayRestore,
  requireStillAdministrator,
  withLockedMember,
} from './locked-member.ts';
import { deleteChallenges, updateMember, userRowOf } from './members.ts';
import { deleteResetLink, deleteResetLinks } from './password-reset-links.ts';
import type { Role, UserRow } from './schema.ts';

/**
 * Revokes a member: ends the member's sessions and pending sign-ins, and withdraws the credentials with which the
 * member could return. If the member is already revoked, changes nothing. Another administrator loses access only with a
 * recent proof, so that a stolen session cannot lock out those who could stop it.
 * @throws AppError 404, 409 for the last active administrator; 403 `proof_required`
 */
export async function revokeMember(
  origin: Origin,
  withOwningTenant: WithOwningTenant,
  userId: string,
): Promise<UserRow> {
  return withLockedMember(withOwningTenant, userId, async (found) => {
    const { tx, tenantId, admin, member } = found;
    if (!member.active) return unchanged(found);
    if (member.role === 'global_administrator' && admin.user?.id !== userId) requireProof(admin);
    await requireAnotherAdministrator(found);
    await requireStillAdministrator(tx, tenantId, admin);
    const revoked = await updateMember(tx, tenantId, userId, { active: false });
    await endSessionsOf(tx, tenantId, userId);
    await deleteChallenges(tx, tenantId, userId);
    await deleteResetLink(tx, tenantId, userId);
    await revokeIssuedCredentials(found);
    await recordAdministration(tx, origin, admin, { action: 'member_revoked', tenantId, target: userId });
    return userRowOf(revoked);
  });
}

/**
 * Makes a revoked member active again, with the previous role. If the member is already active, changes nothing.
 * @throws AppError 404; 403 for a designated operator, unless an operator restores the member
 */
export async function restoreMember(
  origin: Origin,
  withOwningTenant: WithOwningTenant,
  settings: Settings,
  userId: string,
): Promise<UserRow> {
  return withLockedMember(withOwningTenant, userId, async (found) => {
    const { tx, tenantId, admin, member } = found;
    if (member.active) return unchanged(found);
    requireMayRestore(found, settings);
    await requireStillAdministrator(tx, tenantId, admin);
    const restored = await updateMember(tx, tenantId, userId, { active: true });
    await recordAdministration(tx, origin, admin, { action: 'member_restored', tenantId, target: userId });
    return userRowOf(restored);
  });
}

/**
 * Changes a member's role. The member's tokens stay valid: guards read the role at each request.
 * @throws AppError 404, 409 for the last active administrator
 */
export async function changeRole(
  origin: Origin,
  withOwningTenant: WithOwningTenant,
  userId: string,
  role: Role,
): Promise<UserRow> {
  return withLockedMember(withOwningTenant, userId, async (found) => {
    const { tx, tenantId, admin, member } = found;
    if (member.role === role) return unchanged(found);
    await requireAnotherAdministrator(found);
    await requireStillAdministrator(tx, tenantId, admin);
    const changed = await updateMember(tx, tenantId, userId, { role });
    await revokeIssuedCredentials(found);
    await recordAdministration(tx, origin, admin, {
      action: 'role_changed',
      tenantId,
      target: userId,
      details: { from: member.role, to: role },
    });
    return userRowOf(changed);
  });
}

/**
 * Withdraws the unused invites and password reset links that an administrator issued. Otherwise a revoked or demoted
 * administrator could use one of them to sign in again.
 */
async function revokeIssuedCredentials({ tx, tenantId, member }: LockedMemberContext): Promise<void> {
  if (member.role !== 'global_administrator') return;
  await markWithdrawnOf(tx, tenantId, member.email);
  // The database does not record who issued a link. So all links of the tenant are deleted, and other administrators
  // have to issue theirs again.
  await deleteResetLinks(tx, tenantId);
}

/** Returns the response for a member who already has the requested status or role. */
function unchanged({ member }: LockedMemberContext): UserRow {
  return userRowOf({ ...member, totpEnrolled: member.totpSecret !== null });
}

/**
 * Requires that the tenant keeps at least one active administrator. Call this before an administrator is revoked or
 * demoted. The tenant's row must be locked, so that two administrators cannot revoke each other at the same time.
 * @throws AppError 409 if the member is the only active administrator
 */
async function requireAnotherAdministrator({
  tx,
  tenantId,
  userId,
  member,
}: LockedMemberContext): Promise<void> {
  if (!member.active || member.role !== 'global_administrator') return;
  if (await hasOtherAdministrator(tx, tenantId, userId)) return;
  throw new AppError(
    'state_conflict',
    'the last active administrator of a workspace can be neither revoked nor demoted',
  );
}

async function hasOtherAdministrator(tx: Tx, tenantId: string, userId: string): Promise<boolean> {
  const rows = await tx
    .select({ one: sql`1` })
    .from(users)
    .where(
      and(
        eq(users.tenantId, tenantId),
        ne(users.userId, userId),
        eq(users.active, true),
        eq(users.role, 'global_administrator'),
      ),
    )
    .limit(1);
  return rows.length > 0;
}
