import { describe, expect, test } from 'vitest';
import {
  after,
  apply,
  at,
  changed,
  completed,
  deleted,
  endedStatuses,
  listed,
  liveStatuses,
  planOf,
  shown,
  topUp,
  windowOf,
} from './subscription-scenarios.ts';

const every = [...liveStatuses, ...endedStatuses];

describe('the events of one subscription (A 3.1)', () => {
  test.each(liveStatuses)('a completed session makes %s active and leaves the tier', (status) => {
    const before = after(changed(1, 'sub_a', status, 'studio'));
    for (const id of ['sub_a', null]) {
      const session = apply(before, completed(2, id));
      expect([shown(session), ...planOf(session)]).toEqual(['sub_a active', 'studio', 5_000_000]);
    }
  });

  test.each(every)('an event carries its status: %s', (status) => {
    const first = after(changed(1, 'sub_a', status));
    expect([shown(first), first.subscriptionEventAt]).toEqual([`sub_a ${status}`, at(1)]);
    for (const second of [1, 2]) {
      const next = apply(after(changed(1, 'sub_a', 'incomplete')), changed(second, 'sub_a', status));
      expect([shown(next), next.subscriptionEventAt]).toEqual([`sub_a ${status}`, at(second)]);
    }
  });

  test('an event older than the latest one changes nothing', () => {
    const before = after(changed(2, 'sub_a', 'past_due', 'pro'));
    expect(
      apply(before, changed(1, 'sub_a', 'active', 'studio'), completed(1, 'sub_a'), completed(1, null)),
    ).toBe(before);
  });

  test('a session older than incomplete makes it active and opens the window', () => {
    const account = after(changed(5, 'sub_a', 'incomplete', 'pro'), completed(4, 'sub_a'));
    expect([shown(account), ...windowOf(account)]).toEqual(['sub_a active', at(4), 'sub_a']);
  });

  test('a late incomplete keeps the status; its tier and time count', () => {
    const account = after(
      changed(1, 'sub_a', 'past_due', 'pro'),
      changed(3, 'sub_a', 'incomplete', 'studio'),
    );
    expect([shown(account), ...planOf(account)]).toEqual(['sub_a past_due', 'studio', 5_000_000]);
    expect(apply(account, changed(2, 'sub_a', 'unpaid'))).toBe(account);
  });

  test.each(every)('an updated event older than the latest one changes nothing: %s', (status) => {
    for (const present of liveStatuses) {
      const before = after(changed(2, 'sub_a', present, 'pro'));
      expect(apply(before, changed(1, 'sub_a', status, 'studio'))).toBe(before);
    }
  });

  test.each([
    ['deleted', deleted(2, 'sub_a'), 'canceled', [1, 5]],
    ['canceled', changed(2, 'sub_a', 'canceled'), 'canceled', [1, 2]],
    ['incomplete_expired', changed(2, 'sub_a', 'incomplete_expired'), 'incomplete_expired', [1, 2]],
  ])('%s is final; only a deletion may be older than the latest event', (_name, end, status, seconds) => {
    for (const second of seconds) {
      const ended = after(changed(second, 'sub_a', 'active', 'pro'), end);
      expect([shown(ended), ...planOf(ended)]).toEqual([`sub_a ${status}`, 'pro', 1_500_000]);
      for (const late of [changed(9, 'sub_a', 'active', 'studio'), completed(9, 'sub_a'), completed(9, null)])
        expect(apply(ended, late)).toBe(ended);
    }
    expect(shown(after(end))).toBe(`sub_a ${status}`);
  });

  test.each([
    changed(1, 'sub_a', 'past_due', 'pro'),
    changed(1, 'sub_a', 'incomplete_expired'),
    completed(1, 'sub_a'),
    completed(1, null),
    deleted(1, 'sub_a'),
    topUp(1, 'cs_1'),
  ])('a redelivered event changes nothing: $kind', (event) => {
    const before = after(event);
    expect(apply(before, event)).toBe(before);
  });
});

