import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { fail, startFakeStripe } from '#test/fakes/stripe.ts';
import { useTestApp } from '#test/setup/app.ts';
import { bearer, type Customer, operator, provision, refusal, subscription } from './customers.ts';
import { paid, prices } from './payments.ts';

const stripe = await startFakeStripe();
afterAll(() => stripe.close());

const env = { ...paid(stripe.url, stripe.secretKey), BASE_URL: 'https://lingua.example' };
const { STRIPE_PRICE_PRO: _pro, ...withoutPro } = env;
const { STRIPE_SECRET_KEY: _key, ...withoutKey } = env;
const serviceKey = 'a-service-key-of-some-length-0123456789';
const app = useTestApp({ env });
const noPro = useTestApp({ env: withoutPro });
const noKey = useTestApp({ env: withoutKey });
const wrongKey = useTestApp({ env: { ...env, STRIPE_SECRET_KEY: 'sk_test_of_another' } });
const off = useTestApp({ env: { ...env, BILLING_ENABLED: 'false' } });
const empty = useTestApp({ env: { ...env, SERVICE_API_KEY: serviceKey } });

const PATH = '/api/billing/checkout';
const ask = (headers: Record<string, string>, body: unknown = { tier: 'pro' }, at = app) =>
  at.json('POST', PATH, { headers, body });

let mine: Customer;
beforeEach(async () => {
  stripe.requests.length = 0;
  mine = await provision(app);
});

/** A tenant whose subscription is stored as `stored`, while the processor has it as `real`. */
async function subscribed(stored: string | undefined, real: string | undefined): Promise<Customer> {
  const customer = `cus_${Math.random().toString(36).slice(2, 12)}`;
  const metadata: Record<string, unknown> = { pay_customer_id: customer };
  const sub =
    real === undefined ? undefined : stripe.subscribe(customer, { status: real, price: prices.pro });
  if (stored !== undefined)
    Object.assign(
      metadata,
      subscription(stored, { pay_tier: 'pro' }),
      sub && { pay_subscription_id: sub.id },
    );
  const theirs = await provision(app, { metadata });
  if (sub) sub.metadata['tenant_id'] = theirs.tenantId;
  return theirs;
}

describe('A 4.5: POST /api/billing/checkout', () => {
  test.each(['personal', 'pro', 'studio'] as const)(
    '%s: a session of mode subscription of that Price',
    async (tier) => {
      const { status, body } = await ask(mine.headers, { tier });
      const [request] = stripe.asked('POST', '/v1/checkout/sessions');
      expect([status, Object.keys(body)]).toEqual([200, ['url']]);
      expect([...stripe.sessions.values()].map(({ url }) => url)).toContain(body.url);
      expect(request!.fields).toMatchObject({
        mode: 'subscription',
        'line_items[0][price]': prices[tier],
        'line_items[0][quantity]': '1',
        client_reference_id: mine.tenantId,
        customer: (await mine.metadata()).pay_customer_id,
        // Events of the subscription are matched to the tenant by it (A 6).
        'subscription_data[metadata][tenant_id]': mine.tenantId,
      });
      const { success_url, cancel_url } = request!.fields;
      expect(success_url).toMatch(/^https:\/\/lingua\.example\/.*[?&]checkout=success/);
      expect(cancel_url).toMatch(/^https:\/\/lingua\.example\/.*[?&]checkout=cancelled/);
    },
  );

  test('A 2.1: pay_customer_id is set the first time, and used again', async () => {
    expect(await mine.metadata()).not.toHaveProperty('pay_customer_id');
    await ask(mine.headers);
    const { pay_customer_id } = await mine.metadata();
    expect(stripe.customers.get(pay_customer_id)).toMatchObject({ metadata: { tenant_id: mine.tenantId } });
    await ask(mine.headers, { tier: 'studio' });
    expect((await mine.metadata()).pay_customer_id).toBe(pay_customer_id);
    expect(stripe.asked('POST', '/v1/customers')).toHaveLength(1);
  });

  test('of several concurrent first checkouts, every session is for the customer that is recorded', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(mine.headers)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { pay_customer_id } = await mine.metadata();
    const sessions = stripe.asked('POST', '/v1/checkout/sessions');
    expect(sessions.map(({ fields }) => fields['customer'])).toEqual(Array(4).fill(pay_customer_id));
  });

  test('nothing is granted before the webhook arrives', async () => {
    const before = await mine.account();
    await ask(mine.headers);
    const { metadata, ...account } = await mine.account();
    expect({ ...account, metadata: {} }).toEqual(before);
    expect(Object.keys(metadata)).toEqual(['pay_customer_id']);
  });

  test('a session of a member serves, administrator or not', async () => {
    const { accessToken } = await app.signUp();
    expect((await ask(bearer(accessToken))).status).toBe(200);
    expect((await ask(bearer(mine.headers['x-api-key']!))).status).toBe(200);
  });
});

