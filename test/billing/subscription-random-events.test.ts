import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PaymentEvent } from '#server/platform/payments/payment-event.ts';
import { walk } from './subscription-replay.ts';
import { at } from './subscription-scenarios.ts';
import { statuses } from './subscription-table.ts';

const createdAt = fc.integer({ min: 1, max: 8 }).map(at);
const id = fc.constantFrom('sub_a', 'sub_b', 'sub_c');
const status = fc.constantFrom('active', ...statuses);
const priceIds = fc.constantFrom(
  ['price_personal'],
  ['price_pro'],
  ['price_studio'],
  ['price_other'],
  ['price_other', 'price_pro'],
  [],
);
const sessionId = fc.constantFrom('cs_1', 'cs_2', 'cs_3');
const chars = fc.integer({ min: 1, max: 5 }).map((packs) => packs * 1_000_000);

const event: fc.Arbitrary<PaymentEvent> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('subscription_changed'),
      createdAt,
      subscriptionId: id,
      status,
      priceIds,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('subscription_session'), createdAt, subscriptionId: id }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('subscription_deleted'),
      createdAt,
      subscriptionId: id,
      status: fc.constant('canceled'),
      priceIds,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('topup_paid'), createdAt, sessionId, chars }) },
);

describe('A 3.1: events of several subscriptions, at any times, in any order', () => {
  it.each([
    { most: 4, numRuns: 20_000 },
    { most: 12, numRuns: 10_000 },
    { most: 40, numRuns: 2_000 },
  ])('the table and the invariants hold at every step of up to $most events', ({ most, numRuns }) => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: most }), (events) => {
        expect(walk(events).broken ?? '').toBe('');
      }),
      { numRuns },
    );
  });

  it('A 3.1 row 1: so they do with sessions that name no subscription', () => {
    const unnamed = fc.record({
      kind: fc.constant('subscription_session'),
      createdAt,
      subscriptionId: fc.constant(null),
    });
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 6, arbitrary: event }, unnamed), { maxLength: 8 }),
        (events) => {
          expect(walk(events).broken ?? '').toBe('');
        },
      ),
      { numRuns: 10_000 },
    );
  });
});
