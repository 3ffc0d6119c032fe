import { and, asc, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { RequestContext, Services } from '#server/context.ts';
import { AppError, describeForLog } from '#server/errors.ts';
import { normalizeEmail } from '#server/identity/access/email-address.ts';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { deferredBearerProcedure, invalidBearer } from '#server/identity/access/guards/session.ts';
import { requireProof } from '#server/identity/access/proof.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { lockMember } from '#server/identity/access/sessions.ts';
import { deleteTokens } from '#server/identity/access/tokens.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { isConfirmed } from '#server/identity/mail/confirmation.ts';
import { queueSecurityMail } from '#server/identity/mail/outbox.ts';
import { deleteChallenges, updateMember } from '#server/identity/members/members.ts';
import {
  deleteResetLink,
  findResetLink,
  mailOwnResetLink,
  readResetToken,
  usePasswordResetLink,
} from '#server/identity/members/password-reset-links.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import { type DeviceAccount, rememberDevice } from './passwords/guesses.ts';
import { hashPassword } from './passwords/hashing.ts';
import { checkPasswordPolicy, normalizePassword } from './passwords/policy.ts';
import { withProof } from './reauthentication.ts';
import { passwordResetRequest, passwordResetResponse } from './schema.ts';

/**
 * Sets a member's password with a reset link, and ends all of the member's sessions. A link works once. If the policy
 * rejects the password, the link can still be used. The member gets a mail.
 * @throws AppError 401 for every link that cannot be used, 400 for a password that the policy rejects
 */
async function setPasswordByResetLink(
  { database, secretsKeys, settings }: Pick<Services, 'database' | 'secretsKeys' | 'settings'>,
  origin: Origin,
  resetToken: string,
  newPassword: string,
): Promise<DeviceAccount> {
  const link = readResetToken(resetToken);
  if (!link) throw unusable();
  const { tenantId, linkHash } = link;
  const member = await database.inTenant(tenantId, (tx) => findResetLink(tx, tenantId, linkHash));
  if (!member) throw unusable();
  const password = normalizePassword(newPassword);
  await checkPasswordPolicy(password, member.email, member.tenantName);
  const passwordHash = await hashPassword(password, member.email, secretsKeys);

  const userId = await database.inTenant(tenantId, async (tx) => {
    const used = await usePasswordResetLink(tx, tenantId, linkHash, passwordHash);
    if (!used) throw unusable();
    const { userId } = used;
    await recordEvent(tx, origin, {
      action: 'password_reset',
      tenantId,
      actor: { kind: 'member', userId },
      target: userId,
    });
    await queueSecurityMail(tx, settings, { tenantId, userId, event: 'password' });
    return userId;
  });
  return { tenantId, userId };
}

function unusable(): AppError {
  return new AppError('unauthenticated', 'invalid or expired reset link');
}

export const resetPassword = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/password-reset',
      tag: 'Sign-in',
      summary: 'Set a new password with a reset token',
      description:
        'The token of the password reset link is the only credential. It works once. All sessions of the member end.',
    },
    onlyHashed: ['reset_token'],
  })
  .use(rateLimited('password_reset'))
  .input(passwordResetRequest)
  .output(passwordResetResponse)
  .mutation(async ({ ctx, input }) => {
    const member = await setPasswordByResetLink(ctx.services, ctx, input.reset_token, input.new_password);
    // A member whose address is under attack gets in with a reset link: the device then counts as known.
    if (!ctx.crossSite) rememberDevice(ctx, member);
    return { password_reset: true };
  });

/** Accounts of one address that get a mail; more get none, as a sign-in without a workspace does not search them. */
const maxAccounts = 10;

/** Mails a reset link for each account with this address. */
async function sendLinks(
  { services, requestId, clientAddress }: RequestContext,
  email: string,
): Promise<void> {
  const { database } = services;
  const accounts = await database.inPlatform((tx) => findAccounts(tx, email));
  for (const account of accounts)
    await database.inTenant(account.tenantId, (tx) =>
      mailOwnResetLink(tx, { requestId, clientAddress }, services, account),
    );
}

