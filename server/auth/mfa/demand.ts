/** How the first factor was given. */
export type SignInWay = 'password' | 'signup' | 'sso';

interface Demand {
  way: SignInWay;
  /** The member has an authenticator. */
  enrolled: boolean;
  /** MFA_REQUIRED. */
  platform: boolean;
  /** The member is a designated platform operator. */
  operator: boolean;
  /** The tenant's metadata, with its security policy. */
  tenant: Readonly<Record<string, unknown>>;
}

/**
 * Whether a sign-in asks for a second factor (A 5.3 rule 1). A member with an authenticator is always asked after a
 * password (C 7); an identity provider's sign-in is exempt, unless the tenant demands it there too.
 */
export function isMfaDemanded({ way, enrolled, platform, operator, tenant }: Demand): boolean {
  const required = platform || operator || tenant['mfa_required'] === true;
  if (way === 'sso') return required && tenant['mfa_required_for_sso'] === true;
  return required || enrolled;
}
