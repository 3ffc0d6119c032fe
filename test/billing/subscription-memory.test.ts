import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BillingAccount, changedMetadata, readBillingAccount } from '#server/billing/account.ts';
import { applyPaymentEvent } from '#server/billing/subscription-sync.ts';
import type { PaymentEvent } from '#server/platform/payments/payment-event.ts';
import { walk } from './subscription-replay.ts';
import { at, changed, completed, deleted, emptyAccount, prices, topUp } from './subscription-scenarios.ts';
import { endedStatuses, liveStatuses, statuses } from './subscription-table.ts';

const apply = (account: BillingAccount, ...events: PaymentEvent[]) =>
  events.reduce((state, event) => applyPaymentEvent(state, event, prices), account);
const state = ({ subscriptionId: id, subscriptionStatus: status }: BillingAccount) => ({ id, status });
const windowOf = ({ allowanceFrom, allowanceSubscription }: BillingAccount) => [
  allowanceFrom,
  allowanceSubscription,
];
const planOf = ({ tier, monthlyCharLimit }: BillingAccount) => [tier, monthlyCharLimit];
const namesOf = ({ subscriptions }: BillingAccount) => subscriptions.map(({ id }) => id);
const named = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ second: from + index, id: `sub_${from + index}` }));

describe('A 3.1, A 6 rule 4: a hundred subscriptions are remembered', () => {
  const endsOf = (from: number, to: number) => named(from, to).map(({ second, id }) => deleted(second, id));

  it('the hundredth forgets none: each end is still final', () => {
    const before = apply(emptyAccount, ...endsOf(1, 100));
    expect(before.subscriptions.length).toBe(100);
    for (const { id } of named(1, 100)) {
      expect(apply(before, changed(500, id, 'active'))).toBe(before);
      expect(apply(before, completed(500, id))).toBe(before);
    }
  });

  it('the next ones forget those that ended longest ago', () => {
    const before = apply(emptyAccount, ...endsOf(1, 103));
    expect(before.subscriptions.length).toBe(100);
    expect(namesOf(before)).not.toEqual(expect.arrayContaining(['sub_3']));
    for (const { id } of named(4, 103)) expect(apply(before, completed(500, id))).toBe(before);
    expect(state(apply(before, completed(500, 'sub_3')))).toEqual({ id: 'sub_3', status: 'active' });
  });

  it('the order is by when they ended, not by when the event arrived', () => {
    const [first, ...others] = endsOf(1, 100);
    const after = apply(emptyAccount, ...others.toReversed(), first!, deleted(200, 'sub_new'));
    expect(new Set(namesOf(after))).toEqual(new Set([...named(2, 100).map(({ id }) => id), 'sub_new']));
  });

  it.each(liveStatuses.map((status) => ({ status })))(
    'one that is $status is not forgotten for ended ones, however old it is, recorded or not',
    ({ status }) => {
      const begun = [changed(1, 'sub_live', status, 'pro'), changed(2, 'sub_shown', 'active', 'studio')];
      const after = apply(emptyAccount, ...begun, ...endsOf(10, 160));
      expect(after.subscriptions.length).toBe(100);
      expect(state(after)).toEqual({ id: 'sub_shown', status: 'active' });
      expect(namesOf(after)).toEqual(expect.arrayContaining(['sub_live', 'sub_shown', 'sub_160']));
      expect(namesOf(after)).not.toContain('sub_62');
      const alone = apply(after, deleted(170, 'sub_shown'));
      expect([...Object.values(state(alone)), ...planOf(alone)]).toEqual([
        'sub_live',
        status,
        'pro',
        1_500_000,
      ]);
    },
  );

  it('an end is remembered when its event arrives, even behind a hundred live ones', () => {
    const living = named(1, 99).map(({ second, id }) => changed(second, id, 'past_due'));
    const after = apply(emptyAccount, ...living, deleted(200, 'sub_gone'));
    expect(after.subscriptions.length).toBe(100);
    expect(apply(after, completed(300, 'sub_gone'))).toBe(after);
  });

  it('more live ones than the limit: bounded, and the recorded one is kept', () => {
    for (const order of [named(1, 130), named(1, 130).toReversed()]) {
      const living = order.map(({ second, id }) => changed(second, id, 'past_due', 'pro'));
      const after = apply(emptyAccount, changed(0, 'sub_shown', 'active', 'studio'), ...living);
      expect(after.subscriptions.length).toBe(100);
      expect(namesOf(after)).toContain('sub_shown');
      expect(state(after)).toEqual({ id: 'sub_shown', status: 'active' });
      expect([...planOf(after), ...windowOf(after)]).toEqual(['studio', 5_000_000, at(0), 'sub_shown']);
    }
  });

  it('a full memory and nothing new: the same object', () => {
    const before = apply(emptyAccount, changed(1, 'sub_a', 'active', 'pro'), ...endsOf(2, 150));
    for (const event of [changed(1, 'sub_a', 'active', 'pro'), ...endsOf(52, 150)]) {
      expect(apply(before, event)).toBe(before);
    }
  });
});