describe('A 4.5: checkout’s 401', () => {
  const MISSING = [401, 'missing or invalid tenant credentials'];

  test('missing or invalid tenant credentials', async () => {
    for (const headers of [{}, { 'x-api-key': 'wrong' }, bearer('wrong'), operator])
      expect(refusal(await ask(headers))).toEqual(MISSING);
  });

  test('the cookie alone does not authenticate', async () => {
    const { accessToken } = await app.signUp();
    expect(refusal(await ask({ cookie: `ll_session=${accessToken}` }))).toEqual(MISSING);
    expect(stripe.requests).toEqual([]);
  });

  test('A 5.1 rule 3: a credential beside another tenant’s X-Tenant-ID', async () => {
    const { tenantId } = await provision(app);
    expect(refusal(await ask({ ...mine.headers, 'x-tenant-id': tenantId }))).toEqual(MISSING);
    expect((await ask({ ...mine.headers, 'x-tenant-id': mine.tenantId })).status).toBe(200);
  });

  test('C 7: where the deployment has no tenant at all, billing requires an authenticated tenant', async () => {
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { 'x-api-key': serviceKey }])
      expect(refusal(await ask(headers, undefined, empty))).toEqual([
        401,
        'billing requires an authenticated tenant',
      ]);
  });
});

describe('A 4.5: checkout’s other refusals', () => {
  test.each(['{', '{"tier":', 'tier=pro', ''])('400 invalid JSON body: %s', async (body) => {
    const { status, body: answer } = await ask(mine.headers, body);
    expect([status, String(answer.detail).slice(0, 18)]).toEqual([400, 'invalid JSON body:']);
  });

  test.each([{}, { tier: null }, { plan: 'pro' }])('422 tier is required: %j', async (body) => {
    const { status, body: answer } = await ask(mine.headers, body);
    expect([status, typeof answer.detail]).toEqual([422, 'string']);
    if (!('tier' in body)) {
      expect(answer.detail).toMatch(/^tier is required/);
      for (const tier of ['personal', 'pro', 'studio']) expect(answer.detail).toContain(tier);
    }
  });

  test.each(['gold', 'PRO', ' pro', '__proto__', 'topup', 'constructor'])(
    '422 unknown tier: %s',
    async (tier) => {
      const { status, body } = await ask(mine.headers, { tier });
      expect([status, typeof body.detail]).toEqual([422, 'string']);
      expect(body.detail).toMatch(/^unknown tier .*choose one of .*personal.*pro.*studio/s);
    },
  );

  test.each([1, true, ['pro'], { slug: 'pro' }])(
    '422 with a string, where tier is no string: %j',
    async (tier) => {
      const { status, body } = await ask(mine.headers, { tier });
      expect([status, typeof body.detail]).toEqual([422, 'string']);
    },
  );

  test('503 billing is not enabled: billing off, or no secret key; before the credential and the body', async () => {
    for (const at of [off, noKey])
      for (const headers of [{}, { 'x-api-key': (await at.signUp()).apiKey }])
        for (const body of [{ tier: 'pro' }, {}, '{'])
          expect(refusal(await ask(headers, body, at))).toEqual([503, 'billing is not enabled']);
  });

  test('503 where no Price is sold for that tier', async () => {
    const theirs = await provision(noPro);
    expect(refusal(await ask(theirs.headers, { tier: 'pro' }, noPro))).toEqual([
      503,
      'this plan is not available on this deployment',
    ]);
    expect((await ask(theirs.headers, { tier: 'studio' }, noPro)).status).toBe(200);
  });

  test('a secret key that the processor refuses is our fault, and its details are not returned', async () => {
    const theirs = await provision(wrongKey);
    const answer = await ask(theirs.headers, undefined, wrongKey);
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(JSON.stringify(answer.body)).not.toMatch(/sk_|Invalid API Key/);
  });

  test('A 7.4: 503 where the processor is out of reach; and the next attempt succeeds', async () => {
    stripe.otherwise(fail(500, { retry: false }));
    const { status } = await ask(mine.headers);
    stripe.otherwise(null);
    expect(status).toBe(503);
    expect((await ask(mine.headers)).status).toBe(200);
  });
});

describe('A 4.5: checkout of a tenant that has a subscription', () => {
  test.each(['active', 'trialing'])('409 already subscribed: %s', async (status) => {
    const answer = await ask((await subscribed(status, status)).headers);
    expect(answer.status).toBe(409);
    expect(answer.body.detail).toMatch(/^already subscribed/);
    expect(stripe.asked('POST', '/v1/checkout/sessions')).toEqual([]);
  });

  test.each(['past_due', 'unpaid', 'incomplete', 'paused'])(
    '409 your subscription needs attention: %s',
    async (status) => {
      const answer = await ask((await subscribed(status, status)).headers);
      expect(answer.status).toBe(409);
      expect(answer.body.detail).toMatch(/^your subscription needs attention/);
      expect(stripe.asked('POST', '/v1/checkout/sessions')).toEqual([]);
    },
  );

  test.each(['canceled', 'incomplete_expired'])('an ended one (%s) is not refused', async (status) => {
    expect((await ask((await subscribed(status, status)).headers)).status).toBe(200);
  });

  test('the status is checked again at the processor: current here, ended there', async () => {
    expect((await ask((await subscribed('active', 'canceled')).headers)).status).toBe(200);
  });

  test('current here, lapsed there', async () => {
    const answer = await ask((await subscribed('active', 'past_due')).headers);
    expect([answer.status, answer.body.detail.slice(0, 33)]).toEqual([
      409,
      'your subscription needs attention',
    ]);
  });

  test.each([
    ['active', /^already subscribed/],
    ['past_due', /^your subscription needs attention/],
  ])('not recorded here yet, %s there', async (status, detail) => {
    const answer = await ask((await subscribed(undefined, status)).headers);
    expect([answer.status, detail.test(answer.body.detail)]).toEqual([409, true]);
  });

  test('lapsed here, current there', async () => {
    const answer = await ask((await subscribed('past_due', 'active')).headers);
    expect([answer.status, answer.body.detail.slice(0, 18)]).toEqual([409, 'already subscribed']);
  });
});
