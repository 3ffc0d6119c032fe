import { randomInt } from 'node:crypto';
import { and, count, eq, inArray } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { recoveryCodes, users } from '#db/schema/identity.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { notSignedIn, sessionCookieProcedure } from '#server/identity/access/guards/session.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { type LockedMember, lockMember } from '#server/identity/access/sessions.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { queueSecurityMail } from '#server/identity/mail/outbox.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { keyedHashes, type SecretsKeys, secretsKeyId } from '#server/platform/encryption.ts';
import { recoveryCodesResponse } from '../schema.ts';
import { isMfaRequired, signInWayOf } from './requirement.ts';

/** Without the characters that are easily confused on paper: 0 and o; 1, i and l. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz';
const half = 5;
const setSize = 10;
/** The form `xxxxx-xxxxx`, with or without the dash. */
const form = new RegExp(`^([${alphabet}]{${half}})-?([${alphabet}]{${half}})$`);

/** Replaces a member's recovery codes with ten new ones. Only their hashes are stored. */
export async function issueRecoveryCodes(
  tx: Tx,
  secretsKeys: SecretsKeys,
  user: LockedMember,
): Promise<string[]> {
  const codes = new Set<string>();
  while (codes.size < setSize) codes.add(`${randomHalf()}-${randomHalf()}`);
  const { tenantId, userId } = user;
  const keyId = secretsKeyId(secretsKeys.current);
  await tx.delete(recoveryCodes).where(isOfMember(user));
  await tx
    .insert(recoveryCodes)
    .values(
      [...codes].map((code) => ({ tenantId, userId, codeHash: hashesOf(secretsKeys, user, code)[0], keyId })),
    );
  return [...codes];
}

/**
 * Returns a typed recovery code in the form in which it was issued; undefined if it does not have the form of a
 * recovery code.
 */
export function readRecoveryCode(typed: string): string | undefined {
  const [, first, second] = form.exec(typed.trim().toLowerCase()) ?? [];
  return first && second ? `${first}-${second}` : undefined;
}

/** Uses up a recovery code. Returns the number of remaining codes, or undefined if the member has no such code. */
export async function redeemRecoveryCode(
  tx: Tx,
  secretsKeys: SecretsKeys,
  user: LockedMember,
  code: string,
): Promise<number | undefined> {
  const deleted = await tx
    .delete(recoveryCodes)
    .where(and(isOfMember(user), inArray(recoveryCodes.codeHash, hashesOf(secretsKeys, user, code))))
    .returning({ userId: recoveryCodes.userId });
  if (deleted.length === 0) return undefined;
  const [row] = await tx.select({ left: count() }).from(recoveryCodes).where(isOfMember(user));
  return row?.left ?? 0;
}

export const regenerateRecoveryCodes = sessionCookieProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/mfa/recovery/regenerate',
      tag: 'Sign-in',
      summary: 'Generate new recovery codes',
      description: 'Requires the session cookie. The old recovery codes no longer work.',
    },
  })
  .use(rateLimited('mfa_recovery'))
  .output(recoveryCodesResponse)
  .mutation(async ({ ctx }) => ({
    recovery_codes: await ctx.withSession((tx, principal) =>
      replaceRecoveryCodes(tx, ctx.services, ctx, principal),
    ),
  }));

/**
 * Replaces a signed-in member's recovery codes. Requires a full session: a session that has not passed a required
 * second factor could otherwise obtain codes that pass it. The member gets a mail.
 * @throws AppError 401 without a full session, 409 without an authenticator
 */
async function replaceRecoveryCodes(
  tx: Tx,
  { secretsKeys, settings }: Pick<Services, 'secretsKeys' | 'settings'>,
  origin: Origin,
  principal: SessionPrincipal,
): Promise<string[]> {
  const tenantId = principal.tenant.id;
  const userId = principal.user.id;
  const [user, tenant] = await Promise.all([lockMember(tx, tenantId, userId), readTenant(tx, tenantId)]);
  if (!user?.active || !tenant) throw notSignedIn();
  if (user.totpSecret === null) throw new AppError('state_conflict', 'no authenticator is enrolled');
  const sameSignIn = { way: signInWayOf(user), tenantId, email: user.email, enrolled: true };
  if (!principal.family.secondFactor && isMfaRequired(settings, tenant, sameSignIn)) throw notSignedIn();
  const codes = await issueRecoveryCodes(tx, secretsKeys, user);
  if (!principal.family.isProved)
    await tx
      .update(users)
      .set({ unprovedFamily: principal.family.id })
      .where(and(eq(users.tenantId, tenantId), eq(users.userId, userId)));
  await queueSecurityMail(tx, settings, { tenantId, userId, event: 'recovery_codes' });
  await recordEvent(tx, origin, {
    action: 'recovery_codes_regenerated',
    tenantId,
    actor: { kind: 'member', userId },
    target: userId,
  });
  return codes;
}

/** The hashes include the member's id, so that equal codes of two members have different hashes. */
function hashesOf(secretsKeys: SecretsKeys, { tenantId, userId }: LockedMember, code: string) {
  return keyedHashes(secretsKeys, 'recovery code', `${tenantId}/${userId}/${code}`);
}

function randomHalf(): string {
  return Array.from({ length: half }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function isOfMember({ tenantId, userId }: LockedMember) {
  return and(eq(recoveryCodes.tenantId, tenantId), eq(recoveryCodes.userId, userId));
}
