import type { Tx } from '#db/client.ts';
import { rateLimitSubject } from '#server/http/client-address.ts';
import { countAttempt } from '#server/identity/access/rate-limit.ts';
import type { Settings } from '#server/settings.ts';

const day = 86_400;

/**
 * Returns the trial grant of a new tenant as metadata. Empty if billing is off, if no trial is configured, or if the
 * client address has already received TRIAL_GRANTS_PER_ADDRESS grants in the 24 hours that began with its first grant.
 * Call this in the transaction that creates the tenant: if it is rolled back, the grant is not counted.
 * @param clientAddress null without a client
 */
export async function trialGrant(
  tx: Tx,
  { BILLING_ENABLED, TRIAL_CHARS, TRIAL_GRANTS_PER_ADDRESS }: Settings,
  clientAddress: string | null,
): Promise<{ trial_chars_granted?: number }> {
  if (!BILLING_ENABLED || TRIAL_CHARS === 0) return {};
  if (clientAddress !== null) {
    const { attempts } = await countAttempt(tx, 'trial_grant', rateLimitSubject(clientAddress), day);
    if (attempts > TRIAL_GRANTS_PER_ADDRESS) return {};
  }
  return { trial_chars_granted: TRIAL_CHARS };
}
