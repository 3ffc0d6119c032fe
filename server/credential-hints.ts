import { presentsOperatorKey } from './access/principal.ts';
import type { GuardName, RequestContext } from './context.ts';
import { AppError } from './errors.ts';

const tenantCredential =
  "send a workspace's API key as X-API-Key, or an access token as Authorization: Bearer";
const administrator =
  "this needs an administrator's access token as Authorization: Bearer, or the operator key; a workspace's API key is not accepted";

/**
 * Adds to a 401, whose message is fixed, which credential the operation needs, if the request has one of another kind. Without any, the
 * WWW-Authenticate header says how to send one. It tells nothing of whether the credential is valid, except to who has the operator key.
 */
export function withCredentialHint(
  error: AppError,
  { credentials, services }: RequestContext,
  guard: GuardName | undefined,
): AppError {
  if (error.code !== 'unauthenticated' || error.hint !== undefined || error.problems) return error;
  const hint = hintOf(guard, credentials, services);
  return hint === undefined ? error : new AppError(error.code, error.message, { cause: error.cause, hint });
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
      return 'this needs an access token as Authorization: Bearer; an API key is not accepted';
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
