import type { Tx } from '#db/client.ts';
import { endSessionsOf, lockMember, type WithOwningTenant } from '#server/access/service.ts';
import type { Origin } from '#server/audit/service.ts';
import { AppError } from '#server/errors.ts';
import { publicAddress, type Settings } from '#server/settings.ts';
import { readTenant, recordAdministration } from '#server/tenants/service.ts';
import { enterMember, requireMayReset, requireStillAdministrator } from './enter-member.ts';
import { deleteChallenges, updateMember } from './queries/members.ts';
import { consumeResetLink, replaceResetLink, selectMemberOfLink } from './queries/reset-links.ts';
import type { PasswordResetLink } from './schema.ts';
import { newTenantToken, readTenantToken } from './tenant-token.ts';

/**
 * Issues a link by which a member sets a new password, once, in the place of any before it. Nothing of the member's
 * changes until it is used.
 * @throws AppError 404; 403 for another designated operator; 400 for a revoked member or one of an identity provider
 */
export async function issueResetLink(
  origin: Origin,
  withOwningTenant: WithOwningTenant,
  settings: Settings,
  userId: string,
): Promise<PasswordResetLink> {
  return enterMember(withOwningTenant, userId, async (found) => {
    requireMayReset(found, settings);
    const { tx, tenantId, admin, member } = found;
    await requireStillAdministrator(tx, tenantId, admin);
    if (member.provider !== 'email')
      throw new AppError('malformed_request', 'the user signs in by an identity provider');
    if (!member.active) throw new AppError('malformed_request', 'the user is revoked');

    const { token, secretHash } = newTenantToken(tenantId);
    const ttl = settings.PASSWORD_RESET_TTL_SECONDS;
    const { expiresAt } = await replaceResetLink(tx, tenantId, userId, secretHash, ttl);
    await recordAdministration(tx, origin, admin, { action: 'reset_link_issued', tenantId, target: userId });
    return {
      reset_token: token,
      // A fragment stays in the browser: it is in no log and no Referer.
      reset_url: `${publicAddress(settings)}/signin#reset_token=${token}`,
      expires_at: expiresAt.toISOString(),
    };
  });
}

/** A reset token's parts, by its form alone. */
export function readResetToken(token: string): { tenantId: string; linkHash: Uint8Array } | undefined {
  const parts = readTenantToken(token);
  return parts && { tenantId: parts.tenantId, linkHash: parts.secretHash };
}

/** The member that a link may be used by: of an active tenant, active, with a password; undefined where there is none. */
export async function findResetLink(
  tx: Tx,
  tenantId: string,
  linkHash: Uint8Array,
): Promise<{ userId: string; email: string } | undefined> {
  const [member, tenant] = await Promise.all([
    selectMemberOfLink(tx, tenantId, linkHash),
    readTenant(tx, tenantId),
  ]);
  return tenant?.active ? member : undefined;
}

/**
 * Sets a member's password by a link, which is used up; of any number at a time one succeeds. Every session of the member
 * ends, and every sign-in of theirs that waits for a code. The member is locked first, as wherever its standing changes:
 * the other way round this could wait for an administrator who waits for it.
 */
export async function usePasswordResetLink(
  tx: Tx,
  tenantId: string,
  linkHash: Uint8Array,
  passwordHash: string,
): Promise<{ userId: string } | undefined> {
  const found = await findResetLink(tx, tenantId, linkHash);
  if (!found) return undefined;
  const { userId } = found;
  const member = await lockMember(tx, tenantId, userId);
  if (!member?.active || !(await consumeResetLink(tx, tenantId, linkHash))) return undefined;
  await updateMember(tx, tenantId, userId, { passwordHash });
  await endSessionsOf(tx, tenantId, userId);
  await deleteChallenges(tx, tenantId, userId);
  return { userId };
}
