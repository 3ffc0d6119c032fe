import { router } from '#server/trpc.ts';
import { confirmMfa } from './procedures/confirm-mfa.ts';
import { enrollMfa } from './procedures/enroll-mfa.ts';
import { introspect } from './procedures/introspect.ts';
import { me } from './procedures/me.ts';
import { regenerateRecoveryCodes } from './procedures/regenerate-recovery-codes.ts';
import { resetPassword } from './procedures/reset-password.ts';
import { revoke } from './procedures/revoke.ts';
import { signOut } from './procedures/sign-out.ts';
import { signUpWithEmail } from './procedures/sign-up-with-email.ts';
import { authorizeSso, completeSso, ssoClientConfig } from './procedures/sso.ts';
import { token } from './procedures/token.ts';
import { verifyMfa } from './procedures/verify-mfa.ts';

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
  authorizeSso,
  completeSso,
  ssoClientConfig,
});
