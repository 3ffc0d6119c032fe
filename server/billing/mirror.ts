import type { BillingAccount } from './account.ts';
import type { PaymentEvent, SubscriptionEvent, SubscriptionSession, TopUpPayment } from './payment-event.ts';
import { standingOf } from './subscription-status.ts';
import { includedChars, type TierPrices, tierOfPrices } from './tiers.ts';

/** Ended subscriptions that are remembered: the processor retries for days, not for so many subscriptions. */
const endedRemembered = 50;

/** Stands for a subscription whose session did not name it. */
const unnamed = '(unnamed)';

/**
 * What a tenant's account is after an event (A 3.1, A 6). Events may come twice and in any order: what came before stays
 * true of the account, and the same account comes back where an event has nothing to say to it.
 */
export function mirrorEvent(
  account: BillingAccount,
  event: PaymentEvent,
  prices: TierPrices,
): BillingAccount {
  switch (event.kind) {
    case 'subscription_session':
      return mirrorSession(account, event);
    case 'subscription_changed':
      return standingOf(event.status) === 'ended'
        ? mirrorEnd(account, event)
        : mirrorChange(account, event, prices);
    case 'subscription_deleted':
      return mirrorEnd(account, { ...event, status: 'canceled' });
    case 'topup_paid':
      return creditTopUp(account, event);
  }
}

/** A completed checkout: the tenant has subscribed. Which tier it bought, the subscription's own events tell. */
function mirrorSession(account: BillingAccount, session: SubscriptionSession): BillingAccount {
  const id = session.subscriptionId ?? account.subscriptionId;
  if (hasEnded(account, id)) return account;
  // A session that comes late does not undo what the subscription itself has told since.
  const told = id === account.subscriptionId && isOlder(session.createdAt, account.subscriptionEventAt);
  if (told && !isBeforePayment(account.subscriptionStatus)) return account;
  return opened({ ...account, subscriptionId: id, subscriptionStatus: 'active' }, session.createdAt);
}

/** A subscription as it stands now: its status, and the tier of its Price. */
function mirrorChange(account: BillingAccount, event: SubscriptionEvent, prices: TierPrices): BillingAccount {
  const { subscriptionId: id, status, createdAt } = event;
  if (hasEnded(account, id)) return account;
  const same = id === account.subscriptionId;
  const mirrored = standingOf(account.subscriptionStatus);
  // An ended one's last event says nothing about how new the next subscription's are.
  if ((same || mirrored !== 'ended') && isOlder(createdAt, account.subscriptionEventAt)) return account;
  if (isBeforePayment(status) && isPastPayment(account, same)) return account;
  // Of two live subscriptions the one that pays for the plan is mirrored.
  if (!same && mirrored === 'current' && standingOf(status) !== 'current') return account;

  const mirror = {
    ...account,
    subscriptionId: id,
    subscriptionStatus: status,
    subscriptionEventAt: createdAt,
  };
  return tiered(opened(mirror, createdAt), event, prices);
}

/** The end of a subscription, which is final for its id. The allowance stays as it was. */
function mirrorEnd(account: BillingAccount, event: SubscriptionEvent): BillingAccount {
  const { subscriptionId: id, status, createdAt } = event;
  if (hasEnded(account, id)) return account;
  const noted = {
    ...account,
    endedSubscriptions: [...account.endedSubscriptions, id].slice(-endedRemembered),
  };
  const standing = standingOf(account.subscriptionStatus);
  const another = account.subscriptionId !== null && account.subscriptionId !== id;
  if (another && (standing === 'current' || standing === 'lapsed')) return noted;
  return {
    ...noted,
    subscriptionId: id,
    subscriptionStatus: status,
    subscriptionEventAt: isOlder(createdAt, account.subscriptionEventAt)
      ? account.subscriptionEventAt
      : createdAt,
  };
}

/** Opens the allowance window of a subscription that is current for the first time. */
function opened(account: BillingAccount, at: string): BillingAccount {
  const { subscriptionId, allowanceFrom, allowanceSubscription: opener } = account;
  const id = subscriptionId ?? unnamed;
  if (standingOf(account.subscriptionStatus) !== 'current') return account;
  if (allowanceFrom !== null && id === opener) return account;
  if (allowanceFrom !== null && opener === unnamed) return { ...account, allowanceSubscription: id };
  return { ...account, allowanceFrom: at, allowanceSubscription: id };
}

/** Writes what the tier of the event's Price includes; another tier within one subscription restarts its window. */
function tiered(account: BillingAccount, event: SubscriptionEvent, prices: TierPrices): BillingAccount {
  const tier = tierOfPrices(event.priceIds, prices);
  if (!tier) return account;
  const { subscriptionId: id } = account;
  const changed = account.tierSubscription === id && account.tier !== tier;
  const restarts = changed && account.allowanceSubscription === id;
  return {
    ...account,
    tier,
    tierSubscription: id,
    monthlyCharLimit: includedChars[tier],
    ...(restarts && { allowanceFrom: event.createdAt }),
  };
}

function creditTopUp(account: BillingAccount, { sessionId, chars }: TopUpPayment): BillingAccount {
  if (account.creditedSessions.includes(sessionId)) return account;
  return {
    ...account,
    topUpPurchased: account.topUpPurchased + chars,
    creditedSessions: [...account.creditedSessions, sessionId],
  };
}

function hasEnded(account: BillingAccount, id: string | null): boolean {
  if (id === account.subscriptionId && standingOf(account.subscriptionStatus) === 'ended') return true;
  return id !== null && account.endedSubscriptions.includes(id);
}

/** The status of a subscription whose first payment has not come. */
function isBeforePayment(status: string | null): boolean {
  return status === null || status === 'incomplete';
}

/** Whether the account shows more than an unpaid beginning: of this subscription, or of one that is live. */
function isPastPayment({ subscriptionStatus: status }: BillingAccount, same: boolean): boolean {
  if (isBeforePayment(status)) return false;
  return same || standingOf(status) !== 'ended';
}

function isOlder(at: string, newest: string | null): boolean {
  return newest !== null && Date.parse(at) < Date.parse(newest);
}
