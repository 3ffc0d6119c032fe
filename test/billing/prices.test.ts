import { expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { found, join } from '#test/factories.ts';
import { fail } from '#test/fakes/stripe.ts';
import { useBillingApp } from './billing-app.ts';

const billing = useBillingApp({ STRIPE_PRICE_STUDIO: 'price_gone' });
const { app } = billing;

const price = { amount: 49, currency: 'EUR', interval: 'month', interval_count: 1, tax: null };

test('the prices of what is sold come from the payment processor, which is asked once', async () => {
  const founder = await found(app);
  const member = await join(app, founder);
  const prices = (headers: Record<string, string>) =>
    viaRpc(app, { path: 'billing.prices', type: 'query' }, { headers });
  billing.stripe.enqueue(fail(500, { retry: false }));
  expect((await prices(member.bearer)).status).toBe(503);

  const { status, body } = await prices(member.bearer);
  expect([status, body]).toEqual([
    200,
    {
      plans: [
        { tier: 'personal', monthly_chars: 500_000, price: { ...price, amount: 19 } },
        { tier: 'pro', monthly_chars: 1_500_000, price },
        // A Price that does not exist at the processor.
        { tier: 'studio', monthly_chars: 5_000_000, price: null },
      ],
      topup: { chars: 1_000_000, price: { ...price, amount: 29.5, interval: null } },
    },
  ]);
  billing.stripe.requests.length = 0;
  expect((await prices(founder.bearer)).body).toEqual(body);
  expect(billing.stripe.requests).toEqual([]);
});
