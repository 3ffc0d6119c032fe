import { timingSafeEqual } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import { type CredentialOwner, prepare, type Tx } from '#db/client.ts';
import { apiKeys } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { GuardName, PresentedCredentials, RequestContext, Scope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { readScopes } from './api-keys.ts';
import { hashSecret } from './credentials.ts';
import { normalizeEmail } from './email-address.ts';
import {
  type Session,
  SessionAdapter,
  type SessionTenant,
  sessionIdOf,
  tenantInScope,
  tenantScope,
  type User,
} from './session-adapter.ts';
import type { Family } from './sessions.ts';

export interface PrincipalTenant {
  id: string;
  name: string;
}

/** A member who was authenticated by an access token. */
export interface SessionPrincipal {
  kind: 'session';
  tenant: PrincipalTenant;
  user: Omit<User, 'active'>;
  /** Whether the member is a platform operator. */
  operator: boolean;
  /** The token family of the session. */
  family: Pick<Family, 'id' | 'secondFactor'> & {
    /** Whether the member proved the identity in it at most `proofSeconds` ago. */
    isProved: boolean;
  };
}

/** Seconds for which a proof of identity counts. */
const proofSeconds = 600;

/** A tenant that was authenticated by an API key, or by the service key. */
export interface KeyPrincipal {
  kind: 'api_key';
  tenant: PrincipalTenant;
  /** ID of the API key; null for the current secret of the workspace key, and for the service key. */
  keyId: string | null;
  /** Null for a key with all scopes. */
  scopes: readonly Scope[] | null;
}

/** A visitor of the demo workspace, who has no account and can only read. */
export interface VisitorPrincipal {
  kind: 'visitor';
  tenant: PrincipalTenant;
}

/** The authenticated caller. */
export type Principal = KeyPrincipal | SessionPrincipal | VisitorPrincipal;

/**
 * Whether the caller may read the email addresses of the members who did something. An API key may only if it has the
 * scope `admin`, which the list of members needs, too.
 */
export const seesMembers = (principal: Principal): boolean =>
  principal.kind === 'session' ||
  (principal.kind === 'api_key' && (principal.scopes === null || principal.scopes.includes('admin')));

/** @throws AppError 403 if the member is not an administrator */
export function requireAdministrator({ role }: Pick<User, 'role'>): void {
  if (role !== 'global_administrator') throw new AppError('forbidden', 'admin role required');
}

/**
 * Returns the hashes to look up. If both X-API-Key and a bearer token are presented, the API key is the one in
 * X-API-Key.
 */
export function presentedHashes(credentials: PresentedCredentials) {
  const key = credentials.apiKey ?? credentials.bearer;
  return {
    accessToken: credentials.bearer === null ? null : hashSecret(credentials.bearer),
    apiKey: key === null ? null : hashSecret(key),
  };
}

/** Returns the hash to look up if only an access token is accepted, for example in the session cookie. */
export function accessTokenHashes(token: string) {
  return { accessToken: hashSecret(token), apiKey: null };
}

/** The reason why authentication failed. Each guard chooses its own response. */
type Refusal = 'no_credential' | 'tenant_inactive';

/**
 * Authenticates the caller in the transaction that the credential opened. Nothing is cached between requests. The
 * single statement is sent before it is known to whom the credential belongs: it reads the tenant to which the
 * credential limits the transaction.
 */
export async function readPrincipal(
  tx: Tx,
  owner: Promise<CredentialOwner | null>,
  credentials: PresentedCredentials,
  settings: Settings,
): Promise<KeyPrincipal | SessionPrincipal | Refusal> {
  const { bearer, tenantId } = credentials;
  const [found, lookup] = await Promise.all([
    owner,
    lookUpPrincipal(tx, bearer === null ? null : hashSecret(bearer)),
  ]);
  if (!found || !lookup) return 'no_credential';
  if (tenantId !== null && tenantId !== found.tenantId) return 'no_credential';
  if (!lookup.active) return 'tenant_inactive';

  const tenant = { id: lookup.tenantId, name: lookup.name };
  if (found.kind === 'api_key') {
    const scopes = found.scope === null ? null : readScopes(found.scope);
    return { kind: 'api_key', tenant, keyId: found.keyId, scopes };
  }
  if (!lookup.user?.active) return 'no_credential';
  const { active: _active, ...user } = lookup.user;
  const { familyId: id, secondFactor, factorAtSignIn, proofAge } = lookup.session;
  const family = { id, secondFactor, isProved: proofAge !== null && proofAge < proofSeconds };
  // A member with a password passes our authenticator; an identity provider may have its own.
  const hasFactor = factorAtSignIn && (user.totpEnrolled || user.provider !== 'email');
  const operator = hasFactor && isDesignatedOperator(tenant.id, user.email, settings);
  return { kind: 'session', tenant, user, operator, family };
}

/**
 * The statement for requests without an access token. With a null parameter, PostgreSQL would plan the other statement
 * again each time.
 */
const selectTenant = prepare<{ scope: string }, SessionTenant[]>((db) =>
  db
    .select({ tenantId: tenants.tenantId, name: tenants.name, active: tenants.active })
    .from(tenants)
    .where(eq(tenants.tenantId, tenantInScope))
    .prepare('select_tenant_principal'),
);

/** The caller's tenant and, for an access token, the session and its member. */
type PrincipalLookup = SessionTenant & ({ session: Session; user: User } | { session: null; user: null });

/**
 * Looks up the caller by the SHA-256 of the access token. If the hash is null, looks up only the transaction's tenant.
 * @returns undefined if no such tenant exists
 */
export async function lookUpPrincipal(
  tx: Tx,
  accessTokenHash: Uint8Array | null,
): Promise<PrincipalLookup | undefined> {
  if (accessTokenHash === null) {
    const [tenant] = await selectTenant(tx, { scope: tenantScope });
    return tenant && { ...tenant, user: null, session: null };
  }
  const sessions = new SessionAdapter(tx);
  const found = await sessions.lucia.validateSession(sessionIdOf(accessTokenHash));
  return sessions.tenant && { ...sessions.tenant, ...found };
}

/**
 * Whether the request presents the operator key, in X-API-Key or, if this is missing, as the bearer token. False if no
 * operator key is configured.
 */
export function presentsOperatorKey(
  { apiKey, bearer }: PresentedCredentials,
  { OPERATOR_API_KEY }: Settings,
): boolean {
  return isKey(apiKey ?? bearer, OPERATOR_API_KEY);
}

/** Whether the request presents the service key, the only key of a deployment without tenants. */
export function presentsServiceKey(
  { apiKey, bearer }: PresentedCredentials,
  { SERVICE_API_KEY }: Settings,
): boolean {
  return isKey(apiKey ?? bearer, SERVICE_API_KEY);
}

/** Compares a presented key with the configured one in constant time. */
function isKey(presented: string | null, key: string | undefined): boolean {
  if (key === undefined || presented === null) return false;
  return timingSafeEqual(hashSecret(presented), hashSecret(key));
}

/**
 * Whether a member is a designated operator: the member is on the deployment's list of operators and belongs to the
 * operators' workspace. Operator access also requires a second factor at the sign-in of the session, so that a stolen
 * password does not give it. False unless both settings are set.
 */
export function isDesignatedOperator(
  tenantId: string,
  email: string,
  { OPERATOR_EMAILS, OPERATOR_TENANT_ID }: Settings,
): boolean {
  if (OPERATOR_TENANT_ID === undefined || tenantId !== OPERATOR_TENANT_ID) return false;
  return OPERATOR_EMAILS.some((listed) => normalizeEmail(listed) === email);
}

/**
 * The API key whose client named a person. Only a session identifies a person: the name that a client with a key
 * sends is a claim, which is stored and shown as one, with the key.
 */
export const claimedVia = z.object({
  id: z.string().nullable().describe('The ID of the API key; null if unknown.'),
  name: z.string().nullable().describe('The name of the API key at that time; null if unknown.'),
});

export type ClaimedVia = z.infer<typeof claimedVia>;

/** Returns the key of a caller without a session; null for a member. */
export async function claimedViaOf(tx: Tx, principal: Principal): Promise<ClaimedVia | null> {
  if (principal.kind !== 'api_key') return null;
  const { keyId, tenant } = principal;
  const [key] = await tx
    .select({ id: apiKeys.keyId, name: apiKeys.name })
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.tenantId, tenant.id),
        keyId === null ? eq(apiKeys.workspace, true) : eq(apiKeys.keyId, keyId),
      ),
    )
    .limit(1);
  return key ?? { id: keyId, name: null };
}

