import { describe, expect, test } from 'vitest';
import { changedMetadata, readBillingAccount } from '#server/billing/account.ts';
import type { PaymentEvent } from '#server/platform/payments/processor.ts';
import {
  after,
  apply,
  at,
  changed,
  completed,
  deleted,
  endedStatuses,
  listed,
  planOf,
  shown,
  windowOf,
} from './subscription-scenarios.ts';

const seconds = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const ends = (from: number, to: number) =>
  seconds(from, to).map((second) => deleted(second, `sub_${second}`));

describe('a hundred subscriptions are remembered', () => {
  test('those that ended longest ago are forgotten first, in whatever order the events arrive', () => {
    const before = after(...ends(1, 103).toReversed());
    expect(before.subscriptions.length).toBe(100);
    for (const second of seconds(4, 103)) expect(apply(before, completed(500, `sub_${second}`))).toBe(before);
    expect(shown(apply(before, completed(500, 'sub_3')))).toBe('sub_3 active');
  });

  test('live ones are kept before ended ones, however old they are', () => {
    const live = [changed(1, 'sub_live', 'past_due', 'pro'), changed(2, 'sub_shown', 'active', 'studio')];
    const account = after(...live, ...ends(10, 160));
    expect(listed(account)).toEqual(expect.arrayContaining(['sub_live', 'sub_shown', 'sub_160']));
    expect(listed(account)).not.toContain('sub_62');
    const alone = apply(account, deleted(170, 'sub_shown'));
    expect([shown(alone), ...planOf(alone)]).toEqual(['sub_live past_due', 'pro', 1_500_000]);
  });

  test('the effective one is kept among more live ones than the limit', () => {
    const living = seconds(1, 130).map((second) => changed(second, `sub_${second}`, 'past_due', 'pro'));
    const account = after(changed(0, 'sub_shown', 'active', 'studio'), ...living);
    expect(account.subscriptions.length).toBe(100);
    expect([shown(account), ...windowOf(account)]).toEqual(['sub_shown active', at(0), 'sub_shown']);
    expect(listed(account)).toContain('sub_shown');
  });
});

const paying = {
  pay_customer_id: 'cus_1',
  pay_subscription_id: 'sub_a',
  pay_subscription_status: 'active',
  pay_tier: 'pro',
  pay_allowance_from: at(5),
  pay_allowance_subscription: 'sub_a',
  pay_subscription_event_at: at(5),
};

/** The account after these events. After each event, the webhook stores the metadata, and the next event reads it. */
function stored(metadata: Record<string, unknown>, ...events: PaymentEvent[]) {
  let tenant = { monthlyCharLimit: 123_456, metadata };
  for (const event of events) {
    const before = readBillingAccount(tenant);
    const account = apply(before, event);
    const changes = JSON.parse(JSON.stringify(changedMetadata(before, account)));
    tenant = { monthlyCharLimit: account.monthlyCharLimit, metadata: { ...tenant.metadata, ...changes } };
  }
  return readBillingAccount(tenant);
}

describe('a subscription that an operator wrote by hand (A 2.1)', () => {
  test('counts as known: older events change nothing, and an end is final', () => {
    const before = stored(paying);
    expect(apply(before, changed(4, 'sub_a', 'unpaid', 'studio'), completed(4, 'sub_a'))).toBe(before);
    for (const pay_subscription_status of endedStatuses) {
      const ended = stored({ ...paying, pay_subscription_status });
      expect(apply(ended, changed(9, 'sub_a', 'active'), completed(9, null))).toBe(ended);
      const next = stored({ ...paying, pay_subscription_status }, changed(8, 'sub_b', 'active'));
      expect(apply(next, changed(9, 'sub_a', 'active'))).toBe(next);
      expect(shown(next)).toBe('sub_b active');
    }
  });

  test('keeps its window until its tier changes', () => {
    const renewed = stored(
      paying,
      changed(8, 'sub_a', 'past_due', 'pro'),
      changed(9, 'sub_a', 'active', 'pro'),
    );
    expect([...windowOf(renewed), ...planOf(renewed)]).toEqual([at(5), 'sub_a', 'pro', 1_500_000]);
    expect(windowOf(stored(paying, changed(8, 'sub_a', 'active', 'studio')))).toEqual([at(8), 'sub_a']);
  });

  test('is remembered when another replaces it, and restored when that ends', () => {
    const both = stored(paying, completed(8, 'sub_b'), changed(9, 'sub_b', 'active', 'studio'));
    expect([shown(both), ...windowOf(both)]).toEqual(['sub_b active', at(8), 'sub_b']);
    const account = apply(both, deleted(10, 'sub_b'));
    expect([shown(account), ...windowOf(account)]).toEqual(['sub_a active', at(5), 'sub_a']);
    expect([...planOf(account), account.subscriptionEventAt]).toEqual(['pro', 1_500_000, at(5)]);
  });

  test('without the time of its latest event, any event of its own applies', () => {
    const { pay_subscription_event_at: _, ...timeless } = paying;
    const account = stored(timeless, changed(1, 'sub_a', 'past_due', 'pro'));
    expect([shown(account), ...windowOf(account)]).toEqual(['sub_a past_due', at(5), 'sub_a']);
    expect(shown(stored(timeless, changed(9, 'sub_b', 'active')))).toBe('sub_b active');
  });

  test('without an id, the next id takes it over with its window, unless it has ended', () => {
    const { pay_subscription_id: _, pay_allowance_subscription: __, ...unnamed } = paying;
    const next = changed(8, 'sub_b', 'active', 'pro');
    const account = stored(unnamed, next);
    expect([shown(account), ...windowOf(account), ...listed(account)]).toEqual([
      'sub_b active',
      at(5),
      'sub_b',
      'sub_b',
    ]);
    expect(windowOf(stored({ ...unnamed, pay_subscription_status: 'canceled' }, next))).toEqual([
      at(8),
      'sub_b',
    ]);
  });

  test('an id without a status, and a tier that is not sold, do not count', () => {
    const lapsed = changed(1, 'sub_b', 'past_due', 'pro');
    expect(shown(stored({ pay_subscription_id: 'sub_a' }, lapsed))).toBe('sub_b past_due');
    const account = stored({ ...paying, pay_tier: 'gold' }, changed(8, 'sub_a', 'active', 'pro'));
    expect(planOf(account)).toEqual(['pro', 1_500_000]);
  });

  test('a list of invalid entries counts as no list', () => {
    for (const pay_subscriptions of [
      [null, 'sub_a', { id: 'sub_a', status: 7, toldAt: at(9) }],
      'sub_a',
      {},
    ]) {
      const before = stored({ ...paying, pay_subscriptions });
      expect(apply(before, changed(4, 'sub_a', 'past_due', 'studio'))).toBe(before);
    }
  });
});
