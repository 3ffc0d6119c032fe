import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { resetLinks, users } from '#db/schema/identity.ts';
import { AppError } from '#server/errors.ts';
import type { WithOwningTenant } from '#server/identity/access/guards/admin.ts';
import { endSessionsOf, lockMember } from '#server/identity/access/sessions.ts';
import { type Origin, recordAdministration } from '#server/identity/audit/audit-log.ts';
import { type MailParts, queueResetMail } from '#server/identity/mail/outbox.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { publicAddress } from '#server/settings.ts';
import { requireMayReset, requireStillAdministrator, withLockedMember } from './locked-member.ts';
import { deleteChallenges, updateMember } from './members.ts';
import type { PasswordResetLink } from './schema.ts';
import { newTenantToken, readTenantToken } from './tenant-token.ts';

/**
 * Issues a link with which a member can set a new password, once. It replaces the member's previous link. Nothing else
 * changes until the link is used. If mail is on, the member gets the link by mail, too.
 * @throws AppError 404; 403 for a designated operator, unless the caller uses the operator key; 400 for a revoked
 *   member, or a member who signs in with an identity provider
 */
export async function issueResetLink(
  origin: Origin,
  withOwningTenant: WithOwningTenant,
  parts: MailParts,
  userId: string,
): Promise<PasswordResetLink> {
  const { settings } = parts;
  return withLockedMember(withOwningTenant, userId, async (found) => {
    requireMayReset(found, settings);
    const { tx, tenantId, admin, member } = found;
    await requireStillAdministrator(tx, tenantId, admin);
    if (member.provider !== 'email')
      throw new AppError(
        'malformed_request',
        'the user signs in with an identity provider and has no password',
      );
    if (!member.active)
      throw new AppError('malformed_request', 'the access of this user is revoked; restore it first');

    const { token, secretHash } = newTenantToken(tenantId);
    const ttl = settings.PASSWORD_RESET_TTL_SECONDS;
    const { expiresAt } = await replaceResetLink(tx, tenantId, userId, secretHash, ttl);
    await recordAdministration(tx, origin, admin, { action: 'reset_link_issued', tenantId, target: userId });
    const issuedBy = admin.user && admin.tenant?.id === tenantId ? admin.user.id : null;
    await queueResetMail(tx, parts, { tenantId, userId, token, expiresAt, issuedBy });
    return {
      reset_token: token,
      // The token is in the fragment, which a browser does not send: so it is in no server log and no Referer header.
      reset_url: `${publicAddress(settings)}/signin#reset_token=${token}`,
      expires_at: expiresAt.toISOString(),
    };
  });
}

/**
 * Parses a reset token. Returns undefined if it is malformed. Whether the link exists is only known after reading the
 * database.
 */
export function readResetToken(token: string): { tenantId: string; linkHash: Uint8Array } | undefined {
  const parts = readTenantToken(token);
  return parts && { tenantId: parts.tenantId, linkHash: parts.secretHash };
}

/**
 * Returns the member who may use a link: an active member with a password, in an active tenant. Undefined if the link
 * cannot be used.
 */
export async function findResetLink(
  tx: Tx,
  tenantId: string,
  linkHash: Uint8Array,
): Promise<{ userId: string; email: string; tenantName: string } | undefined> {
  const [member, tenant] = await Promise.all([
    selectMemberOfLink(tx, tenantId, linkHash),
    readTenant(tx, tenantId),
  ]);
  return member && tenant?.active ? { ...member, tenantName: tenant.name } : undefined;
}

/**
 * Sets a member's password and deletes the link; if several uses are concurrent, one succeeds. Ends all sessions and
 * pending sign-ins of the member. Locks the member before the link, like every change of member status: the opposite
 * order could cause a deadlock with a change by an administrator.
 * @returns undefined if the link is deleted, replaced or expired, or if its member may not use it
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

const isAlive = (tenantId: string, linkHash: Uint8Array) =>
  and(
    eq(resetLinks.tenantId, tenantId),
    eq(resetLinks.linkHash, linkHash),
    sql`${resetLinks.expiresAt} > now()`,
  ) as SQL;

/** Inserts a member's link, or replaces the previous one. */
async function replaceResetLink(
  tx: Tx,
  tenantId: string,
  userId: string,
  linkHash: Uint8Array,
  ttlSeconds: number,
): Promise<{ expiresAt: Date }> {
  const expiresAt = sql`now() + make_interval(secs => ${ttlSeconds})`;
  const [row] = await tx
    .insert(resetLinks)
    .values({ tenantId, userId, linkHash, expiresAt })
    .onConflictDoUpdate({
      target: [resetLinks.tenantId, resetLinks.userId],
      set: { linkHash, expiresAt },
    })
    .returning({ expiresAt: resetLinks.expiresAt });
  return row as { expiresAt: Date };
}

/** Returns the member of a link, if the link has not expired and the member is active and has a password. */
async function selectMemberOfLink(
  tx: Tx,
  tenantId: string,
  linkHash: Uint8Array,
): Promise<{ userId: string; email: string } | undefined> {
  const [row] = await tx
    .select({ userId: users.userId, email: users.email })
    .from(resetLinks)
    .innerJoin(users, and(eq(users.tenantId, resetLinks.tenantId), eq(users.userId, resetLinks.userId)))
    .where(and(isAlive(tenantId, linkHash), eq(users.active, true), eq(users.provider, 'email')));
  return row;
}

/** Deletes a used link. Returns false if the link has been deleted or replaced, or has expired. */
async function consumeResetLink(tx: Tx, tenantId: string, linkHash: Uint8Array): Promise<boolean> {
  const used = await tx
    .delete(resetLinks)
    .where(isAlive(tenantId, linkHash))
    .returning({ userId: resetLinks.userId });
  return used.length > 0;
}

export async function deleteResetLink(tx: Tx, tenantId: string, userId: string): Promise<void> {
  await tx.delete(resetLinks).where(and(eq(resetLinks.tenantId, tenantId), eq(resetLinks.userId, userId)));
}

/** Deletes every link of a tenant. */
export async function deleteResetLinks(tx: Tx, tenantId: string): Promise<void> {
  await tx.delete(resetLinks).where(eq(resetLinks.tenantId, tenantId));
}
