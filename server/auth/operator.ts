import { timingSafeEqual } from 'node:crypto';
import type { Settings } from '#server/settings.ts';
import { hashSecret, type PresentedCredentials } from './credentials.ts';

/**
 * Whether the request presents the operator key (A 5.1), in X-API-Key or, without one, as the bearer. An unset key
 * matches nothing. The comparison takes the same time wherever they differ.
 */
export function presentsOperatorKey(
  { apiKey, bearer }: PresentedCredentials,
  { OPERATOR_API_KEY: operatorKey }: Settings,
): boolean {
  const presented = apiKey ?? bearer;
  if (operatorKey === undefined || presented === null) return false;
  return timingSafeEqual(hashSecret(presented), hashSecret(operatorKey));
}
