import type { CredentialOwner, Tx } from '#db/client.ts';
import type { Settings } from '#server/settings.ts';
import { hashSecret, type PresentedCredentials } from './credentials.ts';
import { isDesignatedOperator } from './operator.ts';
import { lookUpPrincipal, type PrincipalMember } from './principal-lookup.ts';
import type { Family } from './sessions.ts';

export interface PrincipalTenant {
  id: string;
  name: string;
}

/** A member authenticated by an access token. */
export interface SessionPrincipal {
  kind: 'session';
  tenant: PrincipalTenant;
  user: Omit<PrincipalMember, 'active'>;
  /** Whether the member is a platform operator (A 5.1 rule 8). */
  operator: boolean;
  /** The token family of the sign-in. */
  family: Pick<Family, 'id' | 'secondFactor'>;
}

/** The authenticated caller: a tenant by its API key (or by the service key), or a member by an access token. */
export type Principal = { kind: 'api_key'; tenant: PrincipalTenant } | SessionPrincipal;

/** The hashes to look up (A 5.1 rules 1 and 2). As an API key, X-API-Key takes precedence over the bearer. */
export function presentedHashes(credentials: PresentedCredentials) {
  const key = credentials.apiKey ?? credentials.bearer;
  return {
    accessToken: credentials.bearer === null ? null : hashSecret(credentials.bearer),
    apiKey: key === null ? null : hashSecret(key),
  };
}

/** The hash to look up where only an access token is accepted, such as in the session cookie. */
export function accessTokenHashes(token: string) {
  return { accessToken: hashSecret(token), apiKey: null };
}

/** Why authentication failed. Each guard chooses its own response. */
export type Refusal = 'no_credential' | 'tenant_inactive';

/**
 * Authenticates the caller in the transaction that the credential opened. Nothing is cached between requests. The one
 * statement is sent before the credential's owner is known: it reads in the scope that the credential opened.
 */
export async function readPrincipal(
  tx: Tx,
  owner: Promise<CredentialOwner | null>,
  credentials: PresentedCredentials,
  settings: Settings,
): Promise<Principal | Refusal> {
  const { bearer, tenantId } = credentials;
  const [found, lookup] = await Promise.all([
    owner,
    lookUpPrincipal(tx, bearer === null ? null : hashSecret(bearer)),
  ]);
  if (!found || !lookup) return 'no_credential';
  if (tenantId !== null && tenantId !== found.tenantId) return 'no_credential';
  if (!lookup.active) return 'tenant_inactive';

  const tenant = { id: lookup.tenantId, name: lookup.name };
  if (found.kind === 'api_key') return { kind: 'api_key', tenant };
  if (!lookup.user?.active || !lookup.token) return 'no_credential';
  const { active: _active, ...user } = lookup.user;
  const family = { id: lookup.token.familyId, secondFactor: lookup.token.secondFactor };
  const operator = user.totpEnrolled && isDesignatedOperator(tenant.id, user.email, settings);
  return { kind: 'session', tenant, user, operator, family };
}
