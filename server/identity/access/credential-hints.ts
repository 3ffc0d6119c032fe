import type { GuardName, RequestContext } from '#server/context.ts';
import { presentsOperatorKey } from './principal.ts';

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
