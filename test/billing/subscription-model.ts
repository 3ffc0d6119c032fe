import { isDeepStrictEqual } from 'node:util';
import type { BillingAccount } from '#server/billing/account.ts';
import type { PaymentEvent, TopUpPayment } from '#server/billing/payment-event.ts';
import { includedChars, isTier, tierOfPrices } from '#server/billing/tiers.ts';
import { prices } from './subscription-scenarios.ts';
import {
  isCurrent,
  isEnded,
  isLive,
  type Known,
  type Next,
  preferences,
  rowFor,
} from './subscription-table.ts';

/** The state after the events so far, kept by the table's rules and apart from the code under test. */
export interface Ledger {
  known: readonly Known[];
  recorded: Known | undefined;
}

/** What A 2.1 shows of the subscription. */
export const shownFields = [
  'subscriptionId',
  'subscriptionStatus',
  'tier',
  'monthlyCharLimit',
  'allowanceFrom',
  'allowanceSubscription',
  'subscriptionEventAt',
] as const;
export type Shown = Pick<BillingAccount, (typeof shownFields)[number]>;

export interface Outcome {
  ledger: Ledger;
  shown: Shown;
}

type SubscriptionStory = Exclude<PaymentEvent, TopUpPayment>;

/** An account whose flat fields are all that there is: an operator wrote them. */
export function ledgerOf(account: BillingAccount): Ledger {
  if (account.subscriptionStatus === null) return { known: [], recorded: undefined };
  const { subscriptionId: id, subscriptionStatus: status, subscriptionEventAt: eventAt, tier } = account;
  const windowFrom = account.allowanceSubscription === id ? account.allowanceFrom : null;
  const sold = tier !== null && isTier(tier) ? tier : null;
  const recorded = { id, status, toldAt: eventAt ?? '', eventAt, tier: sold, windowFrom };
  return { known: [recorded], recorded };
}

/** The row of the table that decides, and every outcome that it allows. */
export function outcomesOf(before: BillingAccount, ledger: Ledger, event: PaymentEvent) {
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

export function shownOf(account: BillingAccount): Shown {
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
