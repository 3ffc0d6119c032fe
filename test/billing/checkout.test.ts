import { describe, expect, test } from 'vitest';
import { fail, hangUp } from '#test/fakes/stripe.ts';
import { ask, useBillingApp } from './billing-app.ts';

const billing = useBillingApp();
const checkout = (person: Parameters<typeof ask>[2], body: unknown) => ask(billing, 'checkout', person, body);

test('A 4.5: a checkout carries the tenant, the tier and its Price, and comes back to /billing', async () => {
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
  // Telemetry would send the machine's name.
  expect(session?.headers).not.toHaveProperty('x-stripe-client-telemetry');
});

test.each(['personal', 'pro', 'studio'] as const)('A 4.5: %s is sold at its own Price', async (tier) => {
  const founder = await billing.app.signUp();
  const before = await billing.stored(founder.tenantId);
  billing.stripe.requests.length = 0;
  expect((await checkout(founder, { tier })).status).toBe(200);
  const [session] = billing.stripe.asked('POST', '/v1/checkout/sessions');
  expect(session?.fields['line_items[0][price]']).toBe(`price_${tier}`);
  // Nothing is granted before the webhook arrives.
  const metadata = { ...before.metadata, pay_customer_id: expect.any(String) };
  expect(await billing.stored(founder.tenantId)).toEqual({ ...before, metadata });
});

