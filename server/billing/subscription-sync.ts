import type {
  PaymentEvent,
  SubscriptionEvent,
  SubscriptionSession,
  TopUpPayment,
} from '#server/platform/payments/processor.ts';
import { includedChars, isTier, type TierPrices, tierOfPrices } from '#server/platform/payments/tiers.ts';
import type { BillingAccount, KnownSubscription } from './account.ts';
import { subscriptionStateOf } from './account.ts';

/**
 * Returns a tenant's billing account after a payment event. Events may come late, twice and in any order: each updates
 * the data of the subscription that it belongs to, and then the subscription that counts is selected from all known
 * ones. Returns the same object if the event changes nothing.
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
  // The tier's allowance is written if the event belongs to the effective subscription and contains its Price, or if
  // another subscription becomes the effective one.
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

/** Returns the account with the fields and the allowance window of the effective subscription. */
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

/**
 * Number of subscriptions that an account keeps. The processor sends events about far fewer during the time in which it
 * retries deliveries.
 */
const keptSubscriptions = 100;

/**
 * The subscriptions of an account. Includes the account's effective subscription even if the list lacks it, because an
 * operator wrote it by hand or because it is older than the list.
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
 * The known subscriptions after an event about one of them; the same list if the event has no new data. For each
 * subscription, the event that was created last counts, in whatever order events arrive. A subscription that has ended
 * does not change again.
 */
function applySubscriptionEvent(
  known: readonly KnownSubscription[],
  effectiveId: string | null,
  event: SubscriptionEvent | SubscriptionSession,
  prices: TierPrices,
): readonly KnownSubscription[] {
  const before = subscriptionOf(known, effectiveId, event);
  if (before && (subscriptionStateOf(before.status) === 'ended' || isOutdated(event, before))) return known;
  const updated =
    event.kind === 'subscription_session'
      ? afterSession(before, event)
      : afterSubscriptionEvent(before, event, prices);
  const after = withAllowanceWindow(before, updated, known, event.createdAt);
  if (before && isSame(before, after)) return known;
  // The subscription of the latest event comes last in the list: `byPrecedence` uses this if two are equal.
  return byPrecedence([...known.filter((one) => one !== before), after])
    .slice(0, keptSubscriptions)
    .toReversed();
}

/**
 * The subscription that counts for the tenant. Current ones come first, then live ones, then `incomplete` ones, then
 * ended ones. Of several in the same group, the one with the latest event counts.
 */
function effectiveSubscription(known: readonly KnownSubscription[]): KnownSubscription | undefined {
  return byPrecedence(known)[0];
}

/**
 * Sorts by precedence; the effective subscription comes first. If two have their latest events at the same moment, the
 * later one in the list comes first.
 */
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
 * The known subscription that an event is about. A session without a subscription id is about the effective
 * subscription; the subscription's next event then sets its id.
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

/**
 * The subscription's data after a completed checkout session: it is active. The tier comes with the subscription's own
 * events.
 */
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
  return {
    ...before,
    id: subscriptionId ?? before.id,
    status: 'active',
    toldAt: newer(before.toldAt, createdAt),
  };
}

/**
 * The subscription's data after an event about the subscription: the status of the event, and the tier of the event's
 * Price.
 */
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
  const tier = tierOfPrices(event.priceIds, prices) ?? before.tier;
  // `incomplete` is the first status of a subscription: an event with this status that arrives late does not replace
  // the current status.
  return { ...dated, tier, status: status === 'incomplete' ? before.status : status };
}

/**
 * The order of events: an event that is older than the latest one of its subscription has no effect, whatever
 * its status is. Two facts count at any time: the subscription was deleted, and its checkout was completed while it is
 * still `incomplete`.
 */
function isOutdated(
  event: SubscriptionEvent | SubscriptionSession,
  { status, eventAt }: KnownSubscription,
): boolean {
  if (event.kind === 'subscription_deleted') return false;
  if (event.kind === 'subscription_session' && status === 'incomplete') return false;
  return isOlder(event.createdAt, eventAt);
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

/**
 * The fields of the account that a subscription's tier sets: the tier and its characters a month. Empty for an ended
 * subscription: the tenant keeps its previous allowance.
 */
function allowanceOfTier({ tier, status }: KnownSubscription): Partial<BillingAccount> {
  if (tier === null || !isTier(tier) || subscriptionStateOf(status) === 'ended') return {};
  return { tier, monthlyCharLimit: includedChars[tier] };
}

/**
 * Sets when a subscription's allowance window begins: at the event that makes the subscription current for the first
 * time, and again at each event that changes its tier. So after an upgrade, usage immediately counts from 0.
 * @param at the event's creation time, ISO 8601
 */
function withAllowanceWindow(
  before: KnownSubscription | undefined,
  after: KnownSubscription,
  known: readonly KnownSubscription[],
  at: string,
): KnownSubscription {
  const opens = after.windowFrom === null && subscriptionStateOf(after.status) === 'current';
  const tierChanged = before !== undefined && before.tier !== null && before.tier !== after.tier;
  const restarts = after.windowFrom !== null && tierChanged;
  return opens || restarts ? { ...after, windowFrom: unusedMoment(at, known) } : after;
}

/**
 * `at`, or the first millisecond after it at which no other window begins. The moment must be unique, because usage
 * totals are keyed by it.
 */
function unusedMoment(at: string, known: readonly KnownSubscription[]): string {
  const used = new Set(known.map(({ windowFrom }) => windowFrom));
  let moment = at;
  while (used.has(moment)) moment = new Date(Date.parse(moment) + 1).toISOString();
  return moment;
}
