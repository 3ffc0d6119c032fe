import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import {
  type AsAdministratorSession,
  bearerProcedure,
  deferredBearerProcedure,
  invalidBearer,
} from '#server/identity/access/guards/session.ts';
import { requireAdministrator, type SessionPrincipal } from '#server/identity/access/principal.ts';
import { limitPasswordProofs, rateLimited, tooManyAttempts } from '#server/identity/access/rate-limit.ts';
import { type LockedMember, lockMember } from '#server/identity/access/sessions.ts';
import { markProved } from '#server/identity/access/tokens.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { keyRotationRequest as proofRequest } from '#server/identity/tenants/schema.ts';
import { lockTenant } from '#server/identity/tenants/tenant-row.ts';
import { acceptedOrThrow, beginAttempt, type CodeOutcome, refuseCode } from './mfa/code-attempts.ts';
import { redeemCode } from './mfa/verification.ts';
import { accountsOfPassword } from './passwords/hashing.ts';
import { normalizePassword } from './passwords/policy.ts';

/** A signed-in member's proof of identity: the password, a verification code or a recovery code. */
export type Proof = { password: string } | { mfaCode: string };

/** Work in a transaction in which the tenant's row and the member's row are locked. */
type Work<T> = (tx: Tx, member: LockedMember) => Promise<T>;

type ReauthenticationServices = Pick<Services, 'database' | 'secretsKeys' | 'settings'>;

/**
 * Runs a member's work after a fresh proof of identity, which someone with a stolen session cannot give. One
 * transaction checks the proof and does the work, so a code is used up together with the work, and a password that is
 * changed at the same time is rejected. The proof also counts for other changes of the session (`requireProof`).
 *
 * The status for a wrong proof is 403: a 401 would mean that the session has ended, and clients would renew it and send
 * the proof again.
 * @throws AppError 403 for a wrong proof; 409 if the member has no password, or no authenticator; 429; the 401 and 403
 *   of the guard
 */
export async function withProof<T>(
  services: ReauthenticationServices,
  origin: Origin,
  asAdministrator: AsAdministratorSession,
  proof: Proof,
  work: Work<T>,
): Promise<T> {
  return 'password' in proof
    ? withPassword(services, origin, asAdministrator, proof.password, work)
    : withCode(services, origin, asAdministrator, proof.mfaCode, work);
}

async function withPassword<T>(
  { database, secretsKeys, settings }: ReauthenticationServices,
  origin: Origin,
  asAdministrator: AsAdministratorSession,
  password: string,
  work: Work<T>,
): Promise<T> {
  if (!settings.PASSWORD_SIGNIN_ENABLED)
    throw new AppError('forbidden', 'password sign-in is disabled; use an authenticator code');
  const { seen, secondsToWait } = await asAdministrator(async (tx, principal) => ({
    seen: await lockPerson(tx, principal),
    secondsToWait: await limitPasswordProofs(tx, settings, principal.user.id),
  }));
  if (secondsToWait !== undefined) throw tooManyAttempts(secondsToWait);
  const { tenantId, userId, email, passwordHash: checked } = seen;
  if (checked === null) throw new AppError('state_conflict', 'no password is set; use an authenticator code');
  // No transaction is open while the password is hashed.
  const { matching, passwordHash: present } = await accountsOfPassword(
    [{ passwordHash: checked }],
    normalizePassword(password),
    email,
    secretsKeys,
  );
  if (matching.length === 0) {
    await database.inTenant(tenantId, (tx) =>
      recordEvent(tx, origin, {
        action: 'password_proof_refused',
        tenantId,
        actor: { kind: 'member', userId },
        target: userId,
      }),
    );
    throw wrongPassword();
  }
  return asAdministrator(async (tx, principal) => {
    const member = await lockPerson(tx, principal);
    // A concurrent sign-in may have replaced the hash; `present` is a hash of the same password, so it is accepted too.
    if (member.passwordHash !== checked && member.passwordHash !== present) throw wrongPassword();
    await markProved(tx, { tenantId, userId, familyId: principal.family.id });
    return work(tx, member);
  });
}

function wrongPassword(): AppError {
  return new AppError('forbidden', 'wrong password');
}

async function withCode<T>(
  { secretsKeys }: ReauthenticationServices,
  origin: Origin,
  asAdministrator: AsAdministratorSession,
  code: string,
  work: Work<T>,
): Promise<T> {
  const outcome = await asAdministrator(async (tx, principal): Promise<CodeOutcome<T>> => {
    const member = await lockPerson(tx, principal);
    if (member.totpSecret === null) throw new AppError('state_conflict', 'no authenticator is enrolled');
    const familyId = principal.family.id;
    // A thief of this session may have set up the authenticator.
    if (member.unprovedFamily === familyId)
      throw new AppError(
        'forbidden',
        'the authenticator was set up in this session without a password; use the password, or sign in again',
      );
    const claimant = { user: member, challenge: null, familyId, isProved: false };
    const attempt = await beginAttempt(tx, origin, claimant);
    if ('refusal' in attempt) return attempt;
    if (!(await redeemCode(tx, secretsKeys, origin, member, code, attempt.now))) {
      const { refusal } = await refuseCode(tx, origin, claimant);
      return { refusal: new AppError('forbidden', refusal.message) };
    }
    await markProved(tx, { tenantId: member.tenantId, userId: member.userId, familyId });
    return { accepted: await work(tx, member) };
  });
  return acceptedOrThrow(outcome);
}

/**
 * Locks the tenant's row and then the member's, in the same order as all transactions that change members. Then repeats
 * the checks of the guard, because the member may have been revoked or demoted before the rows were locked.
 */
async function lockPerson(tx: Tx, { tenant, user }: SessionPrincipal): Promise<LockedMember> {
  const [, member] = await Promise.all([lockTenant(tx, tenant.id), lockMember(tx, tenant.id, user.id)]);
  if (!member?.active) throw invalidBearer();
  if (user.role === 'global_administrator') requireAdministrator(member);
  return member;
}

/**
 * Records a proof of identity for the session, which counts for ten minutes. Has no route, so only /trpc serves it. For
 * all members.
 */
export const prove = deferredBearerProcedure
  .use(rateLimited('key_rotation'))
  .input(proofRequest)
  .output(z.object({ proved: z.literal(true) }))
  .mutation(async ({ ctx, input: { password, mfa_code = '' } }) => {
    const proof = password === undefined ? { mfaCode: mfa_code } : { password };
    await withProof(ctx.services, ctx, ctx.withBearer, proof, async () => {});
    return { proved: true };
  });

/** Whether the session has a recent proof of identity. Has no route, so only /trpc serves it. */
export const readProof = bearerProcedure
  .output(z.object({ proved: z.boolean() }))
  .query(({ ctx }) => ({ proved: ctx.principal.family.isProved }));
