import { describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { found, join } from '#test/factories.ts';
import { fail } from '#test/fakes/stripe.ts';
import { ask, useBillingApp } from './billing-app.ts';

const billing = useBillingApp({ OPERATOR_API_KEY: 'the-operator-key', SERVICE_API_KEY: 'the-service-key' });
const withoutKey = useBillingApp({ STRIPE_SECRET_KEY: '' });
const withoutTenants = useBillingApp({ SERVICE_API_KEY: 'the-service-key' });
const withoutSecret = useBillingApp({ STRIPE_WEBHOOK_SECRET: '' });
const onePlan = useBillingApp({ STRIPE_PRICE_PRO: '' });

const three = ['checkout', 'topup', 'portal'] as const;
const said = ({ status, body }: { status: number; body: { detail?: unknown } }) => [status, body.detail];

describe.each(three)('%s (A 4.5)', (what) => {
  test('is 503 without the processor’s key or the webhook’s secret, before any other check', async () => {
    for (const lacking of [withoutKey, withoutSecret])
      for (const headers of [{}, (await lacking.app.signUp()).headers])
        expect(said(await ask(lacking, what, { headers }, '{'))).toEqual([503, 'billing is not enabled']);
  });

  test('is 401 if the deployment has no tenant', async () => {
    for (const headers of [{}, { 'x-api-key': 'the-service-key' }, { 'x-api-key': 'another' }])
      expect(said(await ask(withoutTenants, what, { headers }, '{'))).toEqual([
        401,
        'billing requires an authenticated tenant',
      ]);
    expect((await withoutTenants.sql`select from tenants`).length).toBe(0);
  });
});

test('a tier without a Price is 503', async () => {
  const founder = await onePlan.app.signUp();
  const detail = 'this plan is not available on this deployment';
  expect(said(await ask(onePlan, 'checkout', founder, { tier: 'pro' }))).toEqual([503, detail]);
  expect((await ask(onePlan, 'checkout', founder, { tier: 'studio' })).status).toBe(200);
});

test('the webhook is 503 without a signing secret', async () => {
  expect((await withoutSecret.app.json('POST', '/api/stripe/webhook', { body: '{}' })).status).toBe(503);
});

describe('the portal', () => {
  const none = [409, expect.stringMatching(/^no Stripe customer .*run checkout first$/)];
  const customerOf = async (tenantId: string) => (await billing.stored(tenantId)).metadata['pay_customer_id'];

  test('opens for the customer, and returns to /billing', async () => {
    const founder = await billing.app.signUp();
    await ask(billing, 'checkout', founder, { tier: 'pro' });
    billing.stripe.requests.length = 0;
    const { status, body } = await ask(billing, 'portal', founder);
    expect([status, body]).toEqual([200, { url: [...billing.stripe.sessions.values()].at(-1)?.url }]);
    expect(billing.stripe.requests.map(({ path, fields }) => [path, fields])).toEqual([
      [
        '/v1/billing_portal/sessions',
        { customer: await customerOf(founder.tenantId), return_url: 'https://lingualoop.example/billing' },
      ],
    ]);
  });

  test('is 409 before a first checkout', async () => {
    expect(said(await ask(billing, 'portal', await billing.app.signUp()))).toEqual(none);
  });

  test('is 409 for a customer that no longer exists, and clears its id', async () => {
    const founder = await billing.app.signUp();
    await billing.note(founder.tenantId, { pay_customer_id: 'cus_gone', own: 1 });
    expect(said(await ask(billing, 'portal', founder))).toEqual(none);
    const { metadata } = await billing.stored(founder.tenantId);
    expect(metadata).not.toHaveProperty('pay_customer_id');
    expect(metadata).toMatchObject({ own: 1 });
  });

  test('an id that was replaced since then is not cleared', async () => {
    const founder = await billing.app.signUp();
    await billing.note(founder.tenantId, { pay_customer_id: 'cus_gone' });
    billing.stripe.enqueue(async (response, request) => {
      await billing.note(founder.tenantId, { pay_customer_id: 'cus_anew' });
      await fail(400, { code: 'resource_missing', param: 'customer' })(response, request);
    });
    expect(said(await ask(billing, 'portal', founder))).toEqual(none);
    expect(await customerOf(founder.tenantId)).toBe('cus_anew');
  });

  test('is 503 if it is not set up at Stripe, and keeps the customer', async () => {
    const founder = await billing.app.signUp();
    await billing.note(founder.tenantId, { pay_customer_id: 'cus_kept' });
    billing.stripe.enqueue(fail(400));
    const { status, body } = await ask(billing, 'portal', founder);
    expect([status, body.error_code]).toEqual([503, 'service_unavailable']);
    expect(await customerOf(founder.tenantId)).toBe('cus_kept');
  });
});

describe('prices', () => {
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
});
