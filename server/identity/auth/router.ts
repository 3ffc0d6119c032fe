import { tenantNotFound } from '#server/identity/access/guards/admin.ts';
import { bearerProcedure } from '#server/identity/access/guards/session.ts';
import { hasConfirmedEmail } from '#server/identity/mail/confirmation.ts';
import { pendingInvites } from '#server/identity/members/invites.ts';
import { accountOf, memberViewOf } from '#server/identity/tenants/accounts.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import { router } from '#server/trpc.ts';
import { introspect, revoke } from './introspect-revoke.ts';
import { confirmMfa, enrollMfa } from './mfa/enrollment.ts';
import { regenerateRecoveryCodes } from './mfa/recovery-codes.ts';
import { verifyMfa } from './mfa/verification.ts';
import { endOwnSession, listSessions, signOut } from './own-sessions.ts';
import { changePassword, requestPasswordReset, resetPassword } from './password-reset.ts';
import { prove, readProof } from './reauthentication.ts';
import { meResponse } from './schema.ts';
import { signUpWithEmail } from './signup.ts';
import { authorizeSso, linkSso, ssoClientConfig } from './sso/authorize.ts';
import { completeSso } from './sso/callback.ts';
import { token } from './token-endpoint.ts';
import { providerOf } from './token-response.ts';

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
  changePassword,
  sessions: listSessions,
  endSession: endOwnSession,
  proof: readProof,
  prove,
});
