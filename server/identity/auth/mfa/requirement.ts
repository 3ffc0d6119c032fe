import { isDesignatedOperator } from '#server/identity/access/principal.ts';
import type { Settings } from '#server/settings.ts';

/** How the first factor of a sign-in was given. */
export type SignInWay = 'password' | 'signup' | 'sso';

/** Returns how a member signs in. A member's provider never changes. */
export function signInWayOf({ provider }: { provider: string }): SignInWay {
  return provider === 'email' ? 'password' : 'sso';
}

interface SignInFacts {
  way: SignInWay;
  tenantId: string;
  /** In lower case. */
  email: string;
  /** Whether the member has an authenticator. */
  enrolled: boolean;
}

/**
 * Whether a sign-in requires a second factor: by the deployment's setting, by the security policy in the tenant's
 * metadata, or because the member is a designated operator. After a password, a member with an authenticator always
 * needs it. Single sign-on is exempt, unless the tenant requires a second factor there too.
 *
 * Policies and members change during a session, so code that needs a full session checks this again.
 */
export function isMfaRequired(
  settings: Settings,
  { metadata }: { metadata: Readonly<Record<string, unknown>> },
  { way, tenantId, email, enrolled }: SignInFacts,
): boolean {
  const operator = isDesignatedOperator(tenantId, email, settings);
  const required = settings.MFA_REQUIRED || operator || metadata['mfa_required'] === true;
  if (way === 'sso') return required && metadata['mfa_required_for_sso'] === true;
  return required || enrolled;
}
