import { isDeepStrictEqual } from 'node:util';
import type { BillingAccount } from '#server/billing/account.ts';
import type { PaymentEvent } from '#server/billing/payment-event.ts';
import { applyPaymentEvent } from '#server/billing/subscription-sync.ts';
import { includedChars, tierOfPrices } from '#server/billing/tiers.ts';
import {
  type Ledger,
  ledgerOf,
  type Outcome,
  outcomesOf,
  shownFields,
  shownOf,
} from './subscription-model.ts';
import { emptyAccount, prices } from './subscription-scenarios.ts';
import { isCurrent, isEnded, isLive, type Known } from './subscription-table.ts';

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

export interface Walk {
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
