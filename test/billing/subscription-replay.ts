import { isDeepStrictEqual } from 'node:util';
import type { BillingAccount } from '#server/billing/account.ts';
import { applyPaymentEvent } from '#server/billing/subscription-sync.ts';
import type { PaymentEvent, TopUpPayment } from '#server/platform/payments/payment-event.ts';
import { includedChars, isTier, tierOfPrices } from '#server/platform/payments/tiers.ts';
import { emptyAccount, prices } from './subscription-scenarios.ts';
import {
  isCurrent,
  isEnded,
  isLive,
  type Known,
  type Next,
  preferences,
  rowFor,
} from './subscription-table.ts';

/** What the events so far have done, recorded independently of the code under test and of the ledger. */
const newWatch = (start: BillingAccount) => ({
  /** Subscriptions whose end was delivered, by any event. */
  ended: new Set<string>(),
  /** Subscription → how often its window was seen to begin anew. */
  opened: new Map<string, number>(),
  /** Subscription → the windows that were seen of it. */
  windowsOf: new Map<string, Set<string>>(),
  /** Subscription → the sold tiers that its events carried. */
  tiersOf: new Map([[start.subscriptionId ?? '', new Set(start.tier === null ? [] : [start.tier])]]),
  /** Subscription → pay_subscription_event_at as it was last shown. */
  eventAtOf: new Map<string, string>(),
  /** Checkout session → characters, by its first event. */
  paidSessions: new Map<string, number>(),
});
type Watch = ReturnType<typeof newWatch>;

interface Walk {
  end: BillingAccount;
  opened: ReadonlyMap<string, number>;
  /** The rule that was broken first, with the events up to it; null if none was. */
  broken: string | null;
}

/** Applies the events one by one and checks each step against the table and the invariants. */
export function walk(events: readonly PaymentEvent[], start = emptyAccount): Walk {
  const watch = newWatch(start);
  let broken: string | null = null;
  let account = frozen(start);
  const begun = ledgerOf(start);
  let ledger = begun;
  events.forEach((event, position) => {
    const { row, allowed } = outcomesOf(account, ledger, event);
    const after = frozen(applyPaymentEvent(account, event, prices));
    const different = (each: Outcome) => [...differs(each, after, each.ledger === begun)];
    const outcome = allowed.find((each) => different(each).length === 0) ?? allowed[0]!;
    remember(event, watch);
    const step = { before: account, after, event, ledger, outcome, watch, start };
    const found = [...different(outcome), ...checkSame(step), ...checkShown(step), ...checkRest(step)];
    if (found.length > 0 && broken === null) {
      const path = events
        .slice(0, position + 1)
        .map(describeEvent)
        .join('\n  ');
      const shown = (of: BillingAccount) => JSON.stringify(of);
      broken = `${found.join('\n')}\nrow: ${row.rule}\nbefore ${shown(account)}\nafter  ${shown(after)}\nevents:\n  ${path}`;
    }
    account = after;
    ledger = outcome.ledger;
  });
  return { end: account, opened: watch.opened, broken };
}

interface Step {
  before: BillingAccount;
  after: BillingAccount;
  event: PaymentEvent;
  /** Before the event. */
  ledger: Ledger;
  outcome: Outcome;
  watch: Watch;
  start: BillingAccount;
}

/** Differences from the table: in the fields of A 2.1, and in each remembered subscription. */
function* differs({ ledger, shown }: Outcome, after: BillingAccount, begun: boolean): Iterable<string> {
  for (const field of shownFields) {
    if (after[field] !== shown[field]) yield `${field}: expected ${shown[field]}, got ${after[field]}`;
  }
  // Flat fields that an operator wrote need not be listed before there is an event.
  if (begun && after.subscriptions.length === 0) return;
  const ids = after.subscriptions.map(({ id }) => id);
  if (new Set(ids).size !== ids.length || ids.length !== ledger.known.length)
    yield `remembered: expected ${ledger.known.map(({ id }) => id)}, got ${ids}`;
  for (const known of ledger.known) {
    const got = after.subscriptions.find(({ id }) => id === known.id);
    for (const field of remembered(known)) {
      if (got?.[field] !== known[field])
        yield `${known.id}, ${field}: expected ${known[field]}, got ${got?.[field]}`;
    }
  }
}

