import type { BillingAccount } from '#server/billing/account.ts';
import { applyPaymentEvent } from '#server/billing/subscription-sync.ts';
import type { PaymentEvent } from '#server/platform/payments/processor.ts';
import type { Tier, TierPrices } from '#server/platform/payments/tiers.ts';

export const currentStatuses = ['active', 'trialing'] as const;
export const endedStatuses = ['canceled', 'incomplete_expired'] as const;
export const liveStatuses = [...currentStatuses, 'past_due', 'unpaid', 'incomplete', 'paused'] as const;

const prices: TierPrices = { personal: 'price_personal', pro: 'price_pro', studio: 'price_studio' };

/** A tenant whose allowance differs from those of all plans, so that each change of the allowance is visible. */
export const emptyAccount: BillingAccount = {
  monthlyCharLimit: 123_456,
  customerId: 'cus_1',
  subscriptionId: null,
  subscriptionStatus: null,
  tier: null,
  allowanceFrom: null,
  allowanceSubscription: null,
  subscriptionEventAt: null,
  subscriptions: [],
  topUpPurchased: 0,
  topUpUsed: 0,
  creditedSessions: [],
  trialCharsGranted: 150_000,
};

/** The time of the n-th second in the scenario. */
export const at = (second: number) => new Date(Date.UTC(2026, 2, 1) + second * 1000).toISOString();

/**
 * The event `customer.subscription.created` or `.updated`. `tier` may also be a price that this deployment does not
 * sell.
 */
export const changed = (
  second: number,
  subscriptionId: string,
  status: string,
  tier: Tier | 'other' = 'personal',
) =>
  ({
    kind: 'subscription_changed',
    createdAt: at(second),
    subscriptionId,
    status,
    priceIds: [`price_${tier}`],
  }) satisfies PaymentEvent;

export const deleted = (second: number, subscriptionId: string, tier: Tier = 'personal') =>
  ({
    ...changed(second, subscriptionId, 'canceled', tier),
    kind: 'subscription_deleted',
  }) satisfies PaymentEvent;

/** The event `checkout.session.completed` of a subscription. */
export const completed = (second: number, subscriptionId: string | null) =>
  ({ kind: 'subscription_session', createdAt: at(second), subscriptionId }) satisfies PaymentEvent;

export const topUp = (second: number, sessionId: string, chars = 1_000_000) =>
  ({ kind: 'topup_paid', createdAt: at(second), sessionId, chars }) satisfies PaymentEvent;

export const apply = (account: BillingAccount, ...events: PaymentEvent[]) =>
  events.reduce((state, event) => applyPaymentEvent(state, event, prices), account);
export const after = (...events: PaymentEvent[]) => apply(emptyAccount, ...events);

/** The current subscription as text, such as `sub_a active`. */
export const shown = ({ subscriptionId, subscriptionStatus }: BillingAccount) =>
  `${subscriptionId} ${subscriptionStatus}`;
export const windowOf = ({ allowanceFrom, allowanceSubscription }: BillingAccount) => [
  allowanceFrom,
  allowanceSubscription,
];
export const planOf = ({ tier, monthlyCharLimit }: BillingAccount) => [tier, monthlyCharLimit];
export const listed = ({ subscriptions }: BillingAccount) => subscriptions.map(({ id }) => id);
