import { isDesignatedOperator } from '#server/access/service.ts';
import type { Settings } from '#server/settings.ts';

/** How the first factor was given. */
export type SignInWay = 'password' | 'signup' | 'sso';

/** The way in which a member signs in: each has one, for good. */
export function wayOf({ provider }: { provider: string }): SignInWay {
  return provider === 'email' ? 'password' : 'sso';
}

interface Demand {
  way: SignInWay;
  tenantId: string;
  /** Lowercase. */
  email: string;
  /** The member has an authenticator. */
  enrolled: boolean;
}

/**
 * Whether a sign-in asks for a second factor (A 5.3 rule 1), by the platform's requirement, the tenant's security policy in
 * its metadata, and the list of operators. A member with an authenticator is always asked after a password (C 7); an
 * identity provider's sign-in is exempt, unless the tenant demands it there too. Whatever needs a full session asks this
 * again, for policies and members change while sessions live.
 */
export function isMfaDemanded(
  settings: Settings,
  { metadata }: { metadata: Readonly<Record<string, unknown>> },
  { way, tenantId, email, enrolled }: Demand,
): boolean {
  const operator = isDesignatedOperator(tenantId, email, settings);
  const required = settings.MFA_REQUIRED || operator || metadata['mfa_required'] === true;
  if (way === 'sso') return required && metadata['mfa_required_for_sso'] === true;
  return required || enrolled;
}
