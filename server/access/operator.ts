import { timingSafeEqual } from 'node:crypto';
import type { Settings } from '#server/settings.ts';
import { hashSecret, type PresentedCredentials } from './credentials.ts';

/**
 * Whether the request presents the operator key (A 5.1), in X-API-Key or else as the bearer. False if no key is
 * configured.
 */
export function presentsOperatorKey(
  { apiKey, bearer }: PresentedCredentials,
  { OPERATOR_API_KEY }: Settings,
): boolean {
  return isKey(apiKey ?? bearer, OPERATOR_API_KEY);
}

/** Whether the request presents the single key of a deployment without tenants (A 5.1 rule 6). */
export function presentsServiceKey(
  { apiKey, bearer }: PresentedCredentials,
  { SERVICE_API_KEY }: Settings,
): boolean {
  return isKey(apiKey ?? bearer, SERVICE_API_KEY);
}

/** Compares in constant time. */
function isKey(presented: string | null, key: string | undefined): boolean {
  if (key === undefined || presented === null) return false;
  return timingSafeEqual(hashSecret(presented), hashSecret(key));
}

/**
 * Whether a member is on the deployment's list of operators, in the operators' workspace (A 5.1 rule 8). Operator
 * access also requires an enrolled authenticator. False unless both settings are set.
 */
export function isDesignatedOperator(
  tenantId: string,
  email: string,
  { OPERATOR_EMAILS, OPERATOR_TENANT_ID }: Settings,
): boolean {
  if (OPERATOR_TENANT_ID === undefined || tenantId !== OPERATOR_TENANT_ID) return false;
  return OPERATOR_EMAILS.some((listed) => listed.toLowerCase() === email);
}
