import { describe, expect, test } from 'vitest';
import { applyPaymentEvent } from '#server/billing/subscription-sync.ts';
import {
  after,
  apply,
  at,
  changed,
  completed,
  currentStatuses,
  deleted,
  emptyAccount,
  planOf,
  topUp,
  windowOf,
} from './subscription-scenarios.ts';

describe('the bought tier (A 8)', () => {
  test.each([
    ['personal', 500_000],
    ['pro', 1_500_000],
    ['studio', 5_000_000],
  ] as const)('%s includes %i characters a month, whatever the status', (tier, chars) => {
    for (const status of ['active', 'past_due', 'incomplete'])
      expect(planOf(after(changed(1, 'sub_a', status, tier)))).toEqual([tier, chars]);
  });

  test('is found among the Prices of several items', () => {
    const event = { ...changed(1, 'sub_a', 'active'), priceIds: ['price_other', 'price_studio'] };
    expect(planOf(after(event))).toEqual(['studio', 5_000_000]);
  });

  test('an unrecognized Price leaves the allowance and the window, and updates the status', () => {
    const before = after(changed(1, 'sub_a', 'active', 'pro'));
    for (const priceIds of [['price_other'], []]) {
      const account = apply(before, { ...changed(2, 'sub_a', 'past_due'), priceIds });
      expect([...planOf(account), ...windowOf(account)]).toEqual(['pro', 1_500_000, at(1), 'sub_a']);
      expect(account.subscriptionStatus).toBe('past_due');
    }
    const unsold = applyPaymentEvent(emptyAccount, changed(1, 'sub_a', 'active', 'pro'), {
      studio: 'price_studio',
    });
    expect(planOf(unsold)).toEqual([null, 123_456]);
  });

  test('only a known Price of the effective subscription overwrites what an operator wrote', () => {
    const granted = { ...after(changed(1, 'sub_a', 'active', 'pro')), monthlyCharLimit: 9_000_000 };
    for (const event of [
      changed(2, 'sub_a', 'past_due', 'other'),
      changed(2, 'sub_a', 'canceled', 'studio'),
      changed(2, 'sub_b', 'past_due', 'studio'),
      completed(2, 'sub_a'),
      deleted(2, 'sub_a', 'studio'),
      topUp(2, 'cs_1'),
    ])
      expect(planOf(apply(granted, event)), JSON.stringify(event)).toEqual(['pro', 9_000_000]);
    expect(planOf(apply(granted, changed(2, 'sub_a', 'active', 'pro')))).toEqual(['pro', 1_500_000]);
  });
});

describe('the allowance window (A 8.2 rule 3)', () => {
  test('opens once, with the event that makes the subscription current', () => {
    for (const status of ['past_due', 'unpaid', 'incomplete', 'paused'])
      expect(windowOf(after(changed(1, 'sub_a', status)))).toEqual([null, null]);
    for (const status of currentStatuses)
      expect(windowOf(after(changed(1, 'sub_a', 'incomplete'), changed(4, 'sub_a', status)))).toEqual([
        at(4),
        'sub_a',
      ]);
    const [session, active] = [completed(2, 'sub_a'), changed(3, 'sub_a', 'active')];
    const renewal = changed(9, 'sub_a', 'active');
    expect(windowOf(after(session, active, session, renewal))).toEqual([at(2), 'sub_a']);
    expect(windowOf(after(active, session, renewal))).toEqual([at(3), 'sub_a']);
  });

  test('resumes after a lapse', () => {
    const lapsed = after(changed(1, 'sub_a', 'active'), changed(5, 'sub_a', 'unpaid'));
    for (const back of [changed(7, 'sub_a', 'trialing'), completed(7, 'sub_a')])
      expect(windowOf(apply(lapsed, back))).toEqual([at(1), 'sub_a']);
  });

  test('restarts with a tier change, up or down, but not for an unknown Price between', () => {
    const before = after(completed(1, 'sub_a'), changed(2, 'sub_a', 'active', 'pro'));
    for (const tier of ['studio', 'personal'] as const) {
      const moved = apply(before, changed(5, 'sub_a', 'active', tier), changed(6, 'sub_a', 'active', tier));
      expect(windowOf(moved)).toEqual([at(5), 'sub_a']);
    }
    const same = apply(before, changed(5, 'sub_a', 'active', 'other'), changed(6, 'sub_a', 'active', 'pro'));
    expect(windowOf(same)).toEqual([at(1), 'sub_a']);
  });

  test('belongs to one subscription: a new one opens its own, at a moment that no other has', () => {
    const again = after(changed(1, 'sub_a', 'active'), deleted(2, 'sub_a'), completed(5, 'sub_b'));
    expect(windowOf(again)).toEqual([at(5), 'sub_b']);
    const [from, by] = windowOf(after(changed(1, 'sub_a', 'active'), changed(1, 'sub_b', 'active')));
    expect([Date.parse(from as string) - Date.parse(at(1)), by]).toEqual([1, 'sub_b']);
  });
});

describe('top-up credit (A 6 rule 3)', () => {
  test('adds the characters and records the session, even past the ceiling; nothing else changes', () => {
    const before = { ...after(changed(1, 'sub_a', 'past_due')), topUpPurchased: 9_000_000, topUpUsed: 5 };
    expect(apply(before, topUp(2, 'cs_1', 2_000_000), topUp(3, 'cs_2'))).toEqual({
      ...before,
      topUpPurchased: 12_000_000,
      creditedSessions: ['cs_1', 'cs_2'],
    });
  });

  test('credits a session once, however many follow', () => {
    const all = Array.from({ length: 500 }, (_, index) => topUp(index, `cs_${index}`, 1));
    const before = after(...all);
    expect(before.topUpPurchased).toBe(500);
    expect(apply(before, ...all, topUp(900, 'cs_0', 5_000_000))).toBe(before);
  });
});
