import { describe, expect, it } from 'vitest';
import type { BillingAccount } from '#server/billing/account.ts';
import { applyPaymentEvent } from '#server/billing/subscription-sync.ts';
import type { PaymentEvent } from '#server/platform/payments/payment-event.ts';
import { at, changed, completed, deleted, emptyAccount, prices } from './subscription-scenarios.ts';
import { currentStatuses, endedStatuses, lapsedStatuses, liveStatuses } from './subscription-table.ts';

const apply = (account: BillingAccount, ...events: PaymentEvent[]) =>
  events.reduce((state, event) => applyPaymentEvent(state, event, prices), account);
const stateAfter = (...events: PaymentEvent[]) => apply(emptyAccount, ...events);
const state = ({ subscriptionId: id, subscriptionStatus: status }: BillingAccount) => ({ id, status });
const windowOf = ({ allowanceFrom, allowanceSubscription }: BillingAccount) => [
  allowanceFrom,
  allowanceSubscription,
];
const planOf = ({ tier, monthlyCharLimit }: BillingAccount) => [tier, monthlyCharLimit];
const lapsed = lapsedStatuses.map((status) => ({ status }));
const pastIncomplete = liveStatuses.filter((status) => status !== 'incomplete').map((status) => ({ status }));

describe('A 3.1, settled: when the recorded subscription ends, another one replaces it', () => {
  const ends = {
    deleted: deleted(9, 'sub_a', 'pro'),
    'deleted, told late': deleted(1, 'sub_a', 'pro'),
    canceled: changed(9, 'sub_a', 'canceled', 'pro'),
    'canceled, told late': changed(1, 'sub_a', 'canceled', 'pro'),
  };
  const byEnd = Object.keys(ends) as (keyof typeof ends)[];

  it.each(lapsed.flatMap((each) => byEnd.map((end) => ({ ...each, end }))))(
    '$status behind a current one that is $end: recorded with its status and tier, and the window stays',
    ({ status, end }) => {
      const both = stateAfter(changed(3, 'sub_a', 'active', 'pro'), changed(4, 'sub_b', status, 'studio'));
      expect([state(both).id, ...planOf(both)]).toEqual(['sub_a', 'pro', 1_500_000]);
      const after = apply(both, ends[end]);
      expect(state(after)).toEqual({ id: 'sub_b', status });
      expect(planOf(after)).toEqual(['studio', 5_000_000]);
      expect(after.subscriptionEventAt).toBe(at(4));
      expect(windowOf(after)).toEqual([at(3), 'sub_a']);
    },
  );

  it('a current one is recorded with the window that it opened, though another was recorded then', () => {
    const both = stateAfter(changed(5, 'sub_a', 'active', 'pro'), changed(2, 'sub_b', 'active', 'studio'));
    expect([state(both).id, ...windowOf(both)]).toEqual(['sub_a', at(5), 'sub_a']);
    const after = apply(both, deleted(6, 'sub_a'));
    expect([state(after).id, ...windowOf(after)]).toEqual(['sub_b', at(2), 'sub_b']);
    expect(planOf(after)).toEqual(['studio', 5_000_000]);
  });

  it('a tier change of it meanwhile restarted its own window, and not the one shown', () => {
    const both = stateAfter(
      changed(2, 'sub_b', 'active', 'personal'),
      changed(5, 'sub_a', 'active', 'pro'),
      changed(4, 'sub_b', 'active', 'studio'),
    );
    expect([...windowOf(both), ...planOf(both)]).toEqual([at(5), 'sub_a', 'pro', 1_500_000]);
    const after = apply(both, deleted(6, 'sub_a'));
    expect([...windowOf(after), ...planOf(after)]).toEqual([at(4), 'sub_b', 'studio', 5_000_000]);
  });

  it('one with an unknown Price leaves the allowance', () => {
    const after = stateAfter(
      changed(1, 'sub_b', 'past_due', 'other'),
      changed(2, 'sub_a', 'active', 'pro'),
      deleted(3, 'sub_a'),
    );
    expect([state(after).id, ...planOf(after)]).toEqual(['sub_b', 'pro', 1_500_000]);
  });

  it('one that has ended itself does not write its tier', () => {
    const after = stateAfter(
      changed(1, 'sub_b', 'active', 'studio'),
      changed(2, 'sub_a', 'active', 'pro'),
      deleted(9, 'sub_b', 'studio'),
      deleted(3, 'sub_a', 'pro'),
    );
    expect(state(after)).toEqual({ id: 'sub_b', status: 'canceled' });
    expect(planOf(after)).toEqual(['pro', 1_500_000]);
  });

  it('the recorded one lapses: another that is current replaces it', () => {
    const both = stateAfter(changed(1, 'sub_a', 'trialing', 'studio'), changed(2, 'sub_b', 'active', 'pro'));
    for (const status of lapsedStatuses.filter((each) => each !== 'incomplete')) {
      const after = apply(both, changed(3, 'sub_b', status, 'pro'));
      expect(state(after)).toEqual({ id: 'sub_a', status: 'trialing' });
      expect([...planOf(after), ...windowOf(after)]).toEqual(['studio', 5_000_000, at(1), 'sub_a']);
      const back = apply(after, changed(4, 'sub_b', 'active', 'pro'));
      expect([state(back).id, ...windowOf(back)]).toEqual(['sub_b', at(2), 'sub_b']);
    }
  });

  it('of two with events of the same second, the later to arrive is recorded', () => {
    const events = [changed(1, 'sub_a', 'active', 'pro'), changed(1, 'sub_b', 'active', 'studio')] as const;
    expect(state(stateAfter(events[0], events[1])).id).toBe('sub_b');
    expect(state(stateAfter(events[1], events[0])).id).toBe('sub_a');
    expect(state(stateAfter(events[0], completed(1, 'sub_b'))).id).toBe('sub_b');
  });

  it('a session counts for the subscription of the latest event', () => {
    const after = stateAfter(
      changed(1, 'sub_a', 'active', 'pro'),
      changed(2, 'sub_b', 'active', 'studio'),
      completed(3, 'sub_a'),
    );
    expect([state(after).id, ...planOf(after)]).toEqual(['sub_a', 'pro', 1_500_000]);
    expect([...windowOf(after), after.subscriptionEventAt]).toEqual([at(1), 'sub_a', at(1)]);
  });
});

