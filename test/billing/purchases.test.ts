import { afterAll, describe, expect, test } from 'vitest';
import { startFakeStripe } from '#test/fakes/stripe.ts';
import { useTestApp } from '#test/setup/app.ts';
import { type Customer, operator, provision, sessionOf, text } from './customers.ts';
import { deliverAll, event, paid, prices, subscribed, subscriptionEvent, toppedUp } from './payments.ts';

const stripe = await startFakeStripe();
afterAll(() => stripe.close());
const app = useTestApp({ env: paid(stripe.url, stripe.secretKey) });

const buy = async (by: Customer, what: string, body: unknown) => {
  const { status, body: answer } = await app.json('POST', `/api/billing/${what}`, {
    headers: by.headers,
    body,
  });
  expect(status, JSON.stringify(answer)).toBe(200);
  return [...stripe.sessions.values()].find(({ url }) => url === answer.url)!;
};
const topupOf = async (mine: Customer) => (await mine.billing()).topup;

describe('a purchase from its checkout to its effect', () => {
  test('buys a plan, then three packs, and opens the portal', async () => {
    const mine = await provision(app, { monthly_char_limit: 10 });
    expect((await mine.translate('Hello there')).status).toBe(402);

    const checkout = await buy(mine, 'checkout', { tier: 'pro' });
    const customer = String(checkout['customer']);
    const { metadata } = checkout['subscription_data'] as { metadata: Record<string, string> };
    const subscription = stripe.subscribe(customer, { price: prices.pro, metadata });
    await deliverAll(
      app,
      event('checkout.session.completed', { ...checkout, status: 'complete', subscription: subscription.id }),
      event('customer.subscription.created', { ...subscription }),
    );
    expect(await mine.account()).toMatchObject({
      monthly_char_limit: 1_500_000,
      metadata: {
        pay_customer_id: customer,
        pay_subscription_id: subscription.id,
        pay_subscription_status: 'active',
        pay_tier: 'pro',
        pay_allowance_subscription: subscription.id,
      },
    });
    expect((await mine.translate('Hello there')).status).toBe(200);

    const topup = await buy(mine, 'topup', { packs: 3 });
    expect(topup['customer']).toBe(customer);
    await deliverAll(
      app,
      event('checkout.session.completed', { ...topup, status: 'complete', payment_status: 'paid' }),
    );
    expect(await topupOf(mine)).toEqual({ purchased: 3_000_000, used: 0, balance: 3_000_000 });
    expect((await mine.metadata()).topup_credited_sessions).toEqual([topup.id]);
    expect((await mine.billing()).allowance.remaining).toBe(4_500_000 - 'Hello there'.length);

    expect((await buy(mine, 'portal', undefined))['customer']).toBe(customer);
  });
});

describe('concurrent writers of one account', () => {
  test('lose no top-up, use of the balance, subscription, invite or security policy', async () => {
    const mine = await provision(app, {
      monthly_char_limit: 1,
      metadata: { topup_chars_purchased: 100_000, colour: 'red' },
    });
    const id = `sub_${mine.tenantId}`;
    await deliverAll(app, subscribed(mine.tenantId, id));
    const admin = await sessionOf(app, mine);
    const times = <T>(count: number, work: (at: number) => Promise<T>) =>
      Promise.all(Array.from({ length: count }, (_, at) => work(at)));
    const [, , , invites] = await Promise.all([
      times(15, async () => expect((await mine.translate(text(100))).status).toBe(200)),
      times(15, () => deliverAll(app, toppedUp(mine.tenantId, 1000))),
      times(5, () =>
        deliverAll(
          app,
          subscriptionEvent('updated', { tenantId: mine.tenantId, id, price: 'price_unknown' }),
        ),
      ),
      times(5, () => app.json('POST', '/api/tenants/invites', { headers: admin, body: {} })),
      app.json('PATCH', `/api/tenants/security?tenant_id=${mine.tenantId}`, {
        headers: operator,
        body: { mfa_required_for_sso: true },
      }),
    ]);
    expect(invites.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(await topupOf(mine)).toEqual({ purchased: 115_000, used: 1499, balance: 113_501 });
    const metadata = await mine.metadata();
    expect(metadata).toMatchObject({
      mfa_required_for_sso: true,
      pay_subscription_status: 'active',
      colour: 'red',
    });
    expect(metadata.topup_credited_sessions).toHaveLength(15);
    const pending = (await app.json('GET', '/api/tenants/invites', { headers: admin })).body;
    expect(pending.filter(({ status }: { status: string }) => status === 'pending')).toHaveLength(5);
  });
});
