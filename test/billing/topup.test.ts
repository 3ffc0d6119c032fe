import { describe, expect, test } from 'vitest';
import { fail } from '#test/fakes/stripe.ts';
import type { Signup } from '#test/setup/app.ts';
import { ask, useBillingApp } from './billing-app.ts';

const billing = useBillingApp({ TRUST_PROXY: '1' });

let addresses = 0;
/** Each caller has a separate client address, except in tests about addresses. */
const freshAddress = () => `203.0.${Math.floor(++addresses / 250)}.${addresses % 250}`;

const topUp = (person: Pick<Signup, 'headers'>, body?: unknown, address = freshAddress()) =>
  ask(billing, 'topup', person, body, { 'x-forwarded-for': address });

async function subscriber(metadata: Record<string, unknown> = {}) {
  const founder = await billing.app.signUp();
  await billing.note(founder.tenantId, {
    pay_subscription_id: `sub_${founder.tenantId}`,
    pay_subscription_status: 'active',
    ...metadata,
  });
  return founder;
}

const said = ({ status, body }: { status: number; body: { detail?: unknown } }) => [status, body.detail];

test('a top-up is a one-time payment with the tenant and the characters; it asks for 3-D Secure and saves no card', async () => {
  const founder = await subscriber();
  billing.stripe.requests.length = 0;
  const { status, body } = await topUp(founder, { packs: 3 });
  expect(status).toBe(200);
  const { metadata } = await billing.stored(founder.tenantId);
  const [session] = billing.stripe.asked('POST', '/v1/checkout/sessions');
  expect(session?.fields).toEqual({
    mode: 'payment',
    customer: metadata['pay_customer_id'],
    client_reference_id: founder.tenantId,
    'line_items[0][price]': 'price_topup',
    'line_items[0][quantity]': '3',
    'metadata[tenant_id]': founder.tenantId,
    'metadata[topup_chars]': '3000000',
    'payment_method_options[card][request_three_d_secure]': 'any',
    success_url: 'https://lingualoop.example/billing?topup=success',
    cancel_url: 'https://lingualoop.example/billing?topup=cancelled',
  });
  expect(body).toEqual({ url: [...billing.stripe.sessions.values()].at(-1)?.url });
  // Characters are credited only when the webhook arrives.
  expect(metadata).not.toHaveProperty('topup_chars_purchased');
});

describe('the number of packs (A 4.5 check 7)', () => {
  const noNumber = 'packs must be a whole number of at least 1';
  test.each([
    [undefined, 200, undefined],
    [{ packs: 5 }, 200, undefined],
    [{ packs: 6 }, 400, 'at most 5 packs per purchase'],
    [{ packs: 0 }, 422, noNumber],
    [{ packs: 1.5 }, 422, noNumber],
    [{ packs: '2' }, 422, noNumber],
    ['{"packs": 1e999}', 422, noNumber],
    ['null', 422, 'body: an object is expected'],
    ['{', 400, expect.stringMatching(/^invalid JSON body: /)],
  ])('%j returns %i', async (body, status, detail) => {
    expect(said(await topUp(await subscriber(), body))).toEqual([status, detail]);
  });
});

describe('without a current subscription here, the processor decides (A 4.5 check 5)', () => {
  const refused = [402, 'top-ups require an active subscription'];
  test('without a customer it is rejected without a call', async () => {
    const founder = await billing.app.signUp();
    billing.stripe.requests.length = 0;
    expect(said(await topUp(founder))).toEqual(refused);
    expect(billing.stripe.requests).toEqual([]);
  });

  test.each([
    ['active', 200],
    ['trialing', 200],
    ['past_due', 402],
  ])('%s there: %i', async (status, expected) => {
    const founder = await subscriber({ pay_subscription_status: 'past_due', pay_customer_id: 'cus_x' });
    const { tenantId } = founder;
    await billing.note(tenantId, { pay_customer_id: `cus_${tenantId}` });
    billing.stripe.subscribe(`cus_${tenantId}`, { id: `sub_${tenantId}`, status });
    const before = await billing.stored(tenantId);
    expect((await topUp(founder)).status).toBe(expected);
    expect(await billing.stored(tenantId)).toEqual(before);
  });

  test('an unreachable processor is 503', async () => {
    const founder = await subscriber({ pay_subscription_status: 'past_due' });
    billing.stripe.otherwise(fail(503, { retry: false }));
    const { status, body } = await topUp(founder);
    billing.stripe.otherwise(null);
    expect([status, body.error_code]).toEqual([503, 'transient_error']);
  });
});

describe('the ceilings (A 4.5 checks 6 and 8)', () => {
  const ceiling = [409, 'the allowance already reaches the monthly ceiling'];
  test.each([
    [9_999_999, 200],
    [10_000_000, 409],
  ])('an allowance of %i: %i', async (limit, status) => {
    const founder = await subscriber();
    await billing.sql`update tenants set monthly_char_limit = ${limit} where tenant_id = ${founder.tenantId}`;
    const answer = await topUp(founder);
    expect(answer.status).toBe(status);
    if (status === 409) expect(said(answer)).toEqual(ceiling);
  });

  test.each([
    [5_000_000, 0, 5, 200],
    [5_000_001, 0, 5, 409],
    [50_000_000, 45_000_000, 5, 200],
    [50_000_000, 44_999_999, 5, 409],
  ])('%i bought, %i used, %i packs: %i', async (bought, used, packs, status) => {
    const founder = await subscriber({ topup_chars_purchased: bought, topup_chars_used: used });
    const answer = await topUp(founder, { packs });
    expect(answer.status).toBe(status);
    if (status === 409) expect(answer.body.detail).toMatch(/would exceed the ceiling; use the balance first/);
  });
});
