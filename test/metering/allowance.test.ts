import { describe, expect, test } from 'vitest';
import {
  type AllowanceFigures,
  effectiveLimit,
  type Remedies,
  refuseByAllowance,
  remainingAllowance,
} from '#server/billing/metering/monthly-allowance.ts';

const fresh: AllowanceFigures = {
  monthlyLimit: 500_000,
  ceiling: 10_000_000,
  topUp: null,
  windowUsed: 0,
  monthUsed: 0,
  inFlight: 0,
};

/** A 8.2 rules 2 to 4 as a table: the total allowance of a month, and the remaining allowance. */
const cases: [rule: string, figures: Partial<AllowanceFigures>, reach: number, room: number][] = [
  ['the plan alone', {}, 500_000, 500_000],
  ['rule 1: what is recorded is taken', { windowUsed: 100, monthUsed: 100 }, 500_000, 499_900],
  ['rule 1: work in flight is taken', { inFlight: 300 }, 500_000, 499_700],
  ['rule 2: a balance adds to it', { topUp: 1_000_000 }, 1_500_000, 1_500_000],
  ['rule 2: without billing or subscription it does not', { topUp: null }, 500_000, 500_000],
  ['rule 2: no further than the ceiling', { topUp: 10_000_000 }, 10_000_000, 10_000_000],
  ['rule 2: just to the ceiling', { topUp: 9_500_000 }, 10_000_000, 10_000_000],
  ['rule 2: one below it', { topUp: 9_499_999 }, 9_999_999, 9_999_999],
  ['an overdrawn balance takes nothing away', { topUp: -5 }, 500_000, 500_000],
  [
    'rule 3: what the month recorded before the window does not count',
    { windowUsed: 10, monthUsed: 400_000 },
    500_000,
    499_990,
  ],
  [
    'rule 4: but the ceiling counts all of the month',
    { windowUsed: 10, monthUsed: 9_800_000 },
    500_000,
    200_000,
  ],
  ['rule 4: and work in flight', { windowUsed: 0, monthUsed: 9_800_000, inFlight: 150_000 }, 500_000, 50_000],
  [
    'rule 4: a limit at the ceiling has no headroom',
    { monthlyLimit: 10_000_000, topUp: 5 },
    10_000_000,
    10_000_000,
  ],
  [
    'rule 4: a limit above the ceiling is not clamped, the month is',
    { monthlyLimit: 20_000_000, topUp: 5, windowUsed: 1, monthUsed: 1 },
    20_000_000,
    9_999_999,
  ],
  ['overdrawn', { windowUsed: 500_010, monthUsed: 500_010 }, 500_000, -10],
];

describe('allowance and remaining characters (A 8.2)', () => {
  test.each(cases)('%s', (_rule, figures, reach, room) => {
    const all = { ...fresh, ...figures };
    expect([effectiveLimit(all), remainingAllowance(all)]).toEqual([reach, room]);
    const nobody: Remedies = { canChangePlan: false, topUpSold: false };
    expect(refuseByAllowance(all, nobody, Math.max(room, 0) + 1)).toMatch(/^tenant usage limit exceeded/);
    if (room >= 0) expect(refuseByAllowance(all, nobody, room)).toBeNull();
  });
});

const prefix = 'tenant usage limit exceeded';
const upgrade =
  'upgrade at /billing for immediate effect, counted from the upgrade (a downgrade applies at renewal)';
const full = { windowUsed: 500_000, monthUsed: 500_000 };

/** Rule 5: the error if one more character is submitted. */
const remedies: [cause: string, Partial<AllowanceFigures>, Remedies, detail: string][] = [
  ['no subscription, or billing off', full, { canChangePlan: false, topUpSold: true }, prefix],
  ['no subscription, no top-up', full, { canChangePlan: false, topUpSold: false }, prefix],
  [
    'a subscriber where top-ups are sold',
    full,
    { canChangePlan: true, topUpSold: true },
    `${prefix}: buy a top-up at /billing, or ${upgrade}`,
  ],
  ['a subscriber where none are', full, { canChangePlan: true, topUpSold: false }, `${prefix}: ${upgrade}`],
  [
    'the ceiling, whoever asks',
    { windowUsed: 0, monthUsed: 10_000_000 },
    { canChangePlan: true, topUpSold: true },
    `${prefix}: the deployment's ceiling of 10000000 characters a month is reached; contact the operator`,
  ],
  [
    'an allowance of the operator at the ceiling, of which work in flight takes the rest',
    { monthlyLimit: 10_000_000, windowUsed: 5_000_000, monthUsed: 5_000_000, inFlight: 5_000_000 },
    { canChangePlan: false, topUpSold: false },
    `${prefix}: the deployment's ceiling of 10000000 characters a month is reached; contact the operator`,
  ],
];

test('a document needs room for one character in the allowance, and for all below the ceiling', () => {
  const refusal = (figures: Partial<AllowanceFigures>) =>
    refuseByAllowance({ ...fresh, ...figures }, { canChangePlan: false, topUpSold: false }, 1000, 1);
  expect(refusal({ windowUsed: 499_999, monthUsed: 499_999 })).toBeNull();
  expect(refusal({ windowUsed: 400_000, monthUsed: 400_000, inFlight: 100_000 })).toBe(prefix);
  expect(refusal({ windowUsed: 0, monthUsed: 9_999_000 })).toBeNull();
  expect(refusal({ windowUsed: 0, monthUsed: 9_999_001 })).toContain("the deployment's ceiling");
});

describe('the remedies (A 8.2 rule 5)', () => {
  test.each(remedies)('%s', (_cause, figures, given, detail) => {
    expect(refuseByAllowance({ ...fresh, ...figures }, given, 1)).toBe(detail);
  });
});
