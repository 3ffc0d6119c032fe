import { describe, expect, it } from 'vitest';
import type { BillingAccount } from '#server/billing/account.ts';
import { applyPaymentEvent } from '#server/billing/subscription-sync.ts';
import type { PaymentEvent } from '#server/platform/payments/payment-event.ts';
import { at, changed, completed, deleted, emptyAccount, prices, topUp } from './subscription-scenarios.ts';
import {
  currentStatuses,
  endedStatuses,
  lapsedStatuses,
  liveStatuses,
  statuses,
} from './subscription-table.ts';

const apply = (account: BillingAccount, ...events: PaymentEvent[]) =>
  events.reduce((state, event) => applyPaymentEvent(state, event, prices), account);
const stateAfter = (...events: PaymentEvent[]) => apply(emptyAccount, ...events);
const state = ({ subscriptionId: id, subscriptionStatus: status }: BillingAccount) => ({ id, status });
const live = liveStatuses.map((status) => ({ status }));
const ended = endedStatuses.map((status) => ({ status }));
const every = statuses.map((status) => ({ status }));

describe('A 3.1 row 1: session completed, mode subscription', () => {
  it('no subscription yet: active, and its id is recorded', () => {
    expect(state(stateAfter(completed(1, 'sub_a')))).toEqual({ id: 'sub_a', status: 'active' });
  });

  it.each(live)('$status: active', ({ status }) => {
    const after = stateAfter(changed(1, 'sub_a', status), completed(2, 'sub_a'));
    expect(state(after)).toEqual({ id: 'sub_a', status: 'active' });
  });

  it.each(every)('$status of another subscription: active under the new id', ({ status }) => {
    const after = stateAfter(changed(1, 'sub_a', status), completed(2, 'sub_b'));
    expect(state(after)).toEqual({ id: 'sub_b', status: 'active' });
  });

  it.each(live)('$status, and the session names no subscription: active, the id stays', ({ status }) => {
    const after = stateAfter(changed(1, 'sub_a', status), completed(2, null));
    expect(state(after)).toEqual({ id: 'sub_a', status: 'active' });
  });

  it('the very first session names no subscription: active, without an id', () => {
    expect(state(stateAfter(completed(1, null)))).toEqual({ id: null, status: 'active' });
  });

  it('does not set the tier or the allowance', () => {
    const first = stateAfter(completed(1, 'sub_a'));
    expect([first.tier, first.monthlyCharLimit]).toEqual([null, 123_456]);
    const before = stateAfter(changed(1, 'sub_a', 'past_due', 'studio'));
    const after = apply(before, completed(2, 'sub_a'));
    expect([after.tier, after.monthlyCharLimit]).toEqual(['studio', 5_000_000]);
  });
});

