import type { CredentialOwner, Tx } from '#db/client.ts';
import type { Settings } from '#server/settings.ts';
import { hashSecret, type PresentedCredentials } from './credentials.ts';
import { isDesignatedOperator } from './operator.ts';
import { lookUpPrincipal, type PrincipalMember } from './principal-lookup.ts';
import { type Family, readSession } from './sessions.ts';

export interface PrincipalTenant {
  id: string;
  name: string;
}

/** A member by an access token, believed. */
export interface SessionPrincipal {
  kind: 'session';
  tenant: PrincipalTenant;
  user: Omit<PrincipalMember, 'active'>;
  /** Signed in as a platform operator (A 5.1 rule 8). */
  operator: boolean;
  /** The sign-in that the token descends from. */
  family: Pick<Family, 'id' | 'secondFactor'>;
}

/** Who asks, believed: a tenant's key, the service key, or a member. */
export type Principal = { kind: 'api_key'; tenant: PrincipalTenant } | SessionPrincipal;

/** The hashes to look up for A 5.1 rules 1 and 2: X-API-Key goes before a bearer that is no access token. */
export function presentedHashes(credentials: PresentedCredentials) {
  const key = credentials.apiKey ?? credentials.bearer;
  return {
    accessToken: credentials.bearer === null ? null : hashSecret(credentials.bearer),
    apiKey: key === null ? null : hashSecret(key),
  };
}

/** Of what can only be an access token: a key in a cookie is no credential. */
export function accessTokenHashes(token: string) {
  return { accessToken: hashSecret(token), apiKey: null };
}

/** Why nobody is believed. What is answered for it is each guard's own. */
export type Refusal = 'no_credential' | 'tenant_inactive';

/**
 * Reads the caller's standing, anew at each request, in the transaction that the credential opened: one statement,
 * sent before the owner is known, since it reads in whatever scope the credential opened.
 */
export async function readPrincipal(
  tx: Tx,
  owner: Promise<CredentialOwner | null>,
  credentials: PresentedCredentials,
  settings: Settings,
): Promise<Principal | Refusal> {
  const { bearer, tenantId } = credentials;
  const [found, standing] = await Promise.all([
    owner,
    bearer === null ? lookUpPrincipal(tx, null) : readSession(tx, bearer),
  ]);
  if (!found || !standing) return 'no_credential';
  if (tenantId !== null && tenantId !== found.tenantId) return 'no_credential';
  if (!standing.active) return 'tenant_inactive';

  const tenant = { id: standing.tenantId, name: standing.name };
  if (found.kind === 'api_key') return { kind: 'api_key', tenant };
  if (!standing.user?.active || !standing.token) return 'no_credential';
  const { active: _active, ...user } = standing.user;
  const family = { id: standing.token.familyId, secondFactor: standing.token.secondFactor };
  const operator = user.totpEnrolled && isDesignatedOperator(tenant.id, user.email, settings);
  return { kind: 'session', tenant, user, operator, family };
}
