import type { BillingAccount } from '#server/billing/account.ts';
import type { PaymentEvent } from '#server/platform/payments/payment-event.ts';
import type { Tier, TierPrices } from '#server/platform/payments/tiers.ts';

export const prices: TierPrices = { personal: 'price_personal', pro: 'price_pro', studio: 'price_studio' };

/** A tenant with an allowance of no tier's size, so that every write of the limit is visible. */
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

/** The n-th second of the scenario. */
export const at = (second: number) => new Date(Date.UTC(2026, 2, 1) + second * 1000).toISOString();

/** customer.subscription.created or .updated; `tier` may also be a Price that is not ours. */
export function changed(
  second: number,
  subscriptionId: string,
  status: string,
  tier: Tier | 'other' = 'personal',
) {
  const priceIds = [`price_${tier}`];
  return {
    kind: 'subscription_changed',
    createdAt: at(second),
    subscriptionId,
    status,
    priceIds,
  } satisfies PaymentEvent;
}

export function deleted(second: number, subscriptionId: string, tier: Tier | 'other' = 'personal') {
  const priceIds = [`price_${tier}`];
  const status = 'canceled';
  return {
    kind: 'subscription_deleted',
    createdAt: at(second),
    subscriptionId,
    status,
    priceIds,
  } satisfies PaymentEvent;
}

/** checkout.session.completed, mode subscription. */
export function completed(second: number, subscriptionId: string | null) {
  return { kind: 'subscription_session', createdAt: at(second), subscriptionId } satisfies PaymentEvent;
}

export function topUp(second: number, sessionId: string, chars = 1_000_000) {
  return { kind: 'topup_paid', createdAt: at(second), sessionId, chars } satisfies PaymentEvent;
}

export interface Life {
  name: string;
  events: readonly PaymentEvent[];
  /** Where A 3.1's table leads, whatever the order. */
  end: Partial<BillingAccount>;
  /** Subscriptions that must have opened their window, whatever the order. */
  opens: readonly string[];
}

