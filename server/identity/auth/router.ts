import { z } from 'zod';
import { tenantNotFound } from '#server/identity/access/guards/admin.ts';
import { bearerProcedure } from '#server/identity/access/guards/session.ts';
import { hasConfirmedEmail } from '#server/identity/mail/confirmation.ts';
import { pendingInvites } from '#server/identity/members/invites.ts';
import { accountOf, memberViewOf } from '#server/identity/tenants/accounts.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { draftKeys } from '#server/platform/encryption.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import { router } from '#server/trpc.ts';
import { requestPasswordReset } from './forgotten-password.ts';
import { introspect, revoke } from './introspect-revoke.ts';
import { confirmMfa, enrollMfa } from './mfa/enrollment.ts';
import { regenerateRecoveryCodes } from './mfa/recovery-codes.ts';
import { verifyMfa } from './mfa/verification.ts';
import { changePassword } from './own-password.ts';
import { endOwnSession, listSessions, signOut } from './own-sessions.ts';
import { resetPassword } from './password-reset.ts';
import { prove, readProof } from './reauthentication.ts';
import { meResponse } from './schema.ts';
import { signUpWithEmail } from './signup.ts';
import { authorizeSso, linkSso, ssoClientConfig } from './sso/authorize.ts';
import { completeSso } from './sso/callback.ts';
import { token } from './token-endpoint.ts';
import { providerOf } from './token-response.ts';

/**
 * Returns the keys, in base64, with which the browser encrypts the drafts of the signed-in member: the first one
 * encrypts, and all of them decrypt. The web application keeps them only in memory, so that drafts on the device can be
 * read only after signing in as this member.
 */
const readDraftKeys = bearerProcedure
  .output(z.object({ keys: z.array(z.string()).min(1) }))
  .query(({ ctx: { principal, services } }) => ({
    keys: draftKeys(services.secretsKeys, principal.tenant.id, principal.user.id).map((key) =>
      key.toString('base64'),
    ),
  }));

const me = bearerProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/auth/me',
      tag: 'Sign-in',
      summary: 'Get the signed-in member and its workspace',
      description:
        'Requires an access token; an API key is not accepted. Only administrators get the metadata that the service itself stores.',
    },
  })
  .output(meResponse)
  .query(async ({ ctx: { tx, principal, services } }) => {
    const { user, tenant } = principal;
    const [row, emailConfirmed] = await Promise.all([
      readTenant(tx, tenant.id),
      hasConfirmedEmail(tx, tenant.id, user.id),
    ]);
    if (!row) throw tenantNotFound();
    const admin = user.role === 'global_administrator';
    const account = admin ? accountOf(row) : memberViewOf(row);
    // An administrator also sees the pending invites, under a metadata key that only the platform may set.
    const ledger = admin ? { invites_pending: await pendingInvites(tx, tenant.id) } : {};
    return {
      user: {
        user_id: user.id,
        tenant_id: tenant.id,
        email: user.email,
        provider: providerOf(user),
        role: user.role,
        totp_enrolled: user.totpEnrolled,
        ...(isMailOn(services.settings) && { email_confirmed: emailConfirmed }),
      },
      tenant: { ...account, metadata: { ...account.metadata, ...ledger } },
    };
  });

export const authRouter = router({
  signUpWithEmail,
  token,
  revoke,
  introspect,
  signOut,
  me,
  enrollMfa,
  confirmMfa,
  verifyMfa,
  regenerateRecoveryCodes,
  resetPassword,
  requestPasswordReset,
  authorizeSso,
  linkSso,
  completeSso,
  ssoClientConfig,
  draftKeys: readDraftKeys,
  changePassword,
  sessions: listSessions,
  endSession: endOwnSession,
  proof: readProof,
  prove,
});
