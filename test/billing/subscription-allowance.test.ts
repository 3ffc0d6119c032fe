import { describe, expect, it } from 'vitest';
import type { BillingAccount } from '#server/billing/account.ts';
import { applyPaymentEvent } from '#server/billing/subscription-sync.ts';
import type { PaymentEvent } from '#server/platform/payments/payment-event.ts';
import { at, changed, completed, deleted, emptyAccount, prices, topUp } from './subscription-scenarios.ts';
import { currentStatuses, lapsedStatuses, liveStatuses } from './subscription-table.ts';

const apply = (account: BillingAccount, ...events: PaymentEvent[]) =>
  events.reduce((state, event) => applyPaymentEvent(state, event, prices), account);
const stateAfter = (...events: PaymentEvent[]) => apply(emptyAccount, ...events);
const windowOf = ({ allowanceFrom, allowanceSubscription }: BillingAccount) => [
  allowanceFrom,
  allowanceSubscription,
];
const current = currentStatuses.map((status) => ({ status }));
const lapsed = lapsedStatuses.map((status) => ({ status }));
const live = liveStatuses.map((status) => ({ status }));

describe('A 3.1 row 2, A 8: the tier that was bought', () => {
  it.each([
    { tier: 'personal', chars: 500_000 },
    { tier: 'pro', chars: 1_500_000 },
    { tier: 'studio', chars: 5_000_000 },
  ] as const)('$tier: $chars characters a month, and its slug', ({ tier, chars }) => {
    const after = stateAfter(changed(1, 'sub_a', 'active', tier));
    expect([after.tier, after.monthlyCharLimit]).toEqual([tier, chars]);
  });

  it.each(live)('is written under $status too', ({ status }) => {
    const after = stateAfter(changed(1, 'sub_a', status, 'pro'));
    expect([after.tier, after.monthlyCharLimit]).toEqual(['pro', 1_500_000]);
  });

  it('is found among the Prices of several items', () => {
    const event = { ...changed(1, 'sub_a', 'active'), priceIds: ['price_other', 'price_studio'] };
    expect(stateAfter(event).monthlyCharLimit).toBe(5_000_000);
  });

  it('an unrecognized Price leaves the allowance unchanged, and still updates the status', () => {
    for (const priceIds of [['price_other'], [], ['']]) {
      const event = { ...changed(2, 'sub_a', 'past_due'), priceIds };
      expect(stateAfter(event).monthlyCharLimit).toBe(123_456);
      const before = stateAfter(changed(1, 'sub_a', 'active', 'pro'));
      const after = apply(before, event);
      expect(after.monthlyCharLimit).toBe(1_500_000);
      expect(windowOf(after)).toEqual(windowOf(before));
      expect(after.subscriptionStatus).toBe('past_due');
      expect(after.subscriptionEventAt).toBe(at(2));
    }
  });

  it('an allowance that an operator wrote meanwhile: only a known Price overwrites it', () => {
    const bought = stateAfter(changed(1, 'sub_a', 'active', 'pro'));
    const granted = { ...bought, monthlyCharLimit: 9_000_000 };
    const others = [
      changed(2, 'sub_a', 'past_due', 'other'),
      changed(2, 'sub_a', 'incomplete', 'other'),
      changed(2, 'sub_a', 'canceled', 'studio'),
      changed(2, 'sub_b', 'past_due', 'studio'),
      completed(2, 'sub_a'),
      deleted(2, 'sub_a', 'studio'),
      topUp(2, 'cs_1'),
    ];
    for (const event of others) {
      const after = apply(granted, event);
      expect([after.tier, after.monthlyCharLimit], JSON.stringify(event)).toEqual(['pro', 9_000_000]);
    }
    expect(apply(granted, changed(2, 'sub_a', 'active', 'pro')).monthlyCharLimit).toBe(1_500_000);
  });

  it('the Price of a tier that this deployment does not sell is unrecognized', () => {
    const after = applyPaymentEvent(emptyAccount, changed(1, 'sub_a', 'active', 'pro'), {
      studio: 'price_studio',
    });
    expect([after.tier, after.monthlyCharLimit]).toEqual([null, 123_456]);
  });
});

