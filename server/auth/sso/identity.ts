import { fetchUserInfo } from 'openid-client';
import { findUnstorable } from '#server/input-limits.ts';
import type { Redeemed } from './code-grant.ts';
import { ProviderRefused } from './outbound.ts';

/** Who signed in, in the provider's words. Nothing but the issuer is longer than 255 characters. */
export interface SsoIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  emailVerified: boolean;
  /** The value of the claim that OIDC_ORG_CLAIM names. */
  organization: string | null;
}

/** OpenID Connect Core 2 bounds `sub` by it; the others are bounded alike. */
const maximumClaim = 255;

/**
 * Who the ID token is about. What it lacks of address and organization comes from userinfo: a member of an
 * organization whose claim went unseen would found a tenant of its own.
 * @throws ProviderRefused where a claim cannot be used; the library's errors
 */
export async function identityOf({ config, tokens }: Redeemed, orgClaim: string): Promise<SsoIdentity> {
  const claims = tokens.claims();
  if (!claims) throw new ProviderRefused('no ID token');
  const complete = claims['email'] !== undefined && claims[orgClaim] !== undefined;
  const askFurther = !complete && config.serverMetadata().userinfo_endpoint !== undefined;
  // The library refuses the answer where its `sub` is another.
  const further = askFurther ? await fetchUserInfo(config, tokens.access_token, claims.sub) : claims;
  const about = claims['email'] === undefined ? further : claims;
  const subject = readClaim(claims.sub);
  if (subject === null) throw new ProviderRefused('an empty subject');
  const identity: SsoIdentity = {
    issuer: claims.iss,
    subject,
    // Both from one place: that an address is verified says nothing about another.
    email: readClaim(about['email']),
    emailVerified: readFlag(about['email_verified']),
    organization: readClaim(claims[orgClaim]) ?? readClaim(further[orgClaim]),
  };
  if (findUnstorable(identity)) throw new ProviderRefused('a claim that cannot be stored');
  return identity;
}

/** What is no text, or empty, is no claim. A number is one: some providers number their organizations. */
function readClaim(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return null;
  if (text.length > maximumClaim) throw new ProviderRefused('a claim that is too long');
  return text;
}

/** Some providers send their booleans as text. */
function readFlag(value: unknown): boolean {
  return value === true || value === 'true';
}