const byHand = (metadata: Record<string, unknown>, monthlyCharLimit = 123_456) =>
  readBillingAccount({ monthlyCharLimit, metadata });

/** As the webhook stores it, and as the next event reads it. */
function stored(metadata: Record<string, unknown>, ...events: PaymentEvent[]): BillingAccount {
  let tenant = { monthlyCharLimit: 123_456, metadata };
  for (const event of events) {
    const before = readBillingAccount(tenant);
    const after = applyPaymentEvent(before, event, prices);
    const changes: unknown = JSON.parse(JSON.stringify(changedMetadata(before, after)));
    const written = { ...tenant.metadata, ...Object(changes) };
    tenant = { monthlyCharLimit: after.monthlyCharLimit, metadata: written };
  }
  return readBillingAccount(tenant);
}

const paying = {
  pay_customer_id: 'cus_1',
  pay_subscription_id: 'sub_a',
  pay_subscription_status: 'active',
  pay_tier: 'pro',
  pay_allowance_from: at(5),
  pay_allowance_subscription: 'sub_a',
  pay_subscription_event_at: at(5),
};

describe('A 2.1: a subscription that an operator wrote by hand', () => {
  it('counts as known: an older event changes nothing', () => {
    const before = byHand(paying);
    for (const status of liveStatuses) {
      expect(apply(before, changed(4, 'sub_a', status, 'studio'))).toBe(before);
    }
    expect(apply(before, completed(4, 'sub_a'), completed(4, null))).toBe(before);
  });

  it('its window continues, and its tier is compared', () => {
    const renewed = stored(paying, changed(8, 'sub_a', 'active', 'pro'));
    expect([...windowOf(renewed), ...planOf(renewed)]).toEqual([at(5), 'sub_a', 'pro', 1_500_000]);
    expect(renewed.subscriptionEventAt).toBe(at(8));
    const upgraded = stored(paying, changed(8, 'sub_a', 'active', 'studio'));
    expect([...windowOf(upgraded), ...planOf(upgraded)]).toEqual([at(8), 'sub_a', 'studio', 5_000_000]);
    const back = stored(paying, changed(8, 'sub_a', 'past_due', 'pro'), changed(9, 'sub_a', 'active', 'pro'));
    expect([...Object.values(state(back)), ...windowOf(back)]).toEqual(['sub_a', 'active', at(5), 'sub_a']);
  });

  it.each(endedStatuses.map((status) => ({ status })))(
    '$status is final, after another one too',
    ({ status }) => {
      const ended = { ...paying, pay_subscription_status: status };
      const late = [
        ...statuses.map((each) => changed(9, 'sub_a', each)),
        completed(9, 'sub_a'),
        completed(9, null),
      ];
      const before = byHand(ended);
      for (const event of late) expect(apply(before, event)).toBe(before);
      const next = stored(ended, changed(8, 'sub_b', 'active', 'studio'));
      expect(state(next)).toEqual({ id: 'sub_b', status: 'active' });
      for (const event of late.slice(0, -1)) expect(apply(next, event)).toBe(next);
    },
  );

  it('is remembered when another displaces it, and restored when that ends', () => {
    const both = stored(paying, completed(8, 'sub_b'), changed(9, 'sub_b', 'active', 'studio'));
    expect([...Object.values(state(both)), ...windowOf(both)]).toEqual(['sub_b', 'active', at(8), 'sub_b']);
    const after = apply(both, deleted(10, 'sub_b'));
    expect([...Object.values(state(after)), ...windowOf(after)]).toEqual(['sub_a', 'active', at(5), 'sub_a']);
    expect([...planOf(after), after.subscriptionEventAt]).toEqual(['pro', 1_500_000, at(5)]);
  });

  it('a lapsed one and the end of another do not displace it', () => {
    const after = stored(paying, changed(8, 'sub_b', 'past_due', 'studio'), deleted(9, 'sub_c'));
    expect([...Object.values(state(after)), ...planOf(after)]).toEqual(['sub_a', 'active', 'pro', 123_456]);
    const ended = apply(after, deleted(10, 'sub_a'));
    expect([...Object.values(state(ended)), ...planOf(ended)]).toEqual([
      'sub_b',
      'past_due',
      'studio',
      5_000_000,
    ]);
  });

  it('a top-up leaves its fields as they are', () => {
    const { pay_subscription_id: id, pay_subscription_status: status } = paying;
    const after = stored(paying, topUp(8, 'cs_1'));
    expect(state(after)).toEqual({ id, status });
    const { topUpPurchased, creditedSessions, subscriptions, ...kept } = after;
    expect(byHand(paying)).toMatchObject(kept);
    expect([topUpPurchased, creditedSessions]).toEqual([1_000_000, ['cs_1']]);
    expect(subscriptions.length).toBeLessThanOrEqual(1);
  });

  it('without the time of its newest event: the next event applies, whatever its time', () => {
    const { pay_subscription_event_at: _, ...timeless } = paying;
    const after = stored(timeless, changed(1, 'sub_a', 'past_due', 'pro'));
    expect([...Object.values(state(after)), ...windowOf(after)]).toEqual([
      'sub_a',
      'past_due',
      at(5),
      'sub_a',
    ]);
    expect(after.subscriptionEventAt).toBe(at(1));
    const other = stored(timeless, changed(1, 'sub_b', 'past_due', 'studio'));
    expect(state(other)).toEqual({ id: 'sub_a', status: 'active' });
    const newer = stored(timeless, changed(9, 'sub_b', 'active', 'studio'));
    expect(state(newer)).toEqual({ id: 'sub_b', status: 'active' });
  });

  it('status and id alone: current, it is not displaced; ended, it is final', () => {
    const current = { pay_subscription_id: 'sub_a', pay_subscription_status: 'trialing' };
    expect(state(stored(current, changed(1, 'sub_b', 'unpaid', 'pro')))).toEqual({
      id: 'sub_a',
      status: 'trialing',
    });
    const ended = byHand({ pay_subscription_id: 'sub_a', pay_subscription_status: 'canceled' });
    expect(apply(ended, changed(9, 'sub_a', 'active'))).toBe(ended);
  });

  it('a status without an id: the next id takes it over with its window; ended, it does not', () => {
    const { pay_subscription_id: _, pay_allowance_subscription: __, ...unnamed } = paying;
    const after = stored(unnamed, changed(8, 'sub_b', 'active', 'pro'));
    expect([...Object.values(state(after)), ...windowOf(after)]).toEqual(['sub_b', 'active', at(5), 'sub_b']);
    expect(namesOf(after)).toEqual(['sub_b']);
    const canceled = { ...unnamed, pay_subscription_status: 'canceled' };
    const begun = stored(canceled, changed(8, 'sub_b', 'active', 'pro'));
    expect([...Object.values(state(begun)), ...windowOf(begun)]).toEqual(['sub_b', 'active', at(8), 'sub_b']);
  });

  it('an id without a status does not count: the first event is recorded', () => {
    const after = stored({ pay_subscription_id: 'sub_a' }, changed(1, 'sub_b', 'past_due', 'pro'));
    expect(state(after)).toEqual({ id: 'sub_b', status: 'past_due' });
  });

  it('a tier that is not sold here does not count', () => {
    const after = stored({ ...paying, pay_tier: 'gold' }, changed(8, 'sub_a', 'active', 'pro'));
    expect([...planOf(after), ...windowOf(after).slice(1)]).toEqual(['pro', 1_500_000, 'sub_a']);
  });

  it('a list of invalid entries counts as no list', () => {
    const list = [null, 'sub_a', { id: 'sub_a' }, { id: 'sub_a', status: 7, toldAt: at(9), eventAt: at(9) }];
    for (const pay_subscriptions of [list, 'sub_a', {}, []]) {
      const before = byHand({ ...paying, pay_subscriptions });
      expect(apply(before, changed(4, 'sub_a', 'past_due', 'studio'))).toBe(before);
    }
  });

  it('the table and the invariants hold from there on', () => {
    const event = fc.record({
      second: fc.integer({ min: 1, max: 9 }),
      id: fc.constantFrom('sub_a', 'sub_b'),
      status: fc.constantFrom('session', 'deleted', ...statuses),
      tier: fc.constantFrom('personal', 'pro', 'other'),
    });
    const told = event.map(({ second, id, status, tier }): PaymentEvent => {
      if (status === 'session') return completed(second, id);
      return status === 'deleted' ? deleted(second, id) : changed(second, id, status, tier);
    });
    const from = fc.constantFrom('active', 'trialing', 'past_due', 'canceled');
    fc.assert(
      fc.property(from, fc.array(told, { minLength: 1, maxLength: 10 }), (status, events) => {
        // With what the tier includes: an event without news writes no limit.
        const start = {
          ...byHand({ ...paying, pay_subscription_status: status }),
          monthlyCharLimit: 1_500_000,
        };
        expect(walk(events, start).broken ?? '').toBe('');
      }),
      { numRuns: 5000 },
    );
  });
});
