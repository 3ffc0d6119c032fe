import type { BillingAccount, KnownSubscription } from './account.ts';
import type { PaymentEvent, SubscriptionEvent, SubscriptionSession, TopUpPayment } from './payment-event.ts';
import { subscriptionStateOf } from './subscription-state.ts';
import { includedChars, isTier, type TierPrices, tierOfPrices } from './tiers.ts';

/**
 * What a tenant's account is after an event (A 3.1, A 6). Events may come twice and in any order: each adds what it tells
 * to what is known of its subscription, and of all that are known one is mirrored. The same account comes back where an
 * event has nothing to say to it.
 */
export function applyPaymentEvent(
  account: BillingAccount,
  event: PaymentEvent,
  prices: TierPrices,
): BillingAccount {
  if (event.kind === 'topup_paid') return creditTopUp(account, event);
  const before = knownSubscriptions(account);
  const after = applySubscriptionEvent(before, account.subscriptionId, event, prices);
  const mirrored = effectiveSubscription(after);
  if (after === before || !mirrored) return account;
  // What a Price includes is written when its subscription tells of it, or is mirrored in another's place.
  const told =
    event.kind === 'subscription_changed' &&
    event.subscriptionId === mirrored.id &&
    tierOfPrices(event.priceIds, prices) !== undefined;
  const switched = mirrored.id !== account.subscriptionId;
  return {
    ...withSubscription({ ...account, subscriptions: after }, mirrored),
    ...((told || switched) && included(mirrored)),
  };
}

/** Shows a subscription, and counts from when its own window began. */
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

/** What the tier of a live subscription includes; the end of one leaves the allowance as it was. */
function included({ tier, status }: KnownSubscription): Partial<BillingAccount> {
  if (tier === null || !isTier(tier) || subscriptionStateOf(status) === 'ended') return {};
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

/** Subscriptions that are remembered: the processor retries for days, not for so many subscriptions. */
const remembered = 100;

/**
 * The subscriptions that an account knows of. One that an operator wrote by hand, or that was mirrored before they were
 * listed, is among them.
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
 * What is known after an event about one of the subscriptions; the same list where it tells nothing new. Of each the newest
 * event counts, whichever comes first, and its end is final.
 */
function applySubscriptionEvent(
  known: readonly KnownSubscription[],
  mirroredId: string | null,
  event: SubscriptionEvent | SubscriptionSession,
  prices: TierPrices,
): readonly KnownSubscription[] {
  const before = knownOf(known, mirroredId, event);
  if (before && subscriptionStateOf(before.status) === 'ended') return known;
  const told =
    event.kind === 'subscription_session'
      ? afterSession(before, event)
      : afterSubscriptionEvent(before, event, prices);
  const after = withAllowanceWindow(before, told, known, event.createdAt);
  if (before && isSame(before, after)) return known;
  // The last told of stands last.
  return byPrecedence([...known.filter((one) => one !== before), after])
    .slice(0, remembered)
    .toReversed();
}

/**
 * Which of several is mirrored: one that is current goes before one that is not, one that is live before one that has
 * ended, an unpaid beginning behind whatever is past that (A 3.1); of equals the one last told of.
 */
function effectiveSubscription(known: readonly KnownSubscription[]): KnownSubscription | undefined {
  return byPrecedence(known)[0];
}

/** The mirrored one first; of those that are told of at one time the later in the list. */
function byPrecedence(known: readonly KnownSubscription[]): KnownSubscription[] {
  return known
    .toReversed()
    .toSorted((a, b) => rank(b.status) - rank(a.status) || millis(b.toldAt) - millis(a.toldAt));
}

function rank(status: string): number {
  const standing = subscriptionStateOf(status);
  if (standing === 'current') return 3;
  if (standing === 'ended') return 0;
  return status === 'incomplete' ? 1 : 2;
}

/** Whose event it is. A session that names none is the mirrored one's; what it began is named by the next event. */
function knownOf(
  known: readonly KnownSubscription[],
  mirroredId: string | null,
  { subscriptionId: id }: SubscriptionEvent | SubscriptionSession,
): KnownSubscription | undefined {
  const own = known.find((one) => one.id === (id ?? mirroredId));
  if (own || id === null) return own;
  return known.find((one) => one.id === null && subscriptionStateOf(one.status) !== 'ended');
}

/** After a completed checkout session: the tenant has subscribed. Which tier it bought, its own events tell. */
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
  // A session that comes late does not undo what the subscription has told since.
  const late = isOlder(createdAt, before.eventAt) && before.status !== 'incomplete';
  return late ? named : { ...named, status: 'active', toldAt: newer(before.toldAt, createdAt) };
}

/** After an event of its own: the status that it carries, and the tier of its Price. */
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
  const told = {
    ...before,
    id,
    toldAt: newer(before.toldAt, createdAt),
    eventAt: newer(before.eventAt, createdAt),
  };
  if (ends) return { ...told, status };
  if (isOlder(createdAt, before.eventAt)) return before;
  const tier = tierOfPrices(event.priceIds, prices) ?? before.tier;
  // An unpaid beginning that comes late says nothing of where the subscription is by now.
  return { ...told, tier, status: status === 'incomplete' ? before.status : status };
}

/** Opens the window of what is current for the first time; another tier of the same subscription restarts it. */
function withAllowanceWindow(
  before: KnownSubscription | undefined,
  after: KnownSubscription,
  known: readonly KnownSubscription[],
  at: string,
): KnownSubscription {
  const opens = after.windowFrom === null && subscriptionStateOf(after.status) === 'current';
  const anotherTier = before !== undefined && before.tier !== null && before.tier !== after.tier;
  const restarts = after.windowFrom !== null && anotherTier;
  return opens || restarts ? { ...after, windowFrom: unusedMoment(at, known) } : after;
}

/** The moment itself, or the first millisecond behind it that no window begins at: usage is counted by it. */
function unusedMoment(at: string, known: readonly KnownSubscription[]): string {
  const used = new Set(known.map(({ windowFrom }) => windowFrom));
  let moment = at;
  while (used.has(moment)) moment = new Date(millis(moment) + 1).toISOString();
  return moment;
}

function isSame(one: KnownSubscription, other: KnownSubscription): boolean {
  const fields = Object.keys(one) as (keyof KnownSubscription)[];
  return fields.every((field) => one[field] === other[field]);
}

function isOlder(at: string, newest: string | null): boolean {
  return newest !== null && millis(at) < millis(newest);
}

function newer(known: string | null, at: string): string {
  return known === null || isOlder(known, at) ? at : known;
}

function millis(at: string): number {
  return Date.parse(at);
}
