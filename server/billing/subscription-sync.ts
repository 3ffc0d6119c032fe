import type {
  PaymentEvent,
  SubscriptionEvent,
  SubscriptionSession,
  TopUpPayment,
} from '#server/platform/payments/payment-event.ts';
import { type TierPrices, tierOfPrices } from '#server/platform/payments/tiers.ts';
import type { BillingAccount, KnownSubscription } from './account.ts';
import { subscriptionStateOf } from './subscription-state.ts';
import { allowanceOfTier, withAllowanceWindow } from './tier-change.ts';

/**
 * A tenant's billing account after a payment event. Events may come late, twice and in any order: each updates the
 * data of its own subscription, and one of all known subscriptions counts. Returns the same object if the event
 * changes nothing.
 */
export function applyPaymentEvent(
  account: BillingAccount,
  event: PaymentEvent,
  prices: TierPrices,
): BillingAccount {
  if (event.kind === 'topup_paid') return creditTopUp(account, event);
  const before = knownSubscriptions(account);
  const after = applySubscriptionEvent(before, account.subscriptionId, event, prices);
  const effective = effectiveSubscription(after);
  if (after === before || !effective) return account;
  // The tier's allowance is written when the effective subscription's own event names its Price, or when another
  // subscription becomes the effective one.
  const pricesTier =
    event.kind === 'subscription_changed' &&
    event.subscriptionId === effective.id &&
    tierOfPrices(event.priceIds, prices) !== undefined;
  const switched = effective.id !== account.subscriptionId;
  return {
    ...withSubscription({ ...account, subscriptions: after }, effective),
    ...((pricesTier || switched) && allowanceOfTier(effective)),
  };
}

