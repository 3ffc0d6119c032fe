import { describe, expect, test } from 'vitest';
import { fail, hangUp, type StripeReply } from '#test/fakes/stripe.ts';
import { ask, useBillingApp } from './billing-app.ts';

const billing = useBillingApp();
const checkout = (person: Parameters<typeof ask>[2], body: unknown) => ask(billing, 'checkout', person, body);
/** Responds with a body of the test. */
const answer =
  (body: object): StripeReply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

test('a checkout has the tenant, the tier and its Price, and returns to /billing; nothing is granted yet', async () => {
  const { app, stripe } = billing;
  const founder = await app.signUp({ tenant_name: 'Acme' });
  stripe.requests.length = 0;
  const { status, body } = await checkout(founder, { tier: 'pro' });
  expect(status).toBe(200);
  const [session] = stripe.asked('POST', '/v1/checkout/sessions');
  const [customer] = stripe.asked('POST', '/v1/customers');
  expect(customer?.fields).toEqual({ name: 'Acme', 'metadata[tenant_id]': founder.tenantId });
  const { metadata } = await billing.stored(founder.tenantId);
  expect(stripe.customers.get(metadata['pay_customer_id'] as string)).toBeDefined();
  expect(session?.fields).toEqual({
    mode: 'subscription',
    customer: metadata['pay_customer_id'],
    client_reference_id: founder.tenantId,
    'line_items[0][price]': 'price_pro',
    'line_items[0][quantity]': '1',
    'metadata[tenant_id]': founder.tenantId,
    'metadata[tier]': 'pro',
    'subscription_data[metadata][tenant_id]': founder.tenantId,
    success_url: 'https://lingualoop.example/billing?checkout=success',
    cancel_url: 'https://lingualoop.example/billing?checkout=cancelled',
  });
  expect(body).toEqual({ url: [...stripe.sessions.values()].at(-1)?.url });
  expect(Object.keys(metadata).filter((key) => /^pay_/.test(key))).toEqual(['pay_customer_id']);
  // Telemetry would contain the name of the machine.
  expect(session?.headers).not.toHaveProperty('x-stripe-client-telemetry');
});

describe('an invalid body is rejected with a string (A 4.5)', () => {
  const tiers = 'personal, pro, studio';
  test.each([
    [{}, 422, `tier is required: one of ${tiers}`],
    [{ tier: 'Pro' }, 422, `unknown tier "Pro"; choose one of ${tiers}`],
    [{ tier: 'constructor' }, 422, `unknown tier "constructor"; choose one of ${tiers}`],
    [{ tier: ['pro'] }, 422, `tier must be a string: one of ${tiers}`],
    [{ tier: 'pro\0' }, 422, 'body.tier: must not contain NUL characters'],
    ['null', 422, 'body: an object is expected'],
    ['', 400, expect.stringMatching(/^invalid JSON body: /)],
  ])('%j returns %i', async (sent, status, detail) => {
    const founder = await billing.app.signUp();
    billing.stripe.requests.length = 0;
    const headers = { 'content-type': 'application/json' };
    const answer = await ask(billing, 'checkout', founder, sent, headers);
    expect([answer.status, answer.body.detail]).toEqual([status, detail]);
    expect(billing.stripe.requests).toEqual([]);
  });
});

describe('the status at the processor decides', () => {
  const current = expect.stringMatching(/^already subscribed/);
  const lapsed = expect.stringMatching(/^your subscription needs attention/);
  test.each([
    ['active', 409, current],
    ['past_due', 409, lapsed],
    ['canceled', 200, undefined],
  ])('%s there and nothing recorded here: %i', async (status, expected, detail) => {
    const founder = await billing.app.signUp();
    await billing.note(founder.tenantId, { pay_customer_id: `cus_${founder.tenantId}` });
    billing.stripe.subscribe(`cus_${founder.tenantId}`, { status });
    const before = await billing.stored(founder.tenantId);
    const answer = await checkout(founder, { tier: 'studio' });
    expect([answer.status, answer.body.detail]).toEqual([expected, detail]);
    // The response of the processor changes nothing: only its events count.
    expect(await billing.stored(founder.tenantId)).toEqual(before);
  });

  test('a current one decides among several', async () => {
    const founder = await billing.app.signUp();
    const customer = `cus_${founder.tenantId}`;
    await billing.note(founder.tenantId, { pay_customer_id: customer });
    billing.stripe.subscribe(customer, { status: 'active' });
    for (let n = 0; n < 12; n++) billing.stripe.subscribe(customer, { status: 'past_due' });
    expect((await checkout(founder, { tier: 'pro' })).body.detail).toEqual(current);
  });

  test('one that has ended there is not a conflict', async () => {
    const founder = await billing.app.signUp();
    const { id } = billing.stripe.subscribe('cus_of_somebody', { status: 'canceled' });
    await billing.note(founder.tenantId, { pay_subscription_id: id, pay_subscription_status: 'active' });
    expect((await checkout(founder, { tier: 'pro' })).status).toBe(200);
  });

  test('one that lives there without a known customer is a conflict', async () => {
    const founder = await billing.app.signUp();
    const { id } = billing.stripe.subscribe('cus_of_somebody', { status: 'past_due' });
    await billing.note(founder.tenantId, { pay_subscription_id: id, pay_subscription_status: 'active' });
    expect((await checkout(founder, { tier: 'pro' })).body.detail).toEqual(lapsed);
  });
});

