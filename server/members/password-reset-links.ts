import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { resetLinks, users } from '#db/schema/identity.ts';
import { endSessionsOf, lockMember, type WithOwningTenant } from '#server/access/service.ts';
import { type Origin, recordAdministration } from '#server/audit/service.ts';
import { AppError } from '#server/errors.ts';
import { publicAddress, type Settings } from '#server/settings.ts';
import { readTenant } from '#server/tenants/service.ts';
import { requireMayReset, requireStillAdministrator, withLockedMember } from './locked-member.ts';
import { deleteChallenges, updateMember } from './members.ts';
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
  return withLockedMember(withOwningTenant, userId, async (found) => {
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

const isAlive = (tenantId: string, linkHash: Uint8Array) =>
  and(
    eq(resetLinks.tenantId, tenantId),
    eq(resetLinks.linkHash, linkHash),
    sql`${resetLinks.expiresAt} > now()`,
  ) as SQL;

/** A member's link, in the place of the one before it. */
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

/** Of a link that is alive, the member whose it is and who may use it: an active one with a password. */
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

/** Uses a link up; false where it is gone, replaced or expired by now. */
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

/** Ends every link of a tenant. */
export async function deleteResetLinks(tx: Tx, tenantId: string): Promise<void> {
  await tx.delete(resetLinks).where(eq(resetLinks.tenantId, tenantId));
}