describe('A 3.1 row 2: subscription created / updated', () => {
  it.each(every)('no subscription yet: $status as the event carries it', ({ status }) => {
    const after = stateAfter(changed(1, 'sub_a', status));
    expect(state(after)).toEqual({ id: 'sub_a', status });
    expect(after.subscriptionEventAt).toBe(at(1));
  });

  const moves = liveStatuses.flatMap((from) =>
    statuses.filter((to) => to !== 'incomplete').map((to) => ({ from, to })),
  );
  it.each(moves)('$from -> $to, newer than the newest applied', ({ from, to }) => {
    const after = stateAfter(changed(1, 'sub_a', from), changed(2, 'sub_a', to));
    expect(state(after)).toEqual({ id: 'sub_a', status: to });
    expect(after.subscriptionEventAt).toBe(at(2));
  });

  it.each(moves)('$from -> $to, as old as the newest applied', ({ from, to }) => {
    const after = stateAfter(changed(2, 'sub_a', from), changed(2, 'sub_a', to));
    expect(state(after)).toEqual({ id: 'sub_a', status: to });
  });

  const stale = liveStatuses.flatMap((from) => liveStatuses.map((to) => ({ from, to })));
  it.each(stale)('$from stays where $to is older than the newest applied', ({ from, to }) => {
    const before = stateAfter(changed(2, 'sub_a', from, 'pro'));
    expect(apply(before, changed(1, 'sub_a', to, 'studio'))).toBe(before);
  });

  it.each(live)('$status of another subscription is not replaced by an older event', ({ status }) => {
    const before = stateAfter(changed(2, 'sub_b', 'active', 'pro'));
    expect(state(apply(before, changed(1, 'sub_a', status)))).toEqual({ id: 'sub_b', status: 'active' });
  });

  it.each(live.filter(({ status }) => status !== 'incomplete'))(
    'an incomplete status is ignored once $status is recorded',
    ({ status }) => {
      for (const second of [1, 2, 3]) {
        const after = stateAfter(changed(2, 'sub_a', status), changed(second, 'sub_a', 'incomplete'));
        expect(state(after)).toEqual({ id: 'sub_a', status });
      }
    },
  );

  it('an incomplete status is ignored when the session has made the subscription active', () => {
    const after = stateAfter(completed(2, 'sub_a'), changed(1, 'sub_a', 'incomplete'));
    expect(state(after)).toEqual({ id: 'sub_a', status: 'active' });
  });

  it.each(liveStatuses.flatMap((from) => currentStatuses.map((to) => ({ from, to }))))(
    '$from, and another subscription that is newer and $to: the other is recorded',
    ({ from, to }) => {
      const after = stateAfter(changed(1, 'sub_a', from), changed(2, 'sub_b', to));
      expect(state(after)).toEqual({ id: 'sub_b', status: to });
    },
  );

  it.each(currentStatuses.flatMap((from) => lapsedStatuses.map((to) => ({ from, to }))))(
    '(settled, against the letter) $from stays recorded, though another is newer and $to',
    ({ from, to }) => {
      const after = stateAfter(changed(1, 'sub_a', from, 'pro'), changed(2, 'sub_b', to, 'studio'));
      expect(state(after)).toEqual({ id: 'sub_a', status: from });
      expect([after.tier, after.monthlyCharLimit, after.subscriptionEventAt]).toEqual([
        'pro',
        1_500_000,
        at(1),
      ]);
      expect([after.allowanceFrom, after.allowanceSubscription]).toEqual([at(1), 'sub_a']);
    },
  );

  it.each(lapsedStatuses.flatMap((from) => lapsedStatuses.map((to) => ({ from, to }))))(
    '$from, and another subscription that is newer and $to: the other is recorded, incomplete behind',
    ({ from, to }) => {
      const after = stateAfter(changed(1, 'sub_a', from), changed(2, 'sub_b', to));
      const older = to === 'incomplete' && from !== 'incomplete';
      expect(state(after)).toEqual(older ? { id: 'sub_a', status: from } : { id: 'sub_b', status: to });
    },
  );

  it.each(ended)('$status of one subscription, then a newer one begins', ({ status }) => {
    const after = stateAfter(changed(1, 'sub_a', status), changed(2, 'sub_b', 'active', 'pro'));
    expect(state(after)).toEqual({ id: 'sub_b', status: 'active' });
  });
});