function findAccounts(tx: Tx, email: string): Promise<{ tenantId: string; userId: string }[]> {
  return tx
    .select({ tenantId: users.tenantId, userId: users.userId })
    .from(users)
    .innerJoin(tenants, eq(tenants.tenantId, users.tenantId))
    .where(
      and(
        eq(users.email, email),
        eq(users.provider, 'email'),
        eq(users.active, true),
        eq(tenants.active, true),
        isConfirmed,
      ),
    )
    .orderBy(asc(users.createdAt), asc(users.userId))
    .limit(maxAccounts);
}

/**
 * Asks for a link to set a new password, which goes to the address if an account has confirmed it. The response is
 * sent before the accounts are searched, so neither its content nor its time depends on them. Without a route, it is
 * available only over /trpc.
 */
export const requestPasswordReset = publicProcedure
  .use(rateLimited('password_forgotten'))
  .input(z.strictObject({ email: z.string().min(1).max(320).describe('The email address of the account.') }))
  .output(z.object({ requested: z.literal(true) }))
  .mutation(({ ctx, input }) => {
    const { settings, backgroundWork, log } = ctx.services;
    if (!isMailOn(settings)) throw new AppError('capability_off', 'email is not enabled');
    if (!settings.PASSWORD_SIGNIN_ENABLED)
      throw new AppError('forbidden', 'password sign-in is disabled; use single sign-on');
    void backgroundWork.track(sendLinks(ctx, normalizeEmail(input.email))).catch((error: unknown) => {
      log.warn({ error: describeForLog(error) }, 'a password reset link was not sent');
    });
    return { requested: true as const };
  });

type WithBearer = Parameters<Parameters<typeof deferredBearerProcedure.mutation>[0]>[0]['ctx']['withBearer'];

const changeRequest = z.strictObject({
  current_password: z.string().max(4096).optional(),
  new_password: passwordResetRequest.shape.new_password,
});

/**
 * Changes the password of the signed-in member, who gives the current one or has a recent proof of identity. Ends the
 * other sessions of the member, pending sign-ins, the reset link and the link to the identity provider. The member gets a mail.
 * @throws AppError 403 for a wrong password, and without a proof; 409 for a member of an identity provider; 400 for a
 *   password that the policy rejects
 */
async function changeOwnPassword(
  ctx: RequestContext & { withBearer: WithBearer },
  { current_password: current, new_password }: z.infer<typeof changeRequest>,
): Promise<void> {
  const { services, withBearer } = ctx;
  if (current !== undefined)
    await withProof(services, ctx, withBearer, { password: current }, async () => {});
  const { email, workspace } = await withBearer(async (_tx, { user, tenant, family }) => {
    requireProof(family);
    if (user.provider !== 'email')
      throw new AppError('state_conflict', 'you sign in with an identity provider and have no password');
    return { email: user.email, workspace: tenant.name };
  });
  const password = normalizePassword(new_password);
  await checkPasswordPolicy(password, email, workspace);
  const passwordHash = await hashPassword(password, email, services.secretsKeys);
  await withBearer(async (tx, { user, tenant, family }) => {
    const [tenantId, userId] = [tenant.id, user.id];
    const member = await lockMember(tx, tenantId, userId);
    if (!member?.active) throw invalidBearer();
    await updateMember(tx, tenantId, userId, { passwordHash, providerSubject: null });
    await deleteTokens(tx, tenantId, { userId, exceptFamilyId: family.id });
    await deleteChallenges(tx, tenantId, userId);
    await deleteResetLink(tx, tenantId, userId);
    await recordEvent(tx, ctx, {
      action: 'password_changed',
      tenantId,
      actor: { kind: 'member', userId },
      target: userId,
    });
    await queueSecurityMail(tx, services.settings, { tenantId, userId, event: 'password' });
  });
}

/** Has no route, so only /trpc serves it. */
export const changePassword = deferredBearerProcedure
  .use(rateLimited('key_rotation'))
  .input(changeRequest)
  .output(z.object({ changed: z.literal(true) }))
  .mutation(async ({ ctx, input }) => {
    await changeOwnPassword(ctx, input);
    return { changed: true };
  });