describe('A 3.1 row 1, settled: a session and newer events of its subscription', () => {
  it.each(pastIncomplete)('older than $status: changes nothing, and opens no window', ({ status }) => {
    const before = stateAfter(changed(5, 'sub_a', status));
    expect(apply(before, completed(4, 'sub_a'))).toBe(before);
    expect(apply(before, completed(4, null))).toBe(before);
  });

  it('older than incomplete: active, and opens the window at its own time', () => {
    const after = stateAfter(changed(5, 'sub_a', 'incomplete', 'pro'), completed(4, 'sub_a'));
    expect(state(after)).toEqual({ id: 'sub_a', status: 'active' });
    expect([...windowOf(after), after.subscriptionEventAt]).toEqual([at(4), 'sub_a', at(5)]);
  });

  it.each(pastIncomplete)('as old as $status: active', ({ status }) => {
    expect(state(stateAfter(changed(5, 'sub_a', status), completed(5, 'sub_a'))).status).toBe('active');
  });

  it.each(pastIncomplete)('incomplete after $status: its tier and its time count', ({ status }) => {
    const before = stateAfter(changed(1, 'sub_a', status, 'pro'));
    const after = apply(before, changed(3, 'sub_a', 'incomplete', 'studio'));
    expect(state(after)).toEqual({ id: 'sub_a', status });
    expect([...planOf(after), after.subscriptionEventAt]).toEqual(['studio', 5_000_000, at(3)]);
    expect(apply(after, changed(2, 'sub_a', 'unpaid', 'personal'))).toBe(after);
    const opened = currentStatuses.some((current) => current === status);
    expect(windowOf(after)).toEqual(opened ? [at(3), 'sub_a'] : [null, null]);
  });
});

describe('A 3.1 row 1, settled: a session that names no subscription', () => {
  const unnamed = () => stateAfter(completed(5, null));

  it('belongs to the recorded one', () => {
    const after = stateAfter(changed(1, 'sub_a', 'past_due', 'pro'), completed(3, null));
    expect([state(after).id, state(after).status]).toEqual(['sub_a', 'active']);
    expect(windowOf(after)).toEqual([at(3), 'sub_a']);
    expect(after.subscriptions.map(({ id }) => id)).toEqual(['sub_a']);
  });

  it.each(endedStatuses.map((status) => ({ status })))(
    'the recorded one is $status: ignored',
    ({ status }) => {
      const before = stateAfter(changed(1, 'sub_a', status));
      expect(apply(before, completed(3, null))).toBe(before);
    },
  );

  it('nothing is recorded: an unnamed one, active, with a window', () => {
    expect(state(unnamed())).toEqual({ id: null, status: 'active' });
    expect(windowOf(unnamed())).toEqual([at(5), null]);
    const before = unnamed();
    expect(apply(before, completed(5, null), completed(4, null))).toBe(before);
  });

  it.each([4, 5, 6])('the next id takes it over with its window: event at second %i', (second) => {
    for (const event of [completed(second, 'sub_a'), changed(second, 'sub_a', 'active', 'pro')]) {
      const after = apply(unnamed(), event);
      expect(state(after)).toEqual({ id: 'sub_a', status: 'active' });
      expect(windowOf(after)).toEqual([at(5), 'sub_a']);
      expect(after.subscriptions.map(({ id }) => id)).toEqual(['sub_a']);
    }
  });

  it('the next id is past_due, or incomplete, or deleted', () => {
    expect(state(apply(unnamed(), changed(6, 'sub_a', 'past_due'))).status).toBe('past_due');
    expect(state(apply(unnamed(), changed(6, 'sub_a', 'incomplete'))).status).toBe('active');
    const ended = apply(unnamed(), deleted(6, 'sub_a'));
    expect(state(ended)).toEqual({ id: 'sub_a', status: 'canceled' });
    expect(ended.subscriptions.map(({ id }) => id)).toEqual(['sub_a']);
  });

  it('a second id is another subscription', () => {
    const after = apply(unnamed(), changed(6, 'sub_a', 'active', 'pro'), changed(7, 'sub_b', 'active'));
    expect([state(after).id, ...windowOf(after)]).toEqual(['sub_b', at(7), 'sub_b']);
  });
});