describe('A 3.1, A 8.2 rule 3: the allowance window', () => {
  it('session completed: opens where it makes the tenant current for the first time', () => {
    expect(windowOf(stateAfter(completed(1, 'sub_a')))).toEqual([at(1), 'sub_a']);
  });

  it.each(current)('created / updated: $status opens it', ({ status }) => {
    expect(windowOf(stateAfter(changed(1, 'sub_a', status)))).toEqual([at(1), 'sub_a']);
  });

  it.each(lapsed)('created / updated: $status does not open it', ({ status }) => {
    expect(windowOf(stateAfter(changed(1, 'sub_a', status)))).toEqual([null, null]);
  });

  it('incomplete, then active: opens with the event that made it active', () => {
    const after = stateAfter(changed(1, 'sub_a', 'incomplete'), changed(4, 'sub_a', 'active'));
    expect(windowOf(after)).toEqual([at(4), 'sub_a']);
  });

  it('opens once: session and updates in either order, and a renewal', () => {
    const session = completed(2, 'sub_a');
    const active = changed(3, 'sub_a', 'active');
    const renewal = changed(9, 'sub_a', 'active');
    expect(windowOf(stateAfter(session, active, session, renewal))).toEqual([at(2), 'sub_a']);
    expect(windowOf(stateAfter(active, session, renewal, active))).toEqual([at(3), 'sub_a']);
  });

  const resumptions = ['past_due', 'unpaid', 'paused'].flatMap((from) =>
    currentStatuses.map((to) => ({ from, to })),
  );
  it.each(resumptions)('row 5: $from -> $to resumes the same window', ({ from, to }) => {
    const opened = stateAfter(changed(1, 'sub_a', 'active'));
    const back = apply(opened, changed(5, 'sub_a', from), changed(7, 'sub_a', to));
    expect(back.subscriptionStatus).toBe(to);
    expect(windowOf(back)).toEqual([at(1), 'sub_a']);
    const backBySession = apply(opened, changed(5, 'sub_a', from), completed(8, 'sub_a'));
    expect(windowOf(backBySession)).toEqual([at(1), 'sub_a']);
  });

  it('active <-> trialing keeps it', () => {
    const after = stateAfter(changed(1, 'sub_a', 'trialing'), changed(5, 'sub_a', 'active'));
    expect(windowOf(after)).toEqual([at(1), 'sub_a']);
  });

  it.each([
    { from: 'personal', to: 'studio' },
    { from: 'studio', to: 'personal' },
  ] as const)('a tier change restarts it: $from -> $to', ({ from, to }) => {
    const before = stateAfter(completed(1, 'sub_a'), changed(2, 'sub_a', 'active', from));
    expect(windowOf(before)).toEqual([at(1), 'sub_a']);
    const after = apply(before, changed(5, 'sub_a', 'active', to), changed(6, 'sub_a', 'active', to));
    expect(windowOf(after)).toEqual([at(5), 'sub_a']);
  });

  it('a tier change that comes with the return from past_due restarts it', () => {
    const after = stateAfter(
      changed(1, 'sub_a', 'active', 'personal'),
      changed(2, 'sub_a', 'past_due', 'personal'),
      changed(5, 'sub_a', 'active', 'pro'),
    );
    expect(windowOf(after)).toEqual([at(5), 'sub_a']);
  });

  it('an unknown Price in between is not a change of tier', () => {
    const after = stateAfter(
      changed(1, 'sub_a', 'active', 'pro'),
      changed(2, 'sub_a', 'active', 'other'),
      changed(3, 'sub_a', 'active', 'pro'),
    );
    expect(windowOf(after)).toEqual([at(1), 'sub_a']);
  });

  it('a tier change that arrives late has no effect', () => {
    const before = stateAfter(changed(5, 'sub_a', 'active', 'pro'));
    expect(apply(before, changed(4, 'sub_a', 'active', 'personal'))).toBe(before);
  });

  it('subscribing again opens its own window, once, whatever the tier before', () => {
    const first = stateAfter(changed(1, 'sub_a', 'active', 'personal'), deleted(2, 'sub_a'));
    const again = apply(first, completed(5, 'sub_b'), changed(6, 'sub_b', 'active', 'pro'));
    expect(windowOf(again)).toEqual([at(5), 'sub_b']);
    expect([again.tier, again.monthlyCharLimit]).toEqual(['pro', 1_500_000]);
  });

  it('a top-up leaves it unchanged', () => {
    const before = stateAfter(changed(1, 'sub_a', 'active'));
    expect(windowOf(apply(before, topUp(3, 'cs_1')))).toEqual([at(1), 'sub_a']);
    expect(windowOf(stateAfter(topUp(3, 'cs_1')))).toEqual([null, null]);
  });
});