describe('the customer', () => {
  const customerOf = async (tenantId: string) => (await billing.stored(tenantId)).metadata['pay_customer_id'];

  test('is one for ten concurrent checkouts, and stays', async () => {
    const founder = await billing.app.signUp();
    billing.stripe.requests.length = 0;
    const answers = await Promise.all(Array.from({ length: 10 }, () => checkout(founder, { tier: 'pro' })));
    answers.push(await checkout(founder, { tier: 'studio' }));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const sessions = billing.stripe.asked('POST', '/v1/checkout/sessions');
    expect(new Set(sessions.map(({ fields }) => fields['customer']))).toEqual(
      new Set([await customerOf(founder.tenantId)]),
    );
  });

  test('is created again, once, if it was deleted at Stripe', async () => {
    const founder = await billing.app.signUp();
    await checkout(founder, { tier: 'pro' });
    const stale = (await customerOf(founder.tenantId)) as string;
    billing.stripe.deleteCustomer(stale);
    billing.stripe.requests.length = 0;
    expect((await checkout(founder, { tier: 'pro' })).status).toBe(200);
    expect(await customerOf(founder.tenantId)).not.toBe(stale);
    expect(billing.stripe.asked('POST', '/v1/customers')).toHaveLength(1);
  });

  test('is not created forever if Stripe rejects it repeatedly', async () => {
    const founder = await billing.app.signUp();
    await billing.note(founder.tenantId, { pay_customer_id: 'cus_never' });
    billing.stripe.requests.length = 0;
    const refuse = fail(400, { code: 'resource_missing', param: 'customer' });
    billing.stripe.otherwise((response, request) => {
      if (request.path !== '/v1/customers') return refuse(response, request);
      return answer({ id: 'cus_anew', object: 'customer' })(response, request);
    });
    const { status, body } = await checkout(founder, { tier: 'pro' });
    billing.stripe.otherwise(null);
    expect([status, body.error_code]).toEqual([503, 'service_unavailable']);
    expect(billing.stripe.asked('POST', '/v1/customers')).toHaveLength(1);
  });
});

describe('a processor that fails', () => {
  test.each([
    ['hangs up', hangUp, 3],
    ['returns 500', fail(500), 3],
    ['returns 429', fail(429, { code: 'rate_limit' }), 1],
  ])('%s: transient_error, after retries if they help', async (_what, reply, tries) => {
    const founder = await billing.app.signUp();
    billing.stripe.requests.length = 0;
    billing.stripe.otherwise(reply);
    const { status, body } = await checkout(founder, { tier: 'pro' });
    billing.stripe.otherwise(null);
    expect([status, body.error_code]).toEqual([503, 'transient_error']);
    expect(body.detail).toMatch(/payment processor/);
    expect(billing.stripe.requests).toHaveLength(tries);
  });

  test('hangs up once: the retry succeeds with the same idempotency key', async () => {
    const founder = await billing.app.signUp();
    billing.stripe.requests.length = 0;
    billing.stripe.enqueue(hangUp);
    expect((await checkout(founder, { tier: 'pro' })).status).toBe(200);
    const [first, second] = billing.stripe.asked('POST', '/v1/customers');
    expect(first?.headers['idempotency-key']).toBeDefined();
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  });

  test.each([
    ['the key is wrong', fail(401)],
    ['the Price does not exist', fail(400, { code: 'resource_missing', param: 'line_items[0][price]' })],
    ['no page is created', answer({ id: 'cs_test', object: 'checkout.session' })],
    ['no page is open', answer({ id: 'cs_test', object: 'checkout.session', url: null })],
  ])('%s: service_unavailable, without the key in the response', async (_what, reply) => {
    const founder = await billing.app.signUp();
    billing.stripe.otherwise(reply);
    const { status, body } = await checkout(founder, { tier: 'pro' });
    billing.stripe.otherwise(null);
    expect([status, body.error_code]).toEqual([503, 'service_unavailable']);
    expect(JSON.stringify(body)).not.toContain(billing.stripe.secretKey.slice(0, 10));
  });
});
