import type { BillingAccount, KnownSubscription } from './account.ts';
import type { SubscriptionEvent, SubscriptionSession } from './payment-event.ts';
import { standingOf } from './subscription-status.ts';
import { type TierPrices, tierOfPrices } from './tiers.ts';

/** Subscriptions that are remembered: the processor retries for days, not for so many subscriptions. */
const remembered = 100;

/**
 * The subscriptions that an account knows of. One that an operator wrote by hand, or that was mirrored before they were
 * listed, is among them.
 */
export function knownSubscriptions(account: BillingAccount): readonly KnownSubscription[] {
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
export function hearOfSubscription(
  known: readonly KnownSubscription[],
  mirroredId: string | null,
  event: SubscriptionEvent | SubscriptionSession,
  prices: TierPrices,
): readonly KnownSubscription[] {
  const before = knownOf(known, mirroredId, event);
  if (before && standingOf(before.status) === 'ended') return known;
  const told = event.kind === 'subscription_session' ? paid(before, event) : changed(before, event, prices);
  const after = windowed(before, told, known, event.createdAt);
  if (before && isSame(before, after)) return known;
  // The last told of stands last.
  return inOrder([...known.filter((one) => one !== before), after])
    .slice(0, remembered)
    .toReversed();
}

/**
 * Which of several is mirrored: one that is current goes before one that is not, one that is live before one that has
 * ended, an unpaid beginning behind whatever is past that (A 3.1); of equals the one last told of.
 */
export function mirroredOf(known: readonly KnownSubscription[]): KnownSubscription | undefined {
  return inOrder(known)[0];
}

/** The mirrored one first; of those that are told of at one time the later in the list. */
function inOrder(known: readonly KnownSubscription[]): KnownSubscription[] {
  return known
    .toReversed()
    .toSorted((a, b) => rank(b.status) - rank(a.status) || millis(b.toldAt) - millis(a.toldAt));
}

function rank(status: string): number {
  const standing = standingOf(status);
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
  return known.find((one) => one.id === null && standingOf(one.status) !== 'ended');
}

/** After a completed checkout session: the tenant has subscribed. Which tier it bought, its own events tell. */
function paid(
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
function changed(
  before: KnownSubscription | undefined,
  event: SubscriptionEvent,
  prices: TierPrices,
): KnownSubscription {
  const { subscriptionId: id, createdAt } = event;
  const status = event.kind === 'subscription_deleted' ? 'canceled' : event.status;
  const ends = standingOf(status) === 'ended';
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
function windowed(
  before: KnownSubscription | undefined,
  after: KnownSubscription,
  known: readonly KnownSubscription[],
  at: string,
): KnownSubscription {
  const opens = after.windowFrom === null && standingOf(after.status) === 'current';
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
