import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedMetadata, readBillingAccount } from '#server/billing/account.ts';
import { applyPaymentEvent } from '#server/billing/subscription-sync.ts';
import type { PaymentEvent } from '#server/platform/payments/payment-event.ts';
import { describeEvent, walk } from './subscription-replay.ts';
import { emptyAccount, type Life, lives, prices } from './subscription-scenarios.ts';

function* ordersOf<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield [];
  for (const [position, first] of items.entries()) {
    for (const rest of ordersOf(items.toSpliced(position, 1))) yield [first, ...rest];
  }
}

/** The rules that one order breaks, after any event or at its end. */
function brokenBy({ end, opens }: Life, order: readonly PaymentEvent[]): string[] {
  const walked = walk(order);
  const wrong = Object.entries(end).filter(([field, value]) => Reflect.get(walked.end, field) !== value);
  const unopened = opens.filter((id) => !walked.opened.get(id));
  const broken = walked.broken === null ? [] : [walked.broken];
  if (wrong.length + unopened.length === 0) return broken;
  const path = order.map(describeEvent).join('\n  ');
  return [
    ...broken,
    `end: expected ${JSON.stringify({ end, opens })}\n got ${JSON.stringify(walked.end)}\n  ${path}`,
  ];
}

describe.each(lives)('A 3.1, A 6 rule 4: $name', (life) => {
  it('all 5,040 orders end as the table says, and keep the invariants on the way', () => {
    const orders = [...ordersOf(life.events)];
    expect(orders.length).toBe(5040);
    const broken = orders.map((order) => brokenBy(life, order)).filter(({ length }) => length > 0);
    expect(broken.slice(0, 3).flat().join('\n\n'), `${broken.length} orders`).toBe('');
  });

  it('so do orders in which every event comes twice', () => {
    const doubled = [...life.events, ...life.events];
    fc.assert(
      fc.property(fc.shuffledSubarray(doubled, { minLength: 14 }), (order) => {
        expect(brokenBy(life, order).join('\n\n')).toBe('');
      }),
      { numRuns: 1500, seed: 5040 },
    );
  });

  it('storing and reading the state between two events changes nothing', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...life.events], { minLength: 7 }), (order) => {
        let stored = { monthlyCharLimit: emptyAccount.monthlyCharLimit, metadata: {} };
        let account = readBillingAccount(stored);
        for (const event of order) {
          const before = readBillingAccount(stored);
          const after = applyPaymentEvent(before, event, prices);
          const { monthlyCharLimit } = after;
          const written: unknown = JSON.parse(JSON.stringify(changedMetadata(before, after)));
          stored = { monthlyCharLimit, metadata: { ...stored.metadata, ...Object(written) } };
          account = applyPaymentEvent(account, event, prices);
          expect(readBillingAccount(stored)).toEqual(account);
        }
      }),
      { numRuns: 200, seed: 5040 },
    );
  });
});