export const lives: readonly Life[] = [
  {
    name: 'begun, upgraded, lapsed, deleted',
    events: [
      changed(1, 'sub_a', 'incomplete'),
      completed(2, 'sub_a'),
      changed(3, 'sub_a', 'active'),
      topUp(4, 'cs_1'),
      changed(5, 'sub_a', 'active', 'pro'),
      changed(6, 'sub_a', 'past_due', 'pro'),
      deleted(7, 'sub_a', 'pro'),
    ],
    end: { subscriptionId: 'sub_a', subscriptionStatus: 'canceled', topUpPurchased: 1_000_000 },
    opens: [],
  },
  {
    name: 'past due and back, never deleted: the newest event decides',
    events: [
      changed(1, 'sub_a', 'incomplete'),
      completed(2, 'sub_a'),
      changed(3, 'sub_a', 'active'),
      changed(4, 'sub_a', 'active', 'pro'),
      changed(5, 'sub_a', 'past_due', 'pro'),
      changed(6, 'sub_a', 'active', 'pro'),
      topUp(7, 'cs_1', 3_000_000),
    ],
    end: {
      subscriptionId: 'sub_a',
      subscriptionStatus: 'active',
      tier: 'pro',
      monthlyCharLimit: 1_500_000,
      subscriptionEventAt: at(6),
      allowanceSubscription: 'sub_a',
      topUpPurchased: 3_000_000,
    },
    opens: ['sub_a'],
  },
  {
    name: 'paused, then unpaid, never deleted: the newest event decides',
    events: [
      changed(1, 'sub_a', 'trialing', 'studio'),
      changed(2, 'sub_a', 'paused', 'studio'),
      changed(3, 'sub_a', 'active', 'studio'),
      topUp(4, 'cs_1'),
      changed(5, 'sub_a', 'past_due', 'personal'),
      changed(6, 'sub_a', 'active', 'pro'),
      changed(7, 'sub_a', 'unpaid', 'pro'),
    ],
    end: {
      subscriptionId: 'sub_a',
      subscriptionStatus: 'unpaid',
      tier: 'pro',
      monthlyCharLimit: 1_500_000,
      subscriptionEventAt: at(7),
      topUpPurchased: 1_000_000,
    },
    opens: [],
  },
  {
    name: 'deleted, and subscribed again',
    events: [
      changed(1, 'sub_a', 'active'),
      changed(2, 'sub_a', 'past_due'),
      deleted(3, 'sub_a'),
      changed(4, 'sub_b', 'incomplete', 'pro'),
      completed(5, 'sub_b'),
      changed(6, 'sub_b', 'active', 'pro'),
      topUp(7, 'cs_1'),
    ],
    end: {
      subscriptionId: 'sub_b',
      subscriptionStatus: 'active',
      tier: 'pro',
      monthlyCharLimit: 1_500_000,
      subscriptionEventAt: at(6),
      allowanceSubscription: 'sub_b',
      topUpPurchased: 1_000_000,
    },
    opens: ['sub_b'],
  },
  {
    name: 'deleted, and subscribed again: the first session may come last of all',
    events: [
      completed(1, 'sub_a'),
      changed(2, 'sub_a', 'active'),
      deleted(3, 'sub_a'),
      completed(4, 'sub_b'),
      changed(5, 'sub_b', 'active', 'studio'),
      changed(6, 'sub_b', 'past_due', 'studio'),
      changed(7, 'sub_b', 'active', 'studio'),
    ],
    end: {
      subscriptionId: 'sub_b',
      subscriptionStatus: 'active',
      tier: 'studio',
      monthlyCharLimit: 5_000_000,
      subscriptionEventAt: at(7),
      allowanceSubscription: 'sub_b',
    },
    opens: ['sub_b'],
  },
  {
    name: 'deleted, subscribed again, and lapsed there at last',
    events: [
      changed(1, 'sub_a', 'active'),
      changed(2, 'sub_a', 'active', 'pro'),
      deleted(3, 'sub_a', 'pro'),
      changed(4, 'sub_b', 'incomplete', 'studio'),
      changed(5, 'sub_b', 'active', 'studio'),
      changed(6, 'sub_b', 'past_due', 'studio'),
      topUp(7, 'cs_1'),
    ],
    end: {
      subscriptionId: 'sub_b',
      subscriptionStatus: 'past_due',
      tier: 'studio',
      monthlyCharLimit: 5_000_000,
      subscriptionEventAt: at(6),
      topUpPurchased: 1_000_000,
    },
    opens: [],
  },
  {
    name: 'the first attempt expires, the second is paid for',
    events: [
      changed(1, 'sub_a', 'incomplete', 'studio'),
      changed(2, 'sub_a', 'incomplete_expired', 'studio'),
      changed(3, 'sub_b', 'incomplete'),
      completed(4, 'sub_b'),
      changed(5, 'sub_b', 'active'),
      topUp(6, 'cs_1'),
      topUp(7, 'cs_2', 5_000_000),
    ],
    end: {
      subscriptionId: 'sub_b',
      subscriptionStatus: 'active',
      tier: 'personal',
      monthlyCharLimit: 500_000,
      subscriptionEventAt: at(5),
      allowanceSubscription: 'sub_b',
      topUpPurchased: 6_000_000,
    },
    opens: ['sub_b'],
  },
  {
    name: 'a top-up told twice (completed, and paid later on), and an end',
    events: [
      completed(1, 'sub_a'),
      changed(1, 'sub_a', 'active', 'pro'),
      topUp(2, 'cs_1', 2_000_000),
      topUp(3, 'cs_1', 2_000_000),
      topUp(4, 'cs_2'),
      changed(5, 'sub_a', 'active', 'personal'),
      deleted(6, 'sub_a'),
    ],
    end: { subscriptionId: 'sub_a', subscriptionStatus: 'canceled', topUpPurchased: 3_000_000 },
    opens: [],
  },
  {
    name: 'a lapsed one beside a current one that ends: the lapsed one is shown with its status and tier',
    events: [
      changed(1, 'sub_a', 'active'),
      changed(2, 'sub_b', 'incomplete', 'pro'),
      completed(3, 'sub_b'),
      changed(4, 'sub_b', 'past_due', 'pro'),
      changed(5, 'sub_a', 'active'),
      deleted(6, 'sub_a'),
      topUp(7, 'cs_1'),
    ],
    end: {
      subscriptionId: 'sub_b',
      subscriptionStatus: 'past_due',
      tier: 'pro',
      monthlyCharLimit: 1_500_000,
      subscriptionEventAt: at(4),
      topUpPurchased: 1_000_000,
    },
    opens: [],
  },
  {
    name: 'two at once, the newer ends: the older is shown with its tier and its window',
    events: [
      changed(1, 'sub_a', 'active', 'studio'),
      changed(2, 'sub_b', 'trialing'),
      changed(3, 'sub_b', 'active', 'pro'),
      changed(4, 'sub_b', 'past_due', 'pro'),
      changed(5, 'sub_b', 'canceled', 'pro'),
      topUp(6, 'cs_1'),
      topUp(7, 'cs_2'),
    ],
    end: {
      subscriptionId: 'sub_a',
      subscriptionStatus: 'active',
      tier: 'studio',
      monthlyCharLimit: 5_000_000,
      allowanceFrom: at(1),
      allowanceSubscription: 'sub_a',
      subscriptionEventAt: at(1),
      topUpPurchased: 2_000_000,
    },
    opens: ['sub_a'],
  },
  {
    name: 'lapsed side by side: the one with the last event is shown, before an incomplete one',
    events: [
      changed(1, 'sub_a', 'active'),
      changed(2, 'sub_a', 'paused'),
      changed(3, 'sub_c', 'unpaid', 'studio'),
      changed(4, 'sub_b', 'incomplete', 'pro'),
      changed(5, 'sub_b', 'incomplete', 'personal'),
      deleted(6, 'sub_d'),
      topUp(7, 'cs_1'),
    ],
    end: {
      subscriptionId: 'sub_c',
      subscriptionStatus: 'unpaid',
      tier: 'studio',
      monthlyCharLimit: 5_000_000,
      subscriptionEventAt: at(3),
      topUpPurchased: 1_000_000,
    },
    opens: [],
  },
];
