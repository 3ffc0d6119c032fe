import type { CredentialOwner, Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import { hashSecret, type PresentedCredentials } from './credentials.ts';
import { readStanding } from './queries.ts';

export interface PrincipalTenant {
  id: string;
  name: string;
}

/** Who asks, believed: a tenant's key, or one of its members by an access token. */
export type Principal =
  | { kind: 'api_key'; tenant: PrincipalTenant }
  | { kind: 'session'; tenant: PrincipalTenant; user: { id: string; email: string; role: string } };

/** The hashes to look up for A 5.1 rules 1 and 2: X-API-Key goes before a bearer that is no access token. */
export function presentedHashes(credentials: PresentedCredentials) {
  const key = credentials.apiKey ?? credentials.bearer;
  return {
    accessToken: credentials.bearer === null ? null : hashSecret(credentials.bearer),
    apiKey: key === null ? null : hashSecret(key),
  };
}

/**
 * Reads the caller's standing, anew at each request, in the transaction that the credential opened.
 * @throws AppError 401 where there is no usable credential
 */
export async function tenantPrincipal(
  tx: Tx,
  owner: Promise<CredentialOwner | null>,
  credentials: PresentedCredentials,
): Promise<Principal> {
  const accessToken = credentials.bearer === null ? null : hashSecret(credentials.bearer);
  // Sent before the owner is known: it reads in whatever scope the credential opened.
  const [found, standing] = await Promise.all([owner, readStanding(tx, accessToken)]);
  if (!found || !standing?.active) throw refused();
  if (credentials.tenantId !== null && credentials.tenantId !== found.tenantId) throw refused();

  const tenant = { id: standing.tenantId, name: standing.name };
  if (found.kind === 'api_key') return { kind: 'api_key', tenant };
  const { user } = standing;
  if (!user?.active) throw refused();
  return { kind: 'session', tenant, user: { id: user.id, email: user.email, role: user.role } };
}

/** One answer for every reason, so that it tells nothing. */
function refused(): AppError {
  return new AppError('unauthenticated', 'missing or invalid tenant credentials');
}
