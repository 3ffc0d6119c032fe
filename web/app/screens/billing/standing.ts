import type { Me } from '../../session/use-me.ts';

/** The state of the subscription. `lapsed`: it exists and must be paid; also any unknown status. */
export type Standing = 'current' | 'lapsed' | 'ended' | 'none';

/** Reads the state of the subscription from the workspace's metadata, like the service. */
export function standingOf({ tenant }: Me): Standing {
  const status = tenant.metadata['pay_subscription_status'];
  if (status === undefined || status === null) return 'none';
  if (status === 'active' || status === 'trialing') return 'current';
  return status === 'canceled' || status === 'incomplete_expired' ? 'ended' : 'lapsed';
}