/** The tier of one that has ended is never shown again. */
const remembered = ({ status }: Known): (keyof Known)[] =>
  isEnded(status)
    ? ['status', 'toldAt', 'eventAt', 'windowFrom']
    : ['status', 'toldAt', 'eventAt', 'windowFrom', 'tier'];

/** If nothing changes, the same object is returned, so that nothing is written. */
function* checkSame({ before, after, event, ledger, outcome }: Step): Iterable<string> {
  const tellsNothing = outcome.ledger === ledger && isDeepStrictEqual(outcome.shown, shownOf(before));
  const credited = event.kind === 'topup_paid' && before.creditedSessions.includes(event.sessionId);
  const nothingNew = event.kind === 'topup_paid' ? credited : tellsNothing;
  if (nothingNew && after !== before) yield 'nothing changes, and another object comes back';
  if (!nothingNew && after === before) yield 'the same object comes back, though something changes';
  if (after !== before && isDeepStrictEqual(after, before))
    yield 'another object comes back, of the same content';
  if (applyPaymentEvent(after, event, prices) !== after) yield 'redelivery at once changes something';
}

/** Invariants of the shown fields, independent of the ledger. */
function* checkShown({ before, after, event, watch }: Step): Iterable<string> {
  const id = after.subscriptionId ?? '';
  const was = before.subscriptionId;
  if (watch.ended.has(id) && isLive(after.subscriptionStatus))
    yield `${id} has ended and is recorded live again`;
  const lockedOut = isCurrent(before.subscriptionStatus) && !isCurrent(after.subscriptionStatus);
  if (lockedOut && was !== null && was !== id && !watch.ended.has(was) && !isLapsing(event, was))
    yield 'a tenant that pays is locked out';
  const tier = after.tier;
  const limitMoves = after.monthlyCharLimit !== before.monthlyCharLimit;
  if (limitMoves || tier !== before.tier) {
    if (tier === null || !watch.tiersOf.get(id)?.has(tier))
      yield 'a tier that no event of the recorded one carried';
    if (
      Object.entries(includedChars).every(
        ([slug, chars]) => slug !== tier || chars !== after.monthlyCharLimit,
      )
    )
      yield "monthly_char_limit is not the tier's";
    if (!isLive(after.subscriptionStatus)) yield 'an end wrote the allowance';
  }
  const eventAt = after.subscriptionEventAt ?? '';
  if (eventAt < (watch.eventAtOf.get(id) ?? '')) yield 'pay_subscription_event_at goes backwards';
  watch.eventAtOf.set(id, eventAt);
  yield* checkWindow(before, after, watch);
}

const isLapsing = (event: PaymentEvent, id: string) =>
  event.kind === 'subscription_changed' && event.subscriptionId === id && !isCurrent(event.status);

/** "A subscription opens its window once"; "a tier change restarts the allowance window". */
function* checkWindow(before: BillingAccount, after: BillingAccount, watch: Watch): Iterable<string> {
  const id = after.allowanceSubscription ?? '';
  if (isCurrent(after.subscriptionStatus) && id !== (after.subscriptionId ?? ''))
    yield 'current under the window of another subscription';
  if (isCurrent(after.subscriptionStatus) && after.allowanceFrom === null)
    yield 'current, and without a window';
  const moved = id !== (before.allowanceSubscription ?? '') || after.allowanceFrom !== before.allowanceFrom;
  if (after.allowanceFrom === null || !moved) return;
  const windows = watch.windowsOf.get(id) ?? new Set();
  watch.windowsOf.set(id, windows.add(after.allowanceFrom));
  watch.opened.set(id, windows.size);
  // Windows that opened and restarted while another subscription was recorded are not seen: no more than tier changes.
  if (windows.size > 1 && (watch.tiersOf.get(id)?.size ?? 0) < 2) yield `window of ${id} opened again`;
}

