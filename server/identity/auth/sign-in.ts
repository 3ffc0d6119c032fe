import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import type { Services } from '#server/context.ts';
import { type IssuedTokens, lockMember, newFamily, startSession } from '#server/identity/access/sessions.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { type IssuedChallenge, issueChallenge } from './mfa/challenge.ts';
import { isMfaRequired, type SignInWay } from './mfa/requirement.ts';

/** The result of a correct first factor: tokens, or a challenge for the second factor. */
export type SignIn =
  | { kind: 'tokens'; tokens: IssuedTokens }
  | { kind: 'challenge'; challenge: IssuedChallenge };

interface FirstFactor {
  tenantId: string;
  userId: string;
  way: SignInWay;
  scope?: string | undefined;
  /**
   * `checked` is the stored hash that the password matched; it must not have changed. `present` is the hash with the
   * current parameters and key.
   */
  password?: { checked: string; present: string };
  /** Whether the person passed a second factor at the identity provider. */
  providerFactor?: boolean;
}

/**
 * Completes a sign-in after a correct first factor, inside a transaction of the member's tenant. Reads the member again
 * after locking the row, so that a member cannot sign in while being revoked.
 * @returns undefined if the member or the tenant is inactive, or if the password has changed since it was checked
 */
export async function completeSignIn(
  tx: Tx,
  { settings }: Pick<Services, 'settings'>,
  origin: Origin,
  { tenantId, userId, way, scope, password, providerFactor = false }: FirstFactor,
): Promise<SignIn | undefined> {
  const [user, tenant] = await Promise.all([lockMember(tx, tenantId, userId), readTenant(tx, tenantId)]);
  if (!user?.active || !tenant?.active) return undefined;
  if (password) {
    // A concurrent sign-in may already have replaced the hash; `present` is a hash of the same password, so it is
    // accepted too.
    if (user.passwordHash !== password.checked && user.passwordHash !== password.present) return undefined;
    // The stored hash has other parameters or uses another key. Replace it, so that the next sign-in computes only one
    // hash.
    if (user.passwordHash !== password.present)
      await updatePasswordHash(tx, tenantId, userId, password.present);
  }

  const { email, provider, role } = user;
  const enrolled = user.totpSecret !== null;
  const required = isMfaRequired(settings, tenant, { way, tenantId, email, enrolled });
  if (required) {
    const challenge = await issueChallenge(tx, user, settings, scope);
    return { kind: 'challenge', challenge };
  }
  const member = { tenantId, userId, email, provider, role };
  const family = newFamily({ secondFactor: false, factorAtSignIn: providerFactor, origin });
  const [tokens] = await Promise.all([
    startSession(tx, member, settings, family, scope),
    recordEvent(tx, origin, {
      action: 'signed_in',
      tenantId,
      actor: { kind: 'member', userId },
      details: { way },
    }),
  ]);
  return { kind: 'tokens', tokens };
}

async function updatePasswordHash(
  tx: Tx,
  tenantId: string,
  userId: string,
  passwordHash: string,
): Promise<void> {
  await tx
    .update(users)
    .set({ passwordHash })
    .where(and(eq(users.tenantId, tenantId), eq(users.userId, userId)));
}
