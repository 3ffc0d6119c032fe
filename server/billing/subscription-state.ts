import type { PaymentProcessor } from '#server/platform/payments/processor.ts';
import type { BillingAccount } from './account.ts';

/** Statuses that end a subscription for good. */
const ended: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);
/** Statuses with which a tenant may start billable work. */
const current: ReadonlySet<string> = new Set(['active', 'trialing']);

/**
 * The state of a tenant's subscription. `lapsed`: it still exists at the processor and must be paid there; also any
 * unknown status. `none`: the tenant never subscribed.
 */
export type SubscriptionState = 'current' | 'lapsed' | 'ended' | 'none';

/** @param status in the processor's terms; null without a subscription */
export function subscriptionStateOf(status: string | null): SubscriptionState {
  if (status === null) return 'none';
  if (current.has(status)) return 'current';
  return ended.has(status) ? 'ended' : 'lapsed';
}

/**
 * The state at the processor itself, which may be later than the events that reached us. For a decision only: nothing
 * is stored, since our clock cannot be compared with the events' own. `none` if the processor does not know the
 * tenant.
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
  // The tenant's subscription may belong to another customer, for instance one that was deleted.
  const stored = subscriptionStateOf(subscriptionStatus);
  const isLive = stored === 'current' || stored === 'lapsed';
  if (isLive && subscriptionId !== null && !found.some(({ id }) => id === subscriptionId)) {
    const one = await payments.readSubscription(subscriptionId);
    if (one) found.push(one);
  }
  const states = new Set(found.map(({ status }) => subscriptionStateOf(status)));
  return (['current', 'lapsed', 'ended'] as const).find((state) => states.has(state)) ?? 'none';
}