const tenantCredential =
  "send a workspace's API key as X-API-Key, or an access token as Authorization: Bearer";
const administrator =
  "this operation requires an administrator's access token as Authorization: Bearer, or the operator key; a workspace's API key is not accepted";

/**
 * Returns the WWW-Authenticate header of a 401.
 * @param description the credential that the operation needs, without quotation marks
 */
export function challenge(description?: string): string {
  const words = description === undefined ? '' : `, error_description="${description}"`;
  return `Bearer realm="LinguaLoop"${words}, ApiKey realm="LinguaLoop", header="X-API-Key"`;
}

/**
 * If a request has a credential of the wrong kind, names the credential that the operation needs in the
 * WWW-Authenticate header of the 401; the text of the body is fixed. The header does not reveal whether the credential
 * is valid, except to a caller with the operator key.
 */
export function describeCredential(
  { credentials, services, response }: RequestContext,
  guard: GuardName | undefined,
): void {
  const description = hintOf(guard, credentials, services);
  if (description !== undefined) response.setHeader('www-authenticate', challenge(description));
}

function hintOf(
  guard: GuardName | undefined,
  credentials: RequestContext['credentials'],
  { settings }: RequestContext['services'],
): string | undefined {
  const { bearer, apiKey, unreadable } = credentials;
  if (bearer === null && apiKey === null && !unreadable) return undefined;
  switch (guard) {
    case 'admin':
    case 'platform_operator':
      return administrator;
    case 'bearer':
      return 'this operation requires an access token as Authorization: Bearer; an API key is not accepted';
    case 'tenant_identity':
    case 'tenant_identity_or_cookie':
    case 'tenant_admin':
      return presentsOperatorKey(credentials, settings)
        ? `the operator key belongs to no workspace; ${tenantCredential}`
        : undefined;
    default:
      return undefined;
  }
}
