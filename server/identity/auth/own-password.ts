import { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { deferredBearerProcedure, invalidBearer } from '#server/identity/access/guards/session.ts';
import { requireProof } from '#server/identity/access/proof.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { lockMember } from '#server/identity/access/sessions.ts';
import { deleteTokens } from '#server/identity/access/tokens.ts';
import { recordEvent } from '#server/identity/audit/audit-log.ts';
import { queueSecurityMail } from '#server/identity/mail/outbox.ts';
import { deleteChallenges, updateMember } from '#server/identity/members/members.ts';
import { deleteResetLink } from '#server/identity/members/password-reset-links.ts';
import { hashPassword } from './passwords/hashing.ts';
import { checkPasswordPolicy, normalizePassword } from './passwords/policy.ts';
import { withProof } from './reauthentication.ts';
import { passwordResetRequest } from './schema.ts';

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