describe('A 3.1 row 3: subscription deleted', () => {
  it('no subscription yet: canceled, and the deleted id is recorded', () => {
    expect(state(stateAfter(deleted(1, 'sub_a')))).toEqual({ id: 'sub_a', status: 'canceled' });
  });

  it.each(live)('$status: canceled, whichever of the two events is older', ({ status }) => {
    for (const second of [1, 2, 3]) {
      const after = stateAfter(changed(2, 'sub_a', status), deleted(second, 'sub_a'));
      expect(state(after)).toEqual({ id: 'sub_a', status: 'canceled' });
    }
  });

  it.each(ended)('an end that comes as status $status is final too, however old it is', ({ status }) => {
    for (const from of liveStatuses) {
      const after = stateAfter(changed(5, 'sub_a', from, 'pro'), changed(2, 'sub_a', status, 'studio'));
      expect(state(after)).toEqual({ id: 'sub_a', status });
      expect([after.tier, after.monthlyCharLimit, after.subscriptionEventAt]).toEqual([
        'pro',
        1_500_000,
        at(5),
      ]);
    }
  });

  it('whatever status the deleted subscription carries: canceled', () => {
    const after = stateAfter(changed(1, 'sub_a', 'active'), { ...deleted(2, 'sub_a'), status: 'active' });
    expect(state(after)).toEqual({ id: 'sub_a', status: 'canceled' });
  });

  it.each(live)('ignored when the recorded subscription is a different one that is $status', ({ status }) => {
    for (const second of [1, 2, 3]) {
      const after = stateAfter(changed(2, 'sub_b', status), deleted(second, 'sub_a'));
      expect(state(after)).toEqual({ id: 'sub_b', status });
    }
  });

  it.each(live)(
    'a different one that ends by its status is ignored too when $status is recorded',
    ({ status }) => {
      for (const end of endedStatuses) {
        const after = stateAfter(changed(1, 'sub_b', status), changed(2, 'sub_a', end));
        expect(state(after)).toEqual({ id: 'sub_b', status });
      }
    },
  );

  it.each(ended)('the recorded subscription is a different one that is $status: canceled', ({ status }) => {
    const after = stateAfter(changed(1, 'sub_a', status), deleted(2, 'sub_b'));
    expect(state(after)).toEqual({ id: 'sub_b', status: 'canceled' });
  });

  it('a different one that ended later stays recorded', () => {
    const after = stateAfter(changed(2, 'sub_a', 'incomplete_expired'), deleted(1, 'sub_b'));
    expect(state(after)).toEqual({ id: 'sub_a', status: 'incomplete_expired' });
  });

  it('leaves the allowance unchanged', () => {
    const before = stateAfter(changed(1, 'sub_a', 'active', 'pro'));
    const after = apply(before, deleted(2, 'sub_a', 'studio'));
    expect(after.monthlyCharLimit).toBe(1_500_000);
    expect([after.allowanceFrom, after.allowanceSubscription]).toEqual([at(1), 'sub_a']);
  });
});

describe('A 3.1 row 4: late events of a subscription that has ended', () => {
  const ends = {
    deleted: deleted(5, 'sub_a'),
    canceled: changed(5, 'sub_a', 'canceled'),
    incomplete_expired: changed(5, 'sub_a', 'incomplete_expired'),
  };
  const late = [4, 5, 6].flatMap((second) => [
    completed(second, 'sub_a'),
    ...statuses.map((status) => changed(second, 'sub_a', status, 'studio')),
  ]);

  it.each(Object.entries(ends))('%s: unchanged, always', (_name, end) => {
    for (const before of [stateAfter(end), stateAfter(changed(1, 'sub_a', 'active'), end)]) {
      for (const event of late) expect(apply(before, event)).toBe(before);
    }
  });

  it.each(Object.entries(ends))('%s, and a new id has taken its place: unchanged, always', (_name, end) => {
    const before = stateAfter(changed(1, 'sub_a', 'active'), end, changed(5, 'sub_b', 'active', 'pro'));
    expect(state(before)).toEqual({ id: 'sub_b', status: 'active' });
    for (const event of late) expect(apply(before, event)).toBe(before);
  });

  it('deleted while a different live one was recorded: final for that id all the same', () => {
    const before = stateAfter(changed(1, 'sub_b', 'active', 'pro'), deleted(5, 'sub_a'));
    for (const event of late) {
      expect(state(apply(before, event))).toEqual({ id: 'sub_b', status: 'active' });
    }
  });

  it('a hundred subscriptions on, the first is still ended', () => {
    const ids = Array.from({ length: 100 }, (_, index) => `sub_${index}`);
    const before = stateAfter(...ids.flatMap((id, index) => [completed(index, id), deleted(index, id)]));
    for (const id of ids) expect(apply(before, completed(200, id))).toBe(before);
  });
});

describe('A 3.1, its last line: a session of mode payment', () => {
  it.each(every)('$status: writes neither the status nor the id', ({ status }) => {
    const before = stateAfter(changed(1, 'sub_a', status));
    const after = apply(before, topUp(2, 'cs_1'));
    expect({ ...after, topUpPurchased: 0, creditedSessions: [] }).toEqual(before);
  });
});
