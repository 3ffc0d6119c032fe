import { afterEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import {
  base,
  type Customer,
  expectOverLimit,
  provision,
  sessionOf,
  subscriber,
  subscription,
  text,
  trialist,
} from '../billing/customers.ts';
import { paid } from '../billing/payments.ts';

const ceiling = { MONTHLY_CHAR_CEILING: '1000' };
const { STRIPE_PRICE_TOPUP: _none, ...withoutTopup } = paid();
const runs = holdRuns();
const sells = useTestApp({ env: { ...paid(), ...ceiling }, engine: runs.engine });
const sellsNone = useTestApp({ env: { ...withoutTopup, ...ceiling } });
const off = useTestApp({ env: { ...base, ...ceiling } });
afterEach(() => runs.release());

const PREFIX = 'tenant usage limit exceeded';

/** The refusal of the first character above the limit, after `admitted` characters. */
async function refusalAfter(mine: Customer, admitted: number): Promise<string> {
  expect((await mine.translate(text(admitted))).status).toBe(200);
  const detail = expectOverLimit(await mine.translate('a'));
  expect(await mine.billed()).toBe(admitted);
  return detail;
}

/** Which remedies a detail names. */
const named = (detail: string) => ({
  operator: /operator/i.test(detail),
  topup: /top-?up/i.test(detail),
  upgrade: /upgrad/i.test(detail),
  downgrade: /downgrad/i.test(detail),
});
const operatorOnly = { operator: true, topup: false, upgrade: false, downgrade: false };

describe('A 8.2 rule 5: top-up sold and plan below the ceiling', () => {
  test('buy a top-up, or upgrade for immediate effect counted from the upgrade; a downgrade applies at renewal', async () => {
    const detail = await refusalAfter(await subscriber(sells, 100), 100);
    expect(named(detail)).toEqual({ operator: false, topup: true, upgrade: true, downgrade: true });
    expect(detail).toMatch(/immediate/i);
    expect(detail).toMatch(/renewal/i);
  });

  test('a trialing subscription is current too (C 2)', async () => {
    const mine = await provision(sells, { monthly_char_limit: 100, metadata: subscription('trialing') });
    expect(named(await refusalAfter(mine, 100))).toMatchObject({
      operator: false,
      topup: true,
      upgrade: true,
    });
  });

  test('one character below the ceiling still counts as below', async () => {
    const detail = await refusalAfter(await subscriber(sells, 999), 999);
    expect(named(detail)).toMatchObject({ operator: false, topup: true, upgrade: true });
  });
});

describe('A 8.2 rule 5: no top-up Price', () => {
  test('upgrade only', async () => {
    const detail = await refusalAfter(await subscriber(sellsNone, 100), 100);
    expect(named(detail)).toMatchObject({ operator: false, topup: false, upgrade: true });
  });
});

describe('A 8.2 rule 5: the ceiling is reached', () => {
  test.each([
    ['top-ups are sold', sells],
    ['top-ups are not sold', sellsNone],
  ])('contact the operator, where %s', async (_, app) => {
    const mine = await subscriber(app, 400, { topup_chars_purchased: 5000 });
    expect(named(await refusalAfter(mine, 1000))).toEqual(operatorOnly);
  });

  test('A 8: with billing off as well', async () => {
    const mine = await provision(off, { monthly_char_limit: 5000 });
    expect(named(await refusalAfter(mine, 1000))).toEqual(operatorOnly);
  });

  test('in flight counts towards it', async () => {
    const mine = await subscriber(sells, 400, { topup_chars_purchased: 5000 });
    const answer = mine.translate(text(1000, 'held'));
    const run = await runs.next();
    expect(named(expectOverLimit(await mine.translate('a')))).toEqual(operatorOnly);
    run.succeed();
    expect((await answer).status).toBe(200);
  });
});

describe('A 8.2 rule 5: an operator-provisioned allowance at or above the ceiling', () => {
  test.each([
    ['at', 1000],
    ['above', 1001],
    ['far above', 50_000_000],
  ])('%s it: contact the operator, who sells neither top-up nor upgrade', async (_, limit) => {
    expect(named(await refusalAfter(await subscriber(sells, limit), 1000))).toEqual(operatorOnly);
  });
});

describe('A 8.2 rule 5: otherwise the bare prefix', () => {
  test('billing off', async () => {
    expect(await refusalAfter(await provision(off, { monthly_char_limit: 100 }), 100)).toBe(PREFIX);
  });

  test('billing off, even with a subscription in the metadata', async () => {
    const metadata = subscription('active', { topup_chars_purchased: 500 });
    const mine = await provision(off, { monthly_char_limit: 100, metadata });
    expect(await refusalAfter(mine, 100)).toBe(PREFIX);
  });

  test('on trial', async () => {
    const mine = await trialist(sells, { monthly_char_limit: 100 });
    expect(await refusalAfter(mine, 100)).toBe(PREFIX);
  });

  test('on trial, in a tenant that the operator provisioned', async () => {
    const metadata = { trial_chars_granted: 150_000 };
    const mine = await provision(sells, { monthly_char_limit: 100, metadata });
    const headers = await sessionOf(sells, mine);
    const ask = (source_text: string) =>
      sells.json('POST', '/api/translations', { headers, body: { source_text, target_lang: 'fr' } });
    expect((await ask(text(100))).status).toBe(200);
    expect(expectOverLimit(await ask('a'))).toBe(PREFIX);
  });
});
