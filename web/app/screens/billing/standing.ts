import type { Me } from '../../session/use-me.ts';

/**
 * The state of the subscription. `lapsed`: the subscription exists, but a payment is due; unknown states count as
 * `lapsed`.
 */
export type Standing = 'current' | 'lapsed' | 'ended' | 'none';

/** Determines the state of the subscription from the workspace's metadata, by the same rules as the service. */
export function standingOf({ tenant }: Me): Standing {
  const status = tenant.metadata['pay_subscription_status'];
  if (status === undefined || status === null) return 'none';
  if (status === 'active' || status === 'trialing') return 'current';
  return status === 'canceled' || status === 'incomplete_expired' ? 'ended' : 'lapsed';
}

/** The prepaid characters that the workspace has bought so far. */
export function prepaidOf({ tenant }: Me): number {
  return Number(tenant.metadata['topup_chars_purchased'] ?? 0);
}