function* checkRest({ before, after, event, watch, start }: Step): Iterable<string> {
  const sum = [...watch.paidSessions.values()].reduce((total, chars) => total + chars, start.topUpPurchased);
  if (after.topUpPurchased !== sum) yield `topup_chars_purchased: expected ${sum}`;
  if ([...watch.paidSessions.keys()].some((session) => !after.creditedSessions.includes(session)))
    yield 'credited session lost';
  for (const field of ['topUpUsed', 'customerId', 'trialCharsGranted'] as const) {
    if (after[field] !== start[field]) yield `${field} written`;
  }
  if (event.kind === 'topup_paid' && !isDeepStrictEqual(shownOf(before), shownOf(after)))
    yield 'a top-up wrote the subscription';
}

function remember(event: PaymentEvent, watch: Watch) {
  if (event.kind === 'topup_paid') {
    if (!watch.paidSessions.has(event.sessionId)) watch.paidSessions.set(event.sessionId, event.chars);
    return;
  }
  if (event.kind === 'subscription_session') return;
  const id = event.subscriptionId;
  if (event.kind === 'subscription_deleted' || isEnded(event.status)) watch.ended.add(id);
  const tier = tierOfPrices(event.priceIds, prices);
  if (tier) watch.tiersOf.set(id, (watch.tiersOf.get(id) ?? new Set()).add(tier));
}

/** applyPaymentEvent is pure: writing to its input throws. */
function frozen(account: BillingAccount): BillingAccount {
  for (const known of account.subscriptions) Object.freeze(known);
  Object.freeze(account.subscriptions);
  Object.freeze(account.creditedSessions);
  return Object.freeze(account);
}

export function describeEvent(event: PaymentEvent): string {
  const { kind, createdAt, ...rest } = event;
  return `${createdAt.slice(11, 19)} ${kind} ${JSON.stringify(rest)}`;
}

/** The state after the events so far, kept by the table's rules and apart from the code under test. */
interface Ledger {
  known: readonly Known[];
  recorded: Known | undefined;
}

/** What A 2.1 shows of the subscription. */
const shownFields = [
  'subscriptionId',
  'subscriptionStatus',
  'tier',
  'monthlyCharLimit',
  'allowanceFrom',
  'allowanceSubscription',
  'subscriptionEventAt',
] as const;
type Shown = Pick<BillingAccount, (typeof shownFields)[number]>;

interface Outcome {
  ledger: Ledger;
  shown: Shown;
}

type SubscriptionStory = Exclude<PaymentEvent, TopUpPayment>;

/** An account whose flat fields are all that there is: an operator wrote them. */
function ledgerOf(account: BillingAccount): Ledger {
  if (account.subscriptionStatus === null) return { known: [], recorded: undefined };
  const { subscriptionId: id, subscriptionStatus: status, subscriptionEventAt: eventAt, tier } = account;
  const windowFrom = account.allowanceSubscription === id ? account.allowanceFrom : null;
  const sold = tier !== null && isTier(tier) ? tier : null;
  const recorded = { id, status, toldAt: eventAt ?? '', eventAt, tier: sold, windowFrom };
  return { known: [recorded], recorded };
}

/** The row of the table that decides, and every outcome that it allows. */
function outcomesOf(before: BillingAccount, ledger: Ledger, event: PaymentEvent) {
  const about = event.kind === 'topup_paid' ? undefined : whichKnown(ledger, event);
  const row = rowFor({ event, known: about, recorded: ledger.recorded });
  const allowed = row.next.flatMap((next): Outcome[] => {
    if (event.kind === 'topup_paid' || next === 'unchanged') return [{ ledger, shown: shownOf(before) }];
    const now = tell(ledger, about, event, next);
    const updated = about && isDeepStrictEqual(now, about) ? about : now;
    const others = ledger.known.filter((each) => each !== about);
    const known = updated === about ? ledger.known : [...others, updated];
    return recordedOf(known, updated, about).map((recorded) => {
      const another = recorded === updated ? about !== ledger.recorded : recorded !== ledger.recorded;
      const shown = show(before, event, { recorded, updated, another });
      const nothing = updated === about && recorded === ledger.recorded;
      return { ledger: nothing ? ledger : { known, recorded }, shown };
    });
  });
  return { row, allowed };
}

