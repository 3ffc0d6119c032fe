import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { fail, startFakeStripe } from '#test/fakes/stripe.ts';
import { useTestApp } from '#test/setup/app.ts';
import { bearer, type Fields, operator, provision, refusal, subscription } from './customers.ts';
import { paid, prices } from './payments.ts';

const stripe = await startFakeStripe();
afterAll(() => stripe.close());

const env = { ...paid(stripe.url, stripe.secretKey), TRUST_PROXY: '1' };
const { STRIPE_PRICE_TOPUP: _price, ...withoutPrice } = env;
const { STRIPE_SECRET_KEY: _key, ...withoutKey } = withoutPrice;
const app = useTestApp({ env });
const noPrice = useTestApp({ env: withoutPrice });
const noKey = useTestApp({ env: withoutKey });
const off = useTestApp({ env: { ...withoutPrice, BILLING_ENABLED: 'false' } });
const empty = useTestApp({ env });

const PATH = '/api/billing/topup';
const NOT_ENABLED = [503, 'billing is not enabled'];
const NOT_CONFIGURED = [503, 'top-ups are not configured'];
const NO_SUBSCRIPTION = [402, 'top-ups require an active subscription'];
const TOO_MANY_PACKS = [400, 'at most 5 packs per purchase'];
const NOBODY = [401, 'missing or invalid tenant credentials'];
const TEN_MILLION = 10_000_000;

let hosts = 0;
/** Headers with an unused client address. */
const from = (host = `192.0.2.${++hosts % 250}, 198.18.${hosts >> 8}.${hosts & 255}`) => ({
  'x-forwarded-for': host,
});

/** One attempt with `headers`, from a new client address unless they have one. */
const attempt = (headers: Record<string, string>, body?: unknown, at = app) =>
  at.json('POST', PATH, { headers: { ...from(), ...headers }, body });

beforeEach(() => {
  stripe.requests.length = 0;
});

/** A tenant with a customer whose subscription is `status` at the processor, stored as `stored`. */
async function tenant(fields: Fields = {}, status = 'active', stored = status, at = app) {
  const pay_customer_id = `cus_${Math.random().toString(36).slice(2, 12)}`;
  const sub = stripe.subscribe(pay_customer_id, { status, price: prices.pro });
  const { metadata, ...others } = fields;
  const theirs = await provision(at, {
    ...others,
    metadata: {
      ...subscription(stored),
      pay_subscription_id: sub.id,
      pay_customer_id,
      ...(metadata as Fields),
    },
  });
  sub.metadata['tenant_id'] = theirs.tenantId;
  return theirs;
}

describe('A 4.5: a top-up that passes every check', () => {
  test.each([
    ['no body', undefined, 1],
    ['an empty object', {}, 1],
    ['1', { packs: 1 }, 1],
    ['5', { packs: 5 }, 5],
  ])('%s: a one-time payment of so many packs', async (_, body, packs) => {
    const mine = await tenant();
    const answer = await attempt(mine.headers, body);
    expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['url']]);
    const [request] = stripe.asked('POST', '/v1/checkout/sessions');
    expect(request!.fields).toMatchObject({
      mode: 'payment',
      'line_items[0][price]': prices.topup,
      'line_items[0][quantity]': String(packs),
      client_reference_id: mine.tenantId,
      'metadata[tenant_id]': mine.tenantId,
      'metadata[topup_chars]': String(packs * 1_000_000),
      // 3-D Secure where supported.
      'payment_method_options[card][request_three_d_secure]': expect.stringMatching(/^(any|challenge)$/),
    });
    expect(request!.fields['success_url']).toMatch(/[?&]topup=success/);
    expect(request!.fields['cancel_url']).toMatch(/[?&]topup=cancelled/);
    // The card is not saved for later charges.
    expect(Object.keys(request!.fields).filter((name) => name.includes('setup_future_usage'))).toEqual([]);
    expect(Object.keys(request!.fields).filter((name) => name.includes('saved_payment_method'))).toEqual([]);
    // Nothing is credited until the webhook arrives.
    expect((await mine.billing()).topup).toEqual({ purchased: 0, used: 0, balance: 0 });
  });

  test('A 2.1: pay_customer_id is set the first time a top-up runs too', async () => {
    const mine = await provision(app, { metadata: subscription() });
    expect((await attempt(mine.headers)).status).toBe(200);
    const { pay_customer_id } = await mine.metadata();
    expect(stripe.customers.get(pay_customer_id)).toMatchObject({ metadata: { tenant_id: mine.tenantId } });
  });

  test('a trialing subscription is current too', async () => {
    expect((await attempt((await tenant({}, 'trialing')).headers)).status).toBe(200);
  });
});

