import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { type IssuedTokens, lockMember, newFamily, startSession } from '#server/access/service.ts';
import { type Origin, recordEvent } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { readTenant } from '#server/tenants/service.ts';
import { type IssuedChallenge, issueChallenge } from './mfa/challenge.ts';
import { isMfaRequired, type SignInWay } from './mfa/requirement.ts';

/** Where the first factor led: tokens, or a challenge for the second. */
export type SignIn =
  | { kind: 'tokens'; tokens: IssuedTokens }
  | { kind: 'challenge'; challenge: IssuedChallenge };

interface FirstFactor {
  tenantId: string;
  userId: string;
  way: SignInWay;
  scope?: string | undefined;
  /** The hash that the password was checked against, which must still be so, and what it should be. */
  password?: { checked: string; present: string };
}

/**
 * Goes on after the first factor was right, inside a transaction of the member's tenant: the member's standing is read
 * again under a lock, so that nobody is let in while being revoked.
 * @returns undefined where the member may not sign in (any more)
 */
export async function completeSignIn(
  tx: Tx,
  { settings }: Services,
  origin: Origin,
  { tenantId, userId, way, scope, password }: FirstFactor,
): Promise<SignIn | undefined> {
  const [user, tenant] = await Promise.all([lockMember(tx, tenantId, userId), readTenant(tx, tenantId)]);
  if (!user?.active || !tenant?.active) return undefined;
  if (password) {
    if (user.passwordHash !== password.checked) return undefined;
    // Of other parameters or another key: the next sign-in shall cost what every other does.
    if (password.checked !== password.present)
      await updatePasswordHash(tx, tenantId, userId, password.present);
  }

  const { email, provider, role } = user;
  const enrolled = user.totpSecret !== null;
  const demanded = isMfaRequired(settings, tenant, { way, tenantId, email, enrolled });
  if (demanded) {
    const challenge = await issueChallenge(tx, user, settings, scope);
    return { kind: 'challenge', challenge };
  }
  const member = { tenantId, userId, email, provider, role };
  const [tokens] = await Promise.all([
    startSession(tx, member, settings, newFamily({ secondFactor: false }), scope),
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
