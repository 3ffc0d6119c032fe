import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
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
import { paid } from '../billing/payments.ts';

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
