import type { PaymentProcessor } from '#server/platform/payments/processor.ts';
import type { BillingAccount } from './account.ts';

/** Statuses of a subscription that has ended and cannot become current again. */
const ended: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);
/** Statuses with which a tenant may start billable work. */
const current: ReadonlySet<string> = new Set(['active', 'trialing']);

/**
 * The state of a tenant's subscription. `lapsed`: the subscription still exists at the processor, and the tenant must
 * pay there; also the state for any unknown status. `none`: the tenant has never subscribed.
 */
export type SubscriptionState = 'current' | 'lapsed' | 'ended' | 'none';

/** @param status the processor's status of the subscription; null without a subscription */
export function subscriptionStateOf(status: string | null): SubscriptionState {
  if (status === null) return 'none';
  if (current.has(status)) return 'current';
  return ended.has(status) ? 'ended' : 'lapsed';
}

/**
 * Reads the state from the processor, which may know of later events than those that reached us. Use it only for a
 * decision: nothing is stored, because our clock cannot be compared with the creation times of the events. `none` if
 * the processor does not know the tenant.
 */
export async function stateAtProcessor(
  payments: PaymentProcessor,
  {
    customerId,
    subscriptionId,
    subscriptionStatus,
  }: Pick<BillingAccount, 'customerId' | 'subscriptionId' | 'subscriptionStatus'>,
): Promise<SubscriptionState> {
  const found = customerId === null ? [] : await payments.subscriptionsOf(customerId);
  // The stored subscription may belong to another customer of the tenant, for example a deleted one.
  const stored = subscriptionStateOf(subscriptionStatus);
  const isLive = stored === 'current' || stored === 'lapsed';
  if (isLive && subscriptionId !== null && !found.some(({ id }) => id === subscriptionId)) {
    const one = await payments.readSubscription(subscriptionId);
    if (one) found.push(one);
  }
  const states = new Set(found.map(({ status }) => subscriptionStateOf(status)));
  return (['current', 'lapsed', 'ended'] as const).find((state) => states.has(state)) ?? 'none';
}
