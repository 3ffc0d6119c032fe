import type { Me } from '../../session/use-me.ts';

/** How the workspace stands with its subscription. `lapsed`: it exists and must be paid; also any status that we do not know. */
export type Standing = 'current' | 'lapsed' | 'ended' | 'none';

/** Reads the mirror of the subscription in the workspace's metadata (A 2.1), as the service does. */
export function standingOf({ tenant }: Me): Standing {
  const status = tenant.metadata['pay_subscription_status'];
  if (status === undefined || status === null) return 'none';
  if (status === 'active' || status === 'trialing') return 'current';
  return status === 'canceled' || status === 'incomplete_expired' ? 'ended' : 'lapsed';
}
