import { endSessionsOf, type WithOwningTenant } from '#server/access/service.ts';
import { type Origin, recordAdministration } from '#server/audit/service.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { markWithdrawnOf } from './invite-queries.ts';
import {
  type LockedMemberContext,
  requireMayRestore,
  requireStillAdministrator,
  withLockedMember,
} from './locked-member.ts';
import { deleteChallenges, hasOtherAdministrator, updateMember, userRowOf } from './members.ts';
import { deleteResetLink, deleteResetLinks } from './password-reset-links.ts';
import type { Role, UserRow } from './schema.ts';

/**
 * Revokes a member (A 3.2): signed out everywhere, with nothing left that leads back in. Revoking a revoked member
 * changes nothing.
 * @throws AppError 404, 409 for the last active administrator
 */
export async function revokeMember(
  origin: Origin,
  withOwningTenant: WithOwningTenant,
  userId: string,
): Promise<UserRow> {
  return withLockedMember(withOwningTenant, userId, async (found) => {
    const { tx, tenantId, admin, member } = found;
    if (!member.active) return unchanged(found);
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

/** Reinstates a member, with the role that it had; a member that is active stays so. @throws AppError 404, 403 for an operator */
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
 * Gives a member another role. Its tokens stay: guards read the role anew at each request.
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
 * What an administrator gave out and nobody has used: with the token of an invite, or a link for another member, one who
 * was revoked or demoted would be back at once.
 */
async function revokeIssuedCredentials({ tx, tenantId, member }: LockedMemberContext): Promise<void> {
  if (member.role !== 'global_administrator') return;
  await markWithdrawnOf(tx, tenantId, member.email);
  // Who issued a link is not kept; the others are issued anew.
  await deleteResetLinks(tx, tenantId);
}

/** C 2: whoever takes standing from an active administrator needs another one to be left. The tenant's row is locked. */
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

/** The row of a member that is as asked for already. */
function unchanged({ member }: LockedMemberContext): UserRow {
  return userRowOf({ ...member, totpEnrolled: member.totpSecret !== null });
}
