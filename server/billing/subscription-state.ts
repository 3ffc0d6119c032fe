import type { BillingAccount } from './account.ts';
import type { PaymentProcessor } from './processor.ts';

/** Statuses that end a subscription for good (A 3.1). */
const ended: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);
/** Statuses that a tenant may start billable work under (C 2). */
const current: ReadonlySet<string> = new Set(['active', 'trialing']);

/**
 * How a tenant stands: `lapsed` is live at the processor still, and paid for again there; `none` never subscribed. A status
 * that we do not know is lapsed: the processor has something of that name, and it is not current.
 */
export type SubscriptionState = 'current' | 'lapsed' | 'ended' | 'none';

export function subscriptionStateOf(status: string | null): SubscriptionState {
  if (status === null) return 'none';
  if (current.has(status)) return 'current';
  return ended.has(status) ? 'ended' : 'lapsed';
}

type Known = Pick<BillingAccount, 'customerId' | 'subscriptionId' | 'subscriptionStatus'>;

/**
 * How the tenant stands at the processor itself, whose events may be on their way still. Only read: what is mirrored, the
 * events alone say, since our clock is not theirs. Where there is nobody to ask about, the tenant has nothing there.
 */
export async function stateAtProcessor(
  payments: PaymentProcessor,
  { customerId, subscriptionId, subscriptionStatus }: Known,
): Promise<SubscriptionState> {
  const found = customerId === null ? [] : await payments.subscriptionsOf(customerId);
  // One that another customer bought, of the same tenant: the first one was deleted, say.
  const mirrored = subscriptionStateOf(subscriptionStatus);
  const isLive = mirrored === 'current' || mirrored === 'lapsed';
  if (isLive && subscriptionId !== null && !found.some(({ id }) => id === subscriptionId)) {
    const one = await payments.readSubscription(subscriptionId);
    if (one) found.push(one);
  }
  const standings = new Set(found.map(({ status }) => subscriptionStateOf(status)));
  return (['current', 'lapsed', 'ended'] as const).find((standing) => standings.has(standing)) ?? 'none';
}