describe('A 4.5: the eight checks, each before those behind it', () => {
  test('1 before 2 and 3: billing off, or no secret key, with no top-up on sale either', async () => {
    for (const at of [off, noKey]) {
      const { headers } = await provision(at);
      for (const who of [{}, headers]) expect(refusal(await attempt(who, '{', at))).toEqual(NOT_ENABLED);
    }
  });

  test('2 before 3: top-ups are not on sale', async () => {
    const { headers } = await provision(noPrice);
    for (const who of [{}, { 'x-api-key': 'wrong' }, headers])
      expect(refusal(await attempt(who, {}, noPrice))).toEqual(NOT_CONFIGURED);
  });

  test('3: no tenant: 401, the operator key and the cookie alone too', async () => {
    const { accessToken } = await app.signUp();
    for (const who of [{}, { 'x-api-key': 'wrong' }, operator, { cookie: `ll_session=${accessToken}` }])
      expect(refusal(await attempt(who, '{'))).toEqual(NOBODY);
    expect(refusal(await attempt({}, {}, empty))).toEqual([401, 'billing requires an authenticated tenant']);
  });

  test('5 before 6, 7 and 8: not subscription-current', async () => {
    const full = { monthly_char_limit: TEN_MILLION, metadata: { topup_chars_purchased: TEN_MILLION } };
    for (const status of ['past_due', 'unpaid', 'incomplete', 'paused', 'canceled']) {
      const { headers } = await tenant(full, status);
      for (const body of [{}, { packs: 6 }, '{'])
        expect(refusal(await attempt(headers, body))).toEqual(NO_SUBSCRIPTION);
    }
    expect(refusal(await attempt((await provision(app)).headers))).toEqual(NO_SUBSCRIPTION);
    const { accessToken } = await app.signUp();
    expect(refusal(await attempt(bearer(accessToken)))).toEqual(NO_SUBSCRIPTION);
  });

  test('5: the processor is asked again before the denial', async () => {
    for (const stored of ['past_due', 'incomplete'])
      expect((await attempt((await tenant({}, 'active', stored)).headers)).status).toBe(200);
    expect((await attempt((await tenant({}, 'trialing', 'unpaid')).headers)).status).toBe(200);
  });

  test('5, A 7.4: if it cannot be reached, the response is 503, not a denial', async () => {
    const { headers } = await tenant({}, 'active', 'past_due');
    stripe.otherwise(fail(500, { retry: false }));
    const { status } = await attempt(headers);
    stripe.otherwise(null);
    expect(status).toBe(503);
    expect((await attempt(headers)).status).toBe(200);
  });

  test('6 before 7 and 8: the allowance already reaches the monthly ceiling', async () => {
    const metadata = { topup_chars_purchased: TEN_MILLION };
    for (const monthly_char_limit of [TEN_MILLION, TEN_MILLION + 1])
      for (const body of [{}, { packs: 6 }, { packs: 0 }, '{']) {
        const { headers } = await tenant({ monthly_char_limit, metadata });
        const { status, body: answer } = await attempt(headers, body);
        expect([body, status, Object.keys(answer)]).toEqual([body, 409, ['detail']]);
        expect(answer.detail).toMatch(/ceiling/);
      }
    expect((await attempt((await tenant({ monthly_char_limit: TEN_MILLION - 1 })).headers)).status).toBe(200);
  });

  test.each([6, 7, 100, 1_000_000_000])('7 before 8: %i packs are too many: 400', async (packs) => {
    const { headers } = await tenant({ metadata: { topup_chars_purchased: TEN_MILLION } });
    expect(refusal(await attempt(headers, { packs }))).toEqual(TOO_MANY_PACKS);
  });

  test.each([0, -1, 1.5, '2', 'many', true, [1], {}])(
    '7: packs of %j: 422 with a plain string',
    async (packs) => {
      const { headers } = await tenant();
      const { status, body } = await attempt(headers, { packs });
      expect([status, typeof body.detail]).toEqual([422, 'string']);
      expect(stripe.asked('POST', '/v1/checkout/sessions')).toEqual([]);
    },
  );

  test('7 before 8, C 7: a body that does not parse is refused there', async () => {
    const { headers } = await tenant({ metadata: { topup_chars_purchased: TEN_MILLION } });
    const { status, body } = await attempt(headers, '{"packs":');
    expect([status, String(body.detail).slice(0, 18)]).toEqual([400, 'invalid JSON body:']);
  });

  test.each([
    [9_000_000, 0, 1, 200],
    [9_000_001, 0, 1, 409],
    [9_000_001, 1, 1, 200],
    [5_000_000, 0, 5, 200],
    [5_000_001, 0, 5, 409],
    [14_000_000, 9_000_000, 5, 200],
    [14_000_001, 9_000_000, 5, 409],
  ])(
    '8: %i bought, %i used, %i packs more: %i',
    async (topup_chars_purchased, topup_chars_used, packs, expected) => {
      const mine = await tenant({ metadata: { topup_chars_purchased, topup_chars_used } });
      const { status, body } = await attempt(mine.headers, { packs });
      expect([status, body.detail]).toEqual([expected, expected === 200 ? undefined : expect.any(String)]);
      if (expected === 409) expect(stripe.asked('POST', '/v1/checkout/sessions')).toEqual([]);
    },
  );
});
