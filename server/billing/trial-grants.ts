import type { Tx } from '#db/client.ts';
import { countAttempt } from '#server/access/service.ts';
import { rateLimitSubject } from '#server/client-address.ts';
import type { Settings } from '#server/settings.ts';

const day = 86_400;

/**
 * The trial grant of a tenant that is being founded (A 8.3, C 7), as metadata to stamp on it: nothing while billing is off,
 * where no trial is configured, or past the grants that a client address gets in 24 hours, which begin with its first. To be
 * asked in the transaction that founds the tenant: a founding that fails has spent none.
 * @param clientAddress null for what no client asked for
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