describe('A 6 rule 3: top-up credit', () => {
  it('adds the characters and records the session', () => {
    const after = stateAfter(topUp(1, 'cs_1', 2_000_000), topUp(2, 'cs_2', 1_000_000));
    expect(after).toEqual({ ...emptyAccount, topUpPurchased: 3_000_000, creditedSessions: ['cs_1', 'cs_2'] });
  });

  it('adds to what is there, and leaves what is used', () => {
    const start = {
      ...emptyAccount,
      topUpPurchased: 4_000_000,
      topUpUsed: 3_000_000,
      creditedSessions: ['cs_0'],
    };
    const after = apply(start, topUp(1, 'cs_1'));
    expect([after.topUpPurchased, after.topUpUsed]).toEqual([5_000_000, 3_000_000]);
    expect(after.creditedSessions).toEqual(['cs_0', 'cs_1']);
  });

  it('a paid top-up is credited, even past the ceiling', () => {
    const start = { ...emptyAccount, topUpPurchased: 10_000_000 };
    expect(apply(start, topUp(1, 'cs_1', 5_000_000)).topUpPurchased).toBe(15_000_000);
  });

  it('redelivery does nothing, even with another time and count', () => {
    const before = stateAfter(topUp(2, 'cs_1'));
    for (const again of [topUp(2, 'cs_1'), topUp(9, 'cs_1'), topUp(1, 'cs_1', 5_000_000)]) {
      expect(apply(before, again)).toBe(before);
    }
  });

  it('five hundred sessions on, the first is still credited', () => {
    const all = Array.from({ length: 500 }, (_, index) => topUp(index, `cs_${index}`, 1));
    const before = stateAfter(...all);
    expect(before.topUpPurchased).toBe(500);
    for (const event of all) expect(apply(before, event)).toBe(before);
  });

  it.each(live)('is credited under $status, and after the end', ({ status }) => {
    const before = stateAfter(changed(1, 'sub_a', status));
    expect(apply(before, topUp(2, 'cs_1')).topUpPurchased).toBe(1_000_000);
    expect(apply(before, deleted(2, 'sub_a'), topUp(3, 'cs_1')).topUpPurchased).toBe(1_000_000);
  });
});

describe('A 6 rule 4: a redelivered event', () => {
  it.each([
    ['created / updated', changed(1, 'sub_a', 'active', 'pro')],
    ['created / updated, lapsed', changed(1, 'sub_a', 'past_due', 'pro')],
    ['created / updated, ended', changed(1, 'sub_a', 'incomplete_expired', 'pro')],
    ['session completed', completed(1, 'sub_a')],
    ['deleted', deleted(1, 'sub_a')],
    ['top-up', topUp(1, 'cs_1')],
  ] as const)('%s: nothing changes, and the same object comes back', (_name, event) => {
    const before = stateAfter(event);
    expect(apply(before, event)).toEqual(before);
    expect(apply(before, event)).toBe(before);
  });
});
