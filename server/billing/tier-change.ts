import { includedChars, isTier } from '#server/platform/payments/tiers.ts';
import type { BillingAccount, KnownSubscription } from './account.ts';
import { subscriptionStateOf } from './subscription-state.ts';

/**
 * The fields of the account that a subscription's tier sets: the tier and its characters a month. Empty for an ended
 * subscription: the tenant keeps its previous allowance.
 */
export function allowanceOfTier({ tier, status }: KnownSubscription): Partial<BillingAccount> {
  if (tier === null || !isTier(tier) || subscriptionStateOf(status) === 'ended') return {};
  return { tier, monthlyCharLimit: includedChars[tier] };
}

/**
 * Sets when a subscription's allowance window begins: at the event that makes the subscription current for the first
 * time, and again at each event that changes its tier. So after an upgrade, usage immediately counts from 0.
 * @param at the event's creation time, ISO 8601
 */
export function withAllowanceWindow(
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