/** Writes the effective subscription's fields into the account, with its allowance window. */
function withSubscription(
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

/** Adds the paid characters, once for each checkout session. */
function creditTopUp(account: BillingAccount, { sessionId, chars }: TopUpPayment): BillingAccount {
  if (account.creditedSessions.includes(sessionId)) return account;
  return {
    ...account,
    topUpPurchased: account.topUpPurchased + chars,
    creditedSessions: [...account.creditedSessions, sessionId],
  };
}

/** Subscriptions that an account keeps: far more than the processor sends events about while it retries. */
const keptSubscriptions = 100;

/**
 * The subscriptions of an account. Includes the account's own if it is not listed, because an operator wrote it by hand or
 * because it is older than the list.
 */
function knownSubscriptions(account: BillingAccount): readonly KnownSubscription[] {
  const { subscriptions, subscriptionId: id, subscriptionStatus: status } = account;
  if (status === null || subscriptions.some((known) => known.id === id)) return subscriptions;
  const eventAt = account.subscriptionEventAt;
  const windowFrom = account.allowanceSubscription === id ? account.allowanceFrom : null;
  const toldAt = eventAt ?? windowFrom ?? new Date(0).toISOString();
  return [...subscriptions, { id, status, toldAt, eventAt, tier: account.tier, windowFrom }];
}

/**
 * The known subscriptions after an event about one of them; the same list if the event brings nothing new. Of each
 * subscription, the latest event counts, in whichever order they come, and its end is final.
 */
function applySubscriptionEvent(
  known: readonly KnownSubscription[],
  effectiveId: string | null,
  event: SubscriptionEvent | SubscriptionSession,
  prices: TierPrices,
): readonly KnownSubscription[] {
  const before = subscriptionOf(known, effectiveId, event);
  if (before && subscriptionStateOf(before.status) === 'ended') return known;
  const updated =
    event.kind === 'subscription_session'
      ? afterSession(before, event)
      : afterSubscriptionEvent(before, event, prices);
  const after = withAllowanceWindow(before, updated, known, event.createdAt);
  if (before && isSame(before, after)) return known;
  // The list ends with the subscription of the latest event: `byPrecedence` decides ties by that.
  return byPrecedence([...known.filter((one) => one !== before), after])
    .slice(0, keptSubscriptions)
    .toReversed();
}

/**
 * The subscription that counts for the tenant: a current one before one that is not, a live one before one that has ended,
 * and `incomplete` behind every other live status. Among equals, the one with the latest event.
 */
function effectiveSubscription(known: readonly KnownSubscription[]): KnownSubscription | undefined {
  return byPrecedence(known)[0];
}

/** The effective one first. If the latest events are of the same moment, the later in the list comes first. */
function byPrecedence(known: readonly KnownSubscription[]): KnownSubscription[] {
  return known
    .toReversed()
    .toSorted((a, b) => rank(b.status) - rank(a.status) || millis(b.toldAt) - millis(a.toldAt));
}

function rank(status: string): number {
  const state = subscriptionStateOf(status);
  if (state === 'current') return 3;
  if (state === 'ended') return 0;
  return status === 'incomplete' ? 1 : 2;
}

/**
 * The known subscription that an event is about. A session without a subscription id is about the effective one; the
 * next event sets the id of the subscription that the session began.
 */
function subscriptionOf(
  known: readonly KnownSubscription[],
  effectiveId: string | null,
  { subscriptionId: id }: SubscriptionEvent | SubscriptionSession,
): KnownSubscription | undefined {
  const own = known.find((one) => one.id === (id ?? effectiveId));
  if (own || id === null) return own;
  return known.find((one) => one.id === null && subscriptionStateOf(one.status) !== 'ended');
}

/** After a completed checkout session the subscription is active. Its tier comes with its own events. */
function afterSession(
  before: KnownSubscription | undefined,
  { subscriptionId, createdAt }: SubscriptionSession,
): KnownSubscription {
  if (!before)
    return {
      id: subscriptionId,
      status: 'active',
      toldAt: createdAt,
      eventAt: null,
      tier: null,
      windowFrom: null,
    };
  const named = { ...before, id: subscriptionId ?? before.id };
  // A session that comes late does not undo a later event of the subscription.
  const late = isOlder(createdAt, before.eventAt) && before.status !== 'incomplete';
  return late ? named : { ...named, status: 'active', toldAt: newer(before.toldAt, createdAt) };
}

/** After one of its own events, a subscription has the event's status and the tier of its Price. */
function afterSubscriptionEvent(
  before: KnownSubscription | undefined,
  event: SubscriptionEvent,
  prices: TierPrices,
): KnownSubscription {
  const { subscriptionId: id, createdAt } = event;
  const status = event.kind === 'subscription_deleted' ? 'canceled' : event.status;
  const ends = subscriptionStateOf(status) === 'ended';
  if (!before)
    return {
      id,
      status,
      toldAt: createdAt,
      eventAt: createdAt,
      tier: ends ? null : (tierOfPrices(event.priceIds, prices) ?? null),
      windowFrom: null,
    };
  const dated = {
    ...before,
    id,
    toldAt: newer(before.toldAt, createdAt),
    eventAt: newer(before.eventAt, createdAt),
  };
  if (ends) return { ...dated, status };
  if (isOlder(createdAt, before.eventAt)) return before;
  const tier = tierOfPrices(event.priceIds, prices) ?? before.tier;
  // `incomplete` is a subscription's first status: if it comes late, it is not the current one.
  return { ...dated, tier, status: status === 'incomplete' ? before.status : status };
}

function isSame(one: KnownSubscription, other: KnownSubscription): boolean {
  const fields = Object.keys(one) as (keyof KnownSubscription)[];
  return fields.every((field) => one[field] === other[field]);
}

function isOlder(at: string, latest: string | null): boolean {
  return latest !== null && millis(at) < millis(latest);
}

function newer(known: string | null, at: string): string {
  return known === null || isOlder(known, at) ? at : known;
}

function millis(at: string): number {
  return Date.parse(at);
}
