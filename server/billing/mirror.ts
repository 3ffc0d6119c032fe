import type { BillingAccount, KnownSubscription } from './account.ts';
import type { PaymentEvent, TopUpPayment } from './payment-event.ts';
import { standingOf } from './subscription-status.ts';
import { hearOfSubscription, knownSubscriptions, mirroredOf } from './subscriptions.ts';
import { includedChars, isTier, type TierPrices, tierOfPrices } from './tiers.ts';

/**
 * What a tenant's account is after an event (A 3.1, A 6). Events may come twice and in any order: each adds what it tells
 * to what is known of its subscription, and of all that are known one is mirrored. The same account comes back where an
 * event has nothing to say to it.
 */
export function mirrorEvent(
  account: BillingAccount,
  event: PaymentEvent,
  prices: TierPrices,
): BillingAccount {
  if (event.kind === 'topup_paid') return creditTopUp(account, event);
  const before = knownSubscriptions(account);
  const after = hearOfSubscription(before, account.subscriptionId, event, prices);
  const mirrored = mirroredOf(after);
  if (after === before || !mirrored) return account;
  // What a Price includes is written when its subscription tells of it, or is mirrored in another's place.
  const told =
    event.kind === 'subscription_changed' &&
    event.subscriptionId === mirrored.id &&
    tierOfPrices(event.priceIds, prices) !== undefined;
  const switched = mirrored.id !== account.subscriptionId;
  return {
    ...mirror({ ...account, subscriptions: after }, mirrored),
    ...((told || switched) && included(mirrored)),
  };
}

/** Shows a subscription, and counts from when its own window began. */
function mirror(
  account: BillingAccount,
  { id, status, eventAt, windowFrom }: KnownSubscription,
): BillingAccount {
  return {
    ...account,
    subscriptionId: id,
    subscriptionStatus: status,
    subscriptionEventAt: eventAt,
    ...(windowFrom !== null && { allowanceFrom: windowFrom, allowanceSubscription: id }),
  };
}

/** What the tier of a live subscription includes; the end of one leaves the allowance as it was. */
function included({ tier, status }: KnownSubscription): Partial<BillingAccount> {
  if (tier === null || !isTier(tier) || standingOf(status) === 'ended') return {};
  return { tier, monthlyCharLimit: includedChars[tier] };
}

function creditTopUp(account: BillingAccount, { sessionId, chars }: TopUpPayment): BillingAccount {
  if (account.creditedSessions.includes(sessionId)) return account;
  return {
    ...account,
    topUpPurchased: account.topUpPurchased + chars,
    creditedSessions: [...account.creditedSessions, sessionId],
  };
}
