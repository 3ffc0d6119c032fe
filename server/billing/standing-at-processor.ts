import type { BillingAccount } from './account.ts';
import type { PaymentProcessor } from './processor.ts';
import { type SubscriptionStanding, standingOf } from './subscription-status.ts';

type Known = Pick<BillingAccount, 'customerId' | 'subscriptionId' | 'subscriptionStatus'>;

/**
 * How the tenant stands at the processor itself, whose events may be on their way still. Only read: what is mirrored, the
 * events alone say, since our clock is not theirs. Where there is nobody to ask about, the tenant has nothing there.
 */
export async function standingAtProcessor(
  payments: PaymentProcessor,
  { customerId, subscriptionId, subscriptionStatus }: Known,
): Promise<SubscriptionStanding> {
  const found = customerId === null ? [] : await payments.subscriptionsOf(customerId);
  // One that another customer bought, of the same tenant: the first one was deleted, say.
  const mirrored = standingOf(subscriptionStatus);
  const isLive = mirrored === 'current' || mirrored === 'lapsed';
  if (isLive && subscriptionId !== null && !found.some(({ id }) => id === subscriptionId)) {
    const one = await payments.readSubscription(subscriptionId);
    if (one) found.push(one);
  }
  const standings = new Set(found.map(({ status }) => standingOf(status)));
  return (['current', 'lapsed', 'ended'] as const).find((standing) => standings.has(standing)) ?? 'none';
}
