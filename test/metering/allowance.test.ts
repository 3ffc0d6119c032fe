import { describe, expect, test } from 'vitest';
import {
  type AllowanceFigures,
  effectiveLimit,
  type Remedies,
  refuseByAllowance,
  remainingAllowance,
} from '#server/billing/metering/monthly-allowance.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import {
  base,
  type Customer,
  expectOverLimit,
  provision,
  subscriber,
  subscription,
  text,
  trialist,
} from '../billing/customers.ts';
import { deliverAll, nextSecond, paid, prices, subscribed, subscriptionEvent } from '../billing/payments.ts';

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

const ceiling = { MONTHLY_CHAR_CEILING: '1000' };
const { STRIPE_PRICE_TOPUP: _none, ...withoutTopup } = paid();
const sells = useTestApp({ env: { ...paid(), ...ceiling } });
const sellsNone = useTestApp({ env: { ...withoutTopup, ...ceiling } });
const off = useTestApp({ env: { ...base, ...ceiling } });

/** The remedies in the error for the first character above the limit. */
async function remediesAfter(mine: Customer, admitted: number): Promise<string> {
  expect((await mine.translate(text(admitted))).status).toBe(200);
  const detail = expectOverLimit(await mine.translate('a'));
  return ['top-up', 'upgrade', 'operator'].filter((remedy) => detail.includes(remedy)).join(', ');
}

describe('the remedies of a spent allowance (A 8.2 rule 5)', () => {
  test('are a top-up and an upgrade, if they are sold', async () => {
    expect(await remediesAfter(await subscriber(sells, 100), 100)).toBe('top-up, upgrade');
    expect(await remediesAfter(await subscriber(sellsNone, 100), 100)).toBe('upgrade');
  });

  test('are the operator at the ceiling, with billing on or off', async () => {
    const mine = await subscriber(sells, 400, { topup_chars_purchased: 5000 });
    expect(await remediesAfter(mine, 1000)).toBe('operator');
    expect(await remediesAfter(await provision(off, { monthly_char_limit: 5000 }), 1000)).toBe('operator');
  });

  test('do not exist with billing off, whatever the metadata is, and on trial', async () => {
    const metadata = subscription('active', { topup_chars_purchased: 500 });
    expect(await remediesAfter(await provision(off, { monthly_char_limit: 100, metadata }), 100)).toBe('');
    expect(await remediesAfter(await trialist(sells, { monthly_char_limit: 100 }), 100)).toBe('');
  });
});

// The allowances of plans are large. A Japanese character therefore counts as 100 characters, so that a text of a few
// thousand characters uses up an allowance.
const app = useTestApp({ env: { ...paid(), DENSE_SCRIPT_WEIGHT: '100', TRIAL_CHARS: '400000' } });
const low = useTestApp({ env: { ...paid(), MONTHLY_CHAR_CEILING: '1000' } });

/** Uses this many weighted characters, a multiple of 100. */
const spend = async (by: Customer, chars: number) => by.translate(text(chars / 100), { target_lang: 'ja' });

const windowOf = async (of: Customer) => (await of.billing()).allowance;
const monthStart = () => `${new Date().toISOString().slice(0, 7)}-01T00:00:00.000Z`;

/** Expects that exactly this many weighted characters, a multiple of 100, are admitted. */
async function expectRoom(by: Customer, chars: number): Promise<void> {
  expect((await windowOf(by)).remaining).toBe(chars);
  expectOverLimit(await by.translate(`${text(chars / 100)}a`, { target_lang: 'ja' }));
  expect((await spend(by, chars)).status).toBe(200);
  expectOverLimit(await by.translate('a', { target_lang: 'ja' }));
}

describe('the window is the current UTC month (A 8.2 rule 3)', () => {
  test('starts with the month, even if the plan is older', async () => {
    const theirs = await subscriber(low, 100, { pay_allowance_from: '2026-01-17T10:00:00.000Z' });
    const { window_start } = await windowOf(theirs);
    expect(new Date(window_start).toISOString()).toBe(monthStart());
  });

  test('counts usage from the first moment of the month on, and none before', async () => {
    const theirs = await subscriber(low, 100);
    expect((await theirs.translate(text(60))).status).toBe(200);
    const sql = openSuperuser(low.superuserUrl);
    const move = async (at: string) => {
      await sql`update usage_totals set day = ${at.slice(0, 10)} where tenant_id = ${theirs.tenantId}`;
      await sql`update usage_records set recorded_at = ${at} where tenant_id = ${theirs.tenantId}`;
    };
    await move(monthStart());
    expect(await windowOf(theirs)).toMatchObject({ used: 60, remaining: 40 });
    await move(new Date(Date.parse(monthStart()) - 1).toISOString());
    expect(await windowOf(theirs)).toMatchObject({ used: 0, remaining: 100 });
    expect((await theirs.translate(text(100))).status).toBe(200);
    expectOverLimit(await theirs.translate('a'));
  });
});

test('trial usage does not count against a plan that took effect in this month (A 8.2 rule 3)', async () => {
  const founder = await trialist(app);
  expect((await spend(founder, 400_000)).status).toBe(200);
  const about = { tenantId: founder.tenantId, id: `sub_${founder.tenantId}` };
  await deliverAll(app, subscriptionEvent('updated', { ...about, price: prices.personal }));
  await expectRoom(founder, 500_000);
  expect(await founder.billed()).toBe(900_000);
});

test('usage under all plans of a month, and the trial’s, count against the ceiling', async () => {
  const theirs = await trialist(low, { monthly_char_limit: 400 });
  const { tenantId } = theirs;
  expect((await theirs.translate(text(200))).status).toBe(200);
  for (const [at, admitted] of [400, 400].entries()) {
    await deliverAll(low, subscribed(tenantId, `sub_${at}_${tenantId}`));
    expectOverLimit(await theirs.translate(text(admitted + 1)));
    expect((await theirs.translate(text(admitted))).status).toBe(200);
    expect(expectOverLimit(await theirs.translate('a')).includes('operator')).toBe(at === 1);
    await nextSecond();
    await deliverAll(low, subscriptionEvent('deleted', { tenantId, id: `sub_${at}_${tenantId}` }));
  }
  expect(await theirs.billed()).toBe(1000);
});
