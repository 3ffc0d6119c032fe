import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PaymentEvent } from '#server/platform/payments/processor.ts';
import { includedChars, type Tier, tiers } from '#server/platform/payments/tiers.ts';
import {
  after,
  changed,
  completed,
  currentStatuses,
  deleted,
  shown,
  topUp,
} from './subscription-scenarios.ts';

/**
 * Histories as the processor creates them: one subscription after another, with increasing times. Each subscription
 * ends before the next one begins. The events arrive in any order, and some arrive twice.
 */
interface Chapter {
  begunIncomplete: boolean;
  session: boolean;
  states: readonly { status: string; tier: Tier }[];
}

const state = fc.record({
  status: fc.constantFrom('active', 'active', 'trialing', 'past_due', 'unpaid', 'paused'),
  tier: fc.constantFrom(...tiers),
});
const chapter: fc.Arbitrary<Chapter> = fc.record({
  begunIncomplete: fc.boolean(),
  session: fc.boolean(),
  states: fc.array(state, { minLength: 1, maxLength: 4 }),
});

function eventsOf(chapters: readonly Chapter[], lastEnds: boolean): PaymentEvent[] {
  let second = 0;
  return chapters.flatMap(({ begunIncomplete, session, states }, index) => {
    const id = `sub_${index}`;
    const tier = states[0]!.tier;
    const ends = lastEnds || index < chapters.length - 1;
    return [
      ...(begunIncomplete ? [changed(++second, id, 'incomplete', tier)] : []),
      ...(session ? [completed(++second, id)] : []),
      ...states.map((each) => changed(++second, id, each.status, each.tier)),
      topUp(++second, `cs_${index}`),
      ...(ends ? [deleted(++second, id)] : []),
    ];
  });
}

const history = fc
  .record({ chapters: fc.array(chapter, { minLength: 1, maxLength: 3 }), lastEnds: fc.boolean() })
  .chain(({ chapters, lastEnds }) => {
    const events = eventsOf(chapters, lastEnds);
    return fc.record({
      chapters: fc.constant(chapters),
      lastEnds: fc.constant(lastEnds),
      order: fc
        .subarray(events)
        .chain((twice) =>
          fc.shuffledSubarray([...events, ...twice], { minLength: events.length + twice.length }),
        ),
    });
  });

test('subscriptions one after another, delivered in any order, end with the state of the latest event', () => {
  fc.assert(
    fc.property(history, ({ chapters, lastEnds, order }) => {
      const end = after(...order);
      const path = JSON.stringify(order, null, 1);
      const latest = chapters.at(-1)!.states.at(-1)!;
      expect(end.topUpPurchased, path).toBe(chapters.length * 1_000_000);
      expect(shown(end), path).toBe(`sub_${chapters.length - 1} ${lastEnds ? 'canceled' : latest.status}`);
      if (lastEnds) return;
      expect([end.tier, end.monthlyCharLimit], path).toEqual([latest.tier, includedChars[latest.tier]]);
      if (currentStatuses.some((status) => status === latest.status))
        expect(end.allowanceSubscription, path).toBe(end.subscriptionId);
    }),
    { numRuns: 1000 },
  );
});