describe('A 4.5: refusals of the body are strings', () => {
  const tiers = 'personal, pro, studio';
  test.each([
    [{}, 422, `tier is required: one of ${tiers}`],
    [{ tier: undefined, packs: 1 }, 422, `tier is required: one of ${tiers}`],
    [{ tier: 'gold' }, 422, `unknown tier "gold"; choose one of ${tiers}`],
    [{ tier: 'Pro' }, 422, `unknown tier "Pro"; choose one of ${tiers}`],
    [{ tier: 'constructor' }, 422, `unknown tier "constructor"; choose one of ${tiers}`],
    [{ tier: 5 }, 422, `tier must be a string: one of ${tiers}`],
    [{ tier: null }, 422, `tier must be a string: one of ${tiers}`],
    [{ tier: ['pro'] }, 422, `tier must be a string: one of ${tiers}`],
    [{ tier: 'pro\0' }, 422, 'body.tier: must not contain NUL characters'],
    [[{ tier: 'pro' }], 422, 'body: an object is expected'],
    ['null', 422, 'body: an object is expected'],
    ['{"tier": ', 400, expect.stringMatching(/^invalid JSON body: /)],
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

describe('A 4.5: the status is read from the processor', () => {
  const current = expect.stringMatching(/^already subscribed/);
  const lapsed = expect.stringMatching(/^your subscription needs attention/);
  test.each([
    ['active', 409, current],
    ['trialing', 409, current],
    ['past_due', 409, lapsed],
    ['unpaid', 409, lapsed],
    ['incomplete', 409, lapsed],
    ['paused', 409, lapsed],
    ['canceled', 200, undefined],
    ['incomplete_expired', 200, undefined],
  ])('%s there, nothing recorded here: %i', async (status, expected, detail) => {
    const founder = await billing.app.signUp();
    await billing.note(founder.tenantId, { pay_customer_id: `cus_${founder.tenantId}` });
    billing.stripe.subscribe(`cus_${founder.tenantId}`, { status });
    const before = await billing.stored(founder.tenantId);
    const answer = await checkout(founder, { tier: 'studio' });
    expect([answer.status, answer.body.detail]).toEqual([expected, detail]);
    // Our clock is not the processor's: only its events count.
    expect(await billing.stored(founder.tenantId)).toEqual(before);
  });

  test.each([
    ['active', 'past_due', lapsed],
    ['past_due', 'active', current],
  ])('%s here, %s there: what it is there', async (here, there, detail) => {
    const founder = await billing.app.signUp();
    const customer = `cus_${founder.tenantId}`;
    const { id } = billing.stripe.subscribe(customer, { status: there });
    await billing.note(founder.tenantId, {
      pay_customer_id: customer,
      pay_subscription_id: id,
      pay_subscription_status: here,
    });
    const answer = await checkout(founder, { tier: 'pro' });
    expect([answer.status, answer.body.detail]).toEqual([409, detail]);
  });

  test('one of several that is current decides', async () => {
    const founder = await billing.app.signUp();
    const customer = `cus_${founder.tenantId}`;
    await billing.note(founder.tenantId, { pay_customer_id: customer });
    billing.stripe.subscribe(customer, { status: 'active' });
    for (let n = 0; n < 12; n++) billing.stripe.subscribe(customer, { status: 'past_due' });
    expect((await checkout(founder, { tier: 'pro' })).body.detail).toEqual(current);
  });

  test('recorded here, but ended there: no refusal', async () => {
    const founder = await billing.app.signUp();
    const { id } = billing.stripe.subscribe('cus_of_somebody', { status: 'canceled' });
    await billing.note(founder.tenantId, { pay_subscription_id: id, pay_subscription_status: 'active' });
    expect((await checkout(founder, { tier: 'pro' })).status).toBe(200);
  });

  test('recorded here as alive there, of no known customer: 409', async () => {
    const founder = await billing.app.signUp();
    const { id } = billing.stripe.subscribe('cus_of_somebody', { status: 'past_due' });
    await billing.note(founder.tenantId, { pay_subscription_id: id, pay_subscription_status: 'active' });
    expect((await checkout(founder, { tier: 'pro' })).body.detail).toEqual(lapsed);
  });

  test('recorded here, but unknown there: no refusal', async () => {
    const founder = await billing.app.signUp();
    await billing.note(founder.tenantId, {
      pay_subscription_id: 'sub_gone',
      pay_subscription_status: 'active',
    });
    expect((await checkout(founder, { tier: 'pro' })).status).toBe(200);
  });
});

describe('the customer', () => {
  const customerOf = async (tenantId: string) => (await billing.stored(tenantId)).metadata['pay_customer_id'];

  test('is created once, and kept', async () => {
    const founder = await billing.app.signUp();
    billing.stripe.requests.length = 0;
    await checkout(founder, { tier: 'pro' });
    const customer = await customerOf(founder.tenantId);
    await checkout(founder, { tier: 'studio' });
    expect(await customerOf(founder.tenantId)).toBe(customer);
    expect(billing.stripe.asked('POST', '/v1/customers')).toHaveLength(1);
  });

  test('of ten concurrent checkouts is one, and all sessions are theirs', async () => {
    const founder = await billing.app.signUp();
    billing.stripe.requests.length = 0;
    const answers = await Promise.all(Array.from({ length: 10 }, () => checkout(founder, { tier: 'pro' })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const sessions = billing.stripe.asked('POST', '/v1/checkout/sessions');
    expect(new Set(sessions.map(({ fields }) => fields['customer']))).toEqual(
      new Set([await customerOf(founder.tenantId)]),
    );
  });

  test('that was deleted at Stripe is created anew, once', async () => {
    const founder = await billing.app.signUp();
    await checkout(founder, { tier: 'pro' });
    const stale = (await customerOf(founder.tenantId)) as string;
    billing.stripe.deleteCustomer(stale);
    billing.stripe.requests.length = 0;
    expect((await checkout(founder, { tier: 'pro' })).status).toBe(200);
    expect(await customerOf(founder.tenantId)).not.toBe(stale);
    expect(billing.stripe.asked('POST', '/v1/customers')).toHaveLength(1);
  });

  test('that Stripe refuses again and again is not recreated for ever', async () => {
    const founder = await billing.app.signUp();
    await billing.note(founder.tenantId, { pay_customer_id: 'cus_never' });
    billing.stripe.requests.length = 0;
    const refuse = fail(400, { code: 'resource_missing', param: 'customer' });
    billing.stripe.otherwise((response, request) => {
      if (request.path !== '/v1/customers') return refuse(response, request);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"id": "cus_anew", "object": "customer"}');
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
    ['answers 500', fail(500), 3],
    ['answers 503', fail(503), 3],
    ['answers 429', fail(429, { code: 'rate_limit' }), 1],
  ])('%s: 503 transient_error, retried by the package where that helps', async (_what, reply, tries) => {
    const founder = await billing.app.signUp();
    billing.stripe.requests.length = 0;
    billing.stripe.otherwise(reply);
    const { status, body } = await checkout(founder, { tier: 'pro' });
    billing.stripe.otherwise(null);
    expect([status, body.error_code]).toEqual([503, 'transient_error']);
    expect(body.detail).toMatch(/payment processor/);
    expect(billing.stripe.requests).toHaveLength(tries);
  });

  test('hangs up once: the second try succeeds, under the same idempotency key', async () => {
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
    ['the key may not', fail(403)],
    ['the Price is none', fail(400, { code: 'resource_missing', param: 'line_items[0][price]' })],
  ])('%s: 503 service_unavailable, no key in the response', async (_what, reply) => {
    const founder = await billing.app.signUp();
    billing.stripe.otherwise(reply);
    const { status, body } = await checkout(founder, { tier: 'pro' });
    billing.stripe.otherwise(null);
    expect([status, body.error_code]).toEqual([503, 'service_unavailable']);
    expect(JSON.stringify(body)).not.toContain(billing.stripe.secretKey.slice(0, 10));
  });
});
