import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startFakeStripe } from '#test/fakes/stripe.ts';
import { useTestApp } from '#test/setup/app.ts';
import { bearer, operator, provision, refusal, subscription } from './customers.ts';
import { paid } from './payments.ts';

const stripe = await startFakeStripe();
afterAll(() => stripe.close());

const env = paid(stripe.url, stripe.secretKey);
const { STRIPE_SECRET_KEY: _key, ...withoutKey } = env;
const app = useTestApp({ env });
const noKey = useTestApp({ env: withoutKey });
const off = useTestApp({ env: { ...env, BILLING_ENABLED: 'false' } });
const empty = useTestApp({ env });

const ask = (headers: Record<string, string>, at = app) =>
  at.json('POST', '/api/billing/portal', { headers });
beforeEach(() => {
  stripe.requests.length = 0;
});

/** A tenant whose customer the processor knows. */
async function paying(status = 'active') {
  const pay_customer_id = `cus_${Math.random().toString(36).slice(2, 12)}`;
  const { id } = stripe.subscribe(pay_customer_id, { status });
  const metadata = { ...subscription(status), pay_customer_id, pay_subscription_id: id };
  return { ...(await provision(app, { metadata })), pay_customer_id };
}

describe('A 4.5: POST /api/billing/portal', () => {
  test('a session of that customer, a fresh one for each click', async () => {
    const mine = await paying();
    const [first, second] = [await ask(mine.headers), await ask(mine.headers)];
    expect([first.status, Object.keys(first.body)]).toEqual([200, ['url']]);
    expect([second.status, second.body.url === first.body.url]).toEqual([200, false]);
    for (const { fields } of stripe.asked('POST', '/v1/billing_portal/sessions'))
      expect(fields).toMatchObject({ customer: mine.pay_customer_id });
  });

  test.each(['past_due', 'unpaid', 'incomplete', 'paused', 'canceled'])(
    'opens for a subscription that is %s',
    async (status) => {
      expect((await ask((await paying(status)).headers)).status).toBe(200);
    },
  );

  test('409 where no customer is recorded yet', async () => {
    const mine = await provision(app);
    const { status, body } = await ask(mine.headers);
    expect([status, String(body.detail).slice(0, 18)]).toEqual([409, 'no Stripe customer']);
    expect(stripe.requests).toEqual([]);
  });

  test('409 where the recorded one no longer exists; the stale id is cleared, and checkout makes another', async () => {
    const mine = await paying();
    stripe.deleteCustomer(mine.pay_customer_id);
    const { status, body } = await ask(mine.headers);
    expect([status, String(body.detail).slice(0, 18)]).toEqual([409, 'no Stripe customer']);
    expect(await mine.metadata()).not.toHaveProperty('pay_customer_id');
    const { headers } = mine;
    const checkout = await app.json('POST', '/api/billing/checkout', { headers, body: { tier: 'pro' } });
    expect(checkout.status).toBe(200);
    const { pay_customer_id } = await mine.metadata();
    expect(pay_customer_id).not.toBe(mine.pay_customer_id);
    expect((await ask(headers)).status).toBe(200);
  });

  test('401: no credential, the operator alone, the cookie alone', async () => {
    const { accessToken } = await app.signUp();
    for (const headers of [{}, bearer('wrong'), operator, { cookie: `ll_session=${accessToken}` }])
      expect(refusal(await ask(headers))).toEqual([401, 'missing or invalid tenant credentials']);
    expect(refusal(await ask({}, empty))).toEqual([401, 'billing requires an authenticated tenant']);
  });

  test('503 billing is not enabled: billing off, or no secret key; before the credential', async () => {
    for (const at of [off, noKey])
      for (const headers of [{}, (await provision(at)).headers])
        expect(refusal(await ask(headers, at))).toEqual([503, 'billing is not enabled']);
  });
});
