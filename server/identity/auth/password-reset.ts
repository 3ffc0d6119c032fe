import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { queueSecurityMail } from '#server/identity/mail/outbox.ts';
import {
  findResetLink,
  readResetToken,
  usePasswordResetLink,
} from '#server/identity/members/password-reset-links.ts';
import { hashPassword } from './passwords/hashing.ts';
import { type DeviceAccount, rememberDevice } from './passwords/known-device.ts';
import { checkPasswordPolicy, normalizePassword } from './passwords/policy.ts';
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
