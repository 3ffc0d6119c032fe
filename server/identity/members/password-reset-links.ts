import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { resetLinks, users } from '#db/schema/identity.ts';
import { AppError } from '#server/errors.ts';
import type { WithOwningTenant } from '#server/identity/access/guards/admin.ts';
import { isDesignatedOperator } from '#server/identity/access/principal.ts';
import { tooManyAttempts } from '#server/identity/access/rate-limit.ts';
import { endSessionsOf, lockMember } from '#server/identity/access/sessions.ts';
import { type Origin, recordAdministration, recordEvent } from '#server/identity/audit/audit-log.ts';
import { hasConfirmedEmail } from '#server/identity/mail/confirmation.ts';
import {
  countResetMail,
  type MailParts,
  mayCauseMail,
  queueResetMail,
} from '#server/identity/mail/outbox.ts';
import { lockTenant, readTenant } from '#server/identity/tenants/tenant-row.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import { publicAddress } from '#server/settings.ts';
import { requireMayReset, requireStillAdministrator, withLockedMember } from './locked-member.ts';
import { deleteChallenges, updateMember } from './members.ts';
import type { PasswordResetLink } from './schema.ts';
import { newTenantToken, readTenantToken } from './tenant-token.ts';

/**
 * Issues a link with which a member can set a new password, once. It replaces the member's previous link. Nothing else
 * changes until the link is used. If mail is on and the address of the member is confirmed, only the member gets the
 * link: otherwise an administrator could sign in as the second reviewer of the own work. The operator key gets it too, and
 * if the member can get no mail, the administrator hands it over.
 * @throws AppError 404; 403 for a designated operator, unless the caller uses the operator key; 400 for a revoked
 *   member, or a member who signs in with an identity provider; 429 if the member had too many mails and no link works
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

    const isConfirmed = await hasConfirmedEmail(tx, tenantId, userId);
    const isOnlyForMember = isMailOn(settings) && isConfirmed && !admin.operatorKey;
    const issuedBy = admin.user && admin.tenant?.id === tenantId ? admin.user.id : null;
    const isMailed =
      (isConfirmed || (await mayCauseMail(tx, tenantId, issuedBy))) &&
      (await countResetMail(tx, settings, { userId, isOwn: false }));
    const sentTo = { sent_to: member.email };
    if (isOnlyForMember && !isMailed) {
      // The link of the last mail stays.
      const alive = await readExpiry(tx, tenantId, userId);
      if (!alive) throw tooManyAttempts(secondsOfDay);
      return { reset_token: null, reset_url: null, expires_at: alive.toISOString(), ...sentTo };
    }
    const { token, expiresAt } = await renewLink(tx, parts, { tenantId, userId, isMailed, isOwn: false });
    await recordAdministration(tx, origin, admin, { action: 'reset_link_issued', tenantId, target: userId });
    return {
      reset_token: isOnlyForMember ? null : token,
      // The token is in the fragment, which a browser does not send: so it is in no server log and no Referer header.
      reset_url: isOnlyForMember ? null : `${publicAddress(settings)}/signin#reset_token=${token}`,
      expires_at: expiresAt.toISOString(),
      ...(isMailed && sentTo),
    };
  });
}

const secondsOfDay = 86_400;

/**
 * Mails a member a link to set a new password, because someone has asked for it at the sign-in. Does nothing unless the
 * member is active, has a password and a confirmed address, and has had fewer than five such mails in 24 hours. The
 * operator's own people get a link from the operator only.
 */
export async function mailOwnResetLink(
  tx: Tx,
  origin: Origin,
  parts: MailParts,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<void> {
  const [, member, isConfirmed] = await Promise.all([
    lockTenant(tx, tenantId),
    lockMember(tx, tenantId, userId),
    hasConfirmedEmail(tx, tenantId, userId),
  ]);
  if (!member?.active || member.provider !== 'email' || !isConfirmed) return;
  if (isDesignatedOperator(tenantId, member.email, parts.settings)) return;
  if (!(await countResetMail(tx, parts.settings, { userId, isOwn: true }))) return;
  await renewLink(tx, parts, { tenantId, userId, isMailed: true, isOwn: true });
  await recordEvent(tx, origin, {
    action: 'reset_link_issued',
    tenantId,
    actor: { kind: 'anonymous' },
    target: userId,
    details: { way: 'forgotten' },
  });
}

/** Replaces the link of a member, and mails the new one. */
async function renewLink(
  tx: Tx,
  parts: MailParts,
  {
    tenantId,
    userId,
    isMailed,
    isOwn,
  }: { tenantId: string; userId: string; isMailed: boolean; isOwn: boolean },
): Promise<{ token: string; expiresAt: Date }> {
  const { token, secretHash } = newTenantToken(tenantId);
  const ttl = parts.settings.PASSWORD_RESET_TTL_SECONDS;
  const { expiresAt } = await replaceResetLink(tx, tenantId, userId, secretHash, ttl);
  if (isMailed) await queueResetMail(tx, parts, { tenantId, userId, token, expiresAt, isOwn });
  return { token, expiresAt };
}

/** Returns the end of a member's link that still works. */
async function readExpiry(tx: Tx, tenantId: string, userId: string): Promise<Date | undefined> {
  const [row] = await tx
    .select({ expiresAt: resetLinks.expiresAt })
    .from(resetLinks)
    .where(
      and(
        eq(resetLinks.tenantId, tenantId),
        eq(resetLinks.userId, userId),
        sql`${resetLinks.expiresAt} > now()`,
      ),
    );
  return row?.expiresAt;
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
 * Sets a member's password and deletes the link; if several uses are concurrent, one succeeds. Ends all sessions,
 * pending sign-ins and the link to the identity provider, which someone else may have made. Locks the member before the link, like every change of member status: the opposite
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
  await updateMember(tx, tenantId, userId, { passwordHash, providerSubject: null });
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
