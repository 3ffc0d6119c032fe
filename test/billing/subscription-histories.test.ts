import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PaymentEvent } from '#server/platform/payments/payment-event.ts';
import { includedChars, type Tier, tiers } from '#server/platform/payments/tiers.ts';
import { describeEvent, walk } from './subscription-replay.ts';
import { changed, completed, deleted, topUp } from './subscription-scenarios.ts';
import { isCurrent } from './subscription-table.ts';

/**
 * Histories as the processor makes them: subscriptions one after another, each ended before the next begins, times rising.
 * They arrive in any order, some of the events twice.
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

describe('A 3.1, A 6 rule 4: one subscription after another, delivered in any order', () => {
  it('ends with the last subscription and the state of its newest event', () => {
    fc.assert(
      fc.property(history, ({ chapters, lastEnds, order }) => {
        const { end, broken } = walk(order);
        expect(broken ?? '').toBe('');
        const path = order.map(describeEvent).join('\n');
        expect(end.topUpPurchased, path).toBe(chapters.length * 1_000_000);
        expect(end.subscriptionId, path).toBe(`sub_${chapters.length - 1}`);
        if (lastEnds) {
          expect(end.subscriptionStatus, path).toBe('canceled');
          return;
        }
        const last = chapters.at(-1)!;
        const newest = last.states.at(-1)!;
        expect(end.tier, path).toBe(newest.tier);
        expect(end.monthlyCharLimit, path).toBe(includedChars[newest.tier]);
        expect(end.subscriptionStatus, path).toBe(newest.status);
        if (isCurrent(newest.status)) expect(end.allowanceSubscription, path).toBe(end.subscriptionId);
      }),
      { numRuns: 5000 },
    );
  });
});