describe('several subscriptions', () => {
  test('a current one is effective before a lapsed one, though that is newer: who pays keeps access', () => {
    for (const status of ['past_due', 'unpaid', 'incomplete', 'paused']) {
      const account = after(changed(1, 'sub_a', 'trialing', 'pro'), changed(2, 'sub_b', status, 'studio'));
      expect([shown(account), ...planOf(account)]).toEqual(['sub_a trialing', 'pro', 1_500_000]);
      expect([...windowOf(account), account.subscriptionEventAt]).toEqual([at(1), 'sub_a', at(1)]);
    }
  });

  test('the latest of equals is effective, in one second the last to arrive', () => {
    const [a, b] = [changed(1, 'sub_a', 'active'), changed(1, 'sub_b', 'trialing')];
    expect([shown(after(a, b)), shown(after(b, a))]).toEqual(['sub_b trialing', 'sub_a active']);
    expect(shown(after(changed(2, 'sub_b', 'active'), a))).toBe('sub_b active');
    expect(shown(after(a, changed(2, 'sub_b', 'active'), completed(3, 'sub_a')))).toBe('sub_a active');
    expect(shown(after(a, completed(2, 'sub_c')))).toBe('sub_c active');
  });

  test('incomplete comes behind other lapsed ones, and ended ones come last', () => {
    const lapsed = changed(1, 'sub_a', 'unpaid');
    expect(shown(after(lapsed, changed(2, 'sub_b', 'incomplete')))).toBe('sub_a unpaid');
    expect(shown(after(lapsed, deleted(2, 'sub_b'), changed(3, 'sub_c', 'canceled')))).toBe('sub_a unpaid');
    expect(shown(after(changed(2, 'sub_a', 'canceled'), deleted(1, 'sub_b')))).toBe('sub_a canceled');
    expect(shown(after(changed(1, 'sub_a', 'incomplete_expired'), deleted(2, 'sub_b')))).toBe(
      'sub_b canceled',
    );
  });

  test('if the effective one ends or lapses, another takes its place with its status, tier and window', () => {
    const both = after(changed(2, 'sub_b', 'active', 'studio'), changed(5, 'sub_a', 'active', 'pro'));
    expect([shown(both), ...windowOf(both)]).toEqual(['sub_a active', at(5), 'sub_a']);
    for (const end of [
      deleted(6, 'sub_a', 'pro'),
      deleted(1, 'sub_a'),
      changed(6, 'sub_a', 'past_due', 'pro'),
    ]) {
      const account = apply(both, end);
      expect([shown(account), ...planOf(account)]).toEqual(['sub_b active', 'studio', 5_000_000]);
      expect([...windowOf(account), account.subscriptionEventAt]).toEqual([at(2), 'sub_b', at(2)]);
    }
  });

  test('a lapsed one that takes the place opens no window; an ended one writes no tier', () => {
    const lapsed = after(changed(3, 'sub_a', 'active', 'pro'), changed(4, 'sub_b', 'unpaid', 'studio'));
    const account = apply(lapsed, deleted(9, 'sub_a'));
    expect([shown(account), ...planOf(account)]).toEqual(['sub_b unpaid', 'studio', 5_000_000]);
    expect(windowOf(account)).toEqual([at(3), 'sub_a']);
    const ended = after(
      changed(1, 'sub_b', 'active', 'studio'),
      changed(2, 'sub_a', 'active', 'pro'),
      deleted(9, 'sub_b', 'studio'),
      deleted(3, 'sub_a', 'pro'),
    );
    expect([shown(ended), ...planOf(ended)]).toEqual(['sub_b canceled', 'pro', 1_500_000]);
  });
});

describe('a session that names no subscription', () => {
  test('begins one, whose id and window the next event takes over', () => {
    const unnamed = after(completed(5, null));
    expect([shown(unnamed), ...windowOf(unnamed)]).toEqual(['null active', at(5), null]);
    for (const second of [4, 6])
      for (const event of [completed(second, 'sub_a'), changed(second, 'sub_a', 'active')]) {
        const named = apply(unnamed, event);
        expect([shown(named), ...windowOf(named), ...listed(named)]).toEqual([
          'sub_a active',
          at(5),
          'sub_a',
          'sub_a',
        ]);
      }
    expect(shown(apply(unnamed, changed(6, 'sub_a', 'incomplete')))).toBe('sub_a active');
    expect(listed(apply(unnamed, deleted(6, 'sub_a')))).toEqual(['sub_a']);
    const second = apply(unnamed, changed(6, 'sub_a', 'active'), changed(7, 'sub_b', 'active'));
    expect([shown(second), ...windowOf(second)]).toEqual(['sub_b active', at(7), 'sub_b']);
  });

  test('is ignored if the effective subscription has ended', () => {
    for (const status of endedStatuses) {
      const before = after(changed(1, 'sub_a', status));
      expect(apply(before, completed(3, null))).toBe(before);
    }
  });
});