/** A session without an id is about the recorded one; a new id is given to the live subscription without one. */
function whichKnown({ known, recorded }: Ledger, { subscriptionId }: SubscriptionStory) {
  if (subscriptionId === null) return recorded;
  return (
    known.find(({ id }) => id === subscriptionId) ??
    known.find(({ id, status }) => id === null && isLive(status))
  );
}

function tell({ known: all }: Ledger, about: Known | undefined, event: SubscriptionStory, next: Next): Known {
  const known = about ?? { id: null, status: '', toldAt: '', eventAt: null, tier: null, windowFrom: null };
  const { createdAt, kind } = event;
  const carried = kind === 'subscription_changed' ? event.status : '';
  const status = { active: 'active', canceled: 'canceled', carried, kept: known.status, unchanged: '' }[next];
  const tier = soldTier(event) ?? known.tier;
  const tierChanges = known.tier !== null && tier !== known.tier;
  const opens = known.windowFrom === null && isCurrent(status);
  const restarts = known.windowFrom !== null && tierChanges;
  return {
    id: event.subscriptionId ?? known.id,
    status,
    toldAt: later(known.toldAt, createdAt),
    eventAt: kind === 'subscription_session' ? known.eventAt : later(known.eventAt, createdAt),
    tier,
    windowFrom: opens || restarts ? firstFree(createdAt, all) : known.windowFrom,
  };
}

/** Usage is counted by when its window began: two that begin in the same second are kept a millisecond apart. */
function firstFree(at: string, known: readonly Known[]): string {
  const milliseconds = Array.from({ length: known.length + 1 }, (_, more) =>
    new Date(Date.parse(at) + more).toISOString(),
  );
  return milliseconds.find((each) => known.every(({ windowFrom }) => windowFrom !== each)) ?? '';
}

/** Row 2's tier; an end leaves the allowance (row 3), in whatever words it comes. */
function soldTier(event: SubscriptionStory) {
  if (event.kind !== 'subscription_changed' || isEnded(event.status)) return undefined;
  return tierOfPrices(event.priceIds, prices);
}

/** More than one where they are equals to the second, and the event changed neither. */
function recordedOf(known: readonly Known[], updated: Known, about: Known | undefined): Known[] {
  const rank = (each: Known) =>
    `${preferences.map(({ holds }) => Number(holds(each))).join('')} ${each.toldAt}`;
  const best = known.map(rank).reduce(later);
  const equals = known.filter((each) => rank(each) === best);
  return equals.includes(updated) && updated !== about ? [updated] : equals;
}

interface Change {
  recorded: Known;
  updated: Known;
  /** Another subscription than before is recorded. */
  another: boolean;
}

function show(
  before: BillingAccount,
  event: SubscriptionStory,
  { recorded, updated, another }: Change,
): Shown {
  const ownTier = recorded === updated ? soldTier(event) : undefined;
  const tier = ownTier ?? (another && isLive(recorded.status) ? recorded.tier : null);
  const opened = recorded.windowFrom !== null;
  return {
    subscriptionId: recorded.id,
    subscriptionStatus: recorded.status,
    tier: tier ?? before.tier,
    monthlyCharLimit: tier ? includedChars[tier] : before.monthlyCharLimit,
    allowanceFrom: opened ? recorded.windowFrom : before.allowanceFrom,
    allowanceSubscription: opened ? recorded.id : before.allowanceSubscription,
    subscriptionEventAt: recorded.eventAt,
  };
}

function shownOf(account: BillingAccount): Shown {
  const { subscriptionId, subscriptionStatus, tier, monthlyCharLimit } = account;
  const { allowanceFrom, allowanceSubscription, subscriptionEventAt } = account;
  return {
    subscriptionId,
    subscriptionStatus,
    tier,
    monthlyCharLimit,
    allowanceFrom,
    allowanceSubscription,
    subscriptionEventAt,
  };
}

const later = (one: string | null, other: string) => (one !== null && one > other ? one : other);
