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

/** What the events so far have told, kept by the table's rules and apart from the code under test. */
export interface Ledger {
  known: readonly Known[];
  mirrored: Known | undefined;
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
  if (account.subscriptionStatus === null) return { known: [], mirrored: undefined };
  const { subscriptionId: id, subscriptionStatus: status, subscriptionEventAt: eventAt, tier } = account;
  const windowFrom = account.allowanceSubscription === id ? account.allowanceFrom : null;
  const sold = tier !== null && isTier(tier) ? tier : null;
  const mirrored = { id, status, toldAt: eventAt ?? '', eventAt, tier: sold, windowFrom };
  return { known: [mirrored], mirrored };
}

/** The row of the table that decides, and every outcome that it allows. */
export function outcomesOf(before: BillingAccount, ledger: Ledger, event: PaymentEvent) {
  const about = event.kind === 'topup_paid' ? undefined : whichKnown(ledger, event);
  const row = rowFor({ event, known: about, mirrored: ledger.mirrored });
  const allowed = row.next.flatMap((next): Outcome[] => {
    if (event.kind === 'topup_paid' || next === 'unchanged') return [{ ledger, shown: shownOf(before) }];
    const now = tell(ledger, about, event, next);
    const told = about && isDeepStrictEqual(now, about) ? about : now;
    const others = ledger.known.filter((each) => each !== about);
    const known = told === about ? ledger.known : [...others, told];
    return mirroredOf(known, told, about).map((mirrored) => {
      const another = mirrored === told ? about !== ledger.mirrored : mirrored !== ledger.mirrored;
      const shown = show(before, event, { mirrored, told, another });
      const nothing = told === about && mirrored === ledger.mirrored;
      return { ledger: nothing ? ledger : { known, mirrored }, shown };
    });
  });
  return { row, allowed };
}

/** A session without an id is about the mirrored one; a name that is new takes over the unnamed one that lives. */
function whichKnown({ known, mirrored }: Ledger, { subscriptionId }: SubscriptionStory) {
  if (subscriptionId === null) return mirrored;
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

/** Usage is counted by when its window began: two that begin in one second are a millisecond apart. */
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

/** More than one where they are equals to the second, and the event has told nothing new of either. */
function mirroredOf(known: readonly Known[], told: Known, about: Known | undefined): Known[] {
  const rank = (each: Known) =>
    `${preferences.map(({ holds }) => Number(holds(each))).join('')} ${each.toldAt}`;
  const best = known.map(rank).reduce(later);
  const equals = known.filter((each) => rank(each) === best);
  return equals.includes(told) && told !== about ? [told] : equals;
}

interface Turn {
  mirrored: Known;
  told: Known;
  /** Another subscription than before is mirrored. */
  another: boolean;
}

function show(before: BillingAccount, event: SubscriptionStory, { mirrored, told, another }: Turn): Shown {
  const ownTier = mirrored === told ? soldTier(event) : undefined;
  const tier = ownTier ?? (another && isLive(mirrored.status) ? mirrored.tier : null);
  const opened = mirrored.windowFrom !== null;
  return {
    subscriptionId: mirrored.id,
    subscriptionStatus: mirrored.status,
    tier: tier ?? before.tier,
    monthlyCharLimit: tier ? includedChars[tier] : before.monthlyCharLimit,
    allowanceFrom: opened ? mirrored.windowFrom : before.allowanceFrom,
    allowanceSubscription: opened ? mirrored.id : before.allowanceSubscription,
    subscriptionEventAt: mirrored.eventAt,
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
