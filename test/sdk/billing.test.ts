import { describe, expect, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { subscriptionEvent, useBillingApp } from '../billing/billing-app.ts';
import { failure, result, useScriptedServer } from './scripted-server.ts';

const billing = useBillingApp();

async function founded() {
  const { tenantId, apiKey } = await billing.app.signUp();
  return { tenantId, client: new sdk.LinguaLoop({ baseUrl: billing.app.address, apiKey, maxRetries: 0 }) };
}

/** A tenant with a subscription event. */
async function subscribed() {
  const { tenantId, client } = await founded();
  await client.billing.checkout({ tier: 'pro' });
  const { metadata } = await billing.stored(tenantId);
  const customer = metadata['pay_customer_id'] as string;
  const event = subscriptionEvent('created', tenantId, { id: `sub_${tenantId}`, customer });
  expect((await billing.deliver(event)).status).toBe(200);
  return { tenantId, client, customer };
}

/** The address of the page that was opened last. */
const newest = () => [...billing.stripe.sessions.values()].at(-1)?.url;

describe('A 4.5', () => {
  test('checkout returns the address for the browser', async () => {
    const { client, tenantId } = await founded();
    billing.stripe.requests.length = 0;
    expect(await client.billing.checkout({ tier: 'studio' })).toEqual({ url: newest() });
    expect(billing.stripe.asked('POST', '/v1/checkout/sessions')).toMatchObject([
      { fields: { mode: 'subscription', client_reference_id: tenantId, 'metadata[tier]': 'studio' } },
    ]);
  });

  test('topUp buys one pack by default', async () => {
    const { client } = await subscribed();
    billing.stripe.requests.length = 0;
    expect(await client.billing.topUp()).toEqual({ url: newest() });
    expect(await client.billing.topUp({ packs: 3 })).toEqual({ url: newest() });
    const packs = billing.stripe
      .asked('POST', '/v1/checkout/sessions')
      .map(({ fields }) => fields['metadata[topup_chars]']);
    expect(packs).toEqual(['1000000', '3000000']);
  });

  test('portal opens a page for one visit', async () => {
    const { client } = await subscribed();
    const [one, other] = [await client.billing.portal(), await client.billing.portal()];
    expect(one.url).toMatch(/^https?:/);
    expect(other.url).not.toBe(one.url);
  });

  test('their refusals are typed', async () => {
    const { client } = await founded();
    const errorOf = (call: Promise<unknown>) => call.catch((thrown: unknown) => thrown);
    const unpaid = await errorOf(client.billing.topUp());
    expect(unpaid).toBeInstanceOf(sdk.PaymentRequiredError);
    expect(unpaid).toMatchObject({ detail: 'top-ups require an active subscription' });
    expect(await errorOf(client.billing.portal())).toBeInstanceOf(sdk.ConflictError);
    // A value that the types do not let through.
    const gold = client.billing.checkout({ tier: 'gold' as sdk.BillingTier });
    expect(await errorOf(gold)).toBeInstanceOf(sdk.UnprocessableContentError);

    const { client: subscriber, customer } = await subscribed();
    billing.stripe.subscribe(customer, { status: 'active' });
    const again = await errorOf(subscriber.billing.checkout({ tier: 'pro' }));
    expect(again).toBeInstanceOf(sdk.ConflictError);
    expect(again).toMatchObject({ detail: expect.stringMatching(/^already subscribed/) });
    expect(await errorOf(subscriber.billing.topUp({ packs: 6 }))).toBeInstanceOf(sdk.BadRequestError);
  });
});

describe('after a lost response', () => {
  const server = useScriptedServer();
  const client = () => new sdk.LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 } });
  const transient = failure(503, 'try again', { error_code: 'transient_error' });
  const page = { url: 'https://pay.example/1' };

  test.each<[string, (billing: sdk.Billing) => Promise<sdk.PaymentPage>]>([
    ['checkout', (billing) => billing.checkout({ tier: 'pro' })],
    ['portal', (billing) => billing.portal()],
  ])('%s is sent again: a page that was never returned is never paid', async (name, call) => {
    server.script('cut off', transient, result(page));
    expect(await call(client().billing)).toEqual(page);
    expect(server.received.map(({ path }) => path)).toEqual(Array(3).fill(`/api/billing/${name}`));
  });

  test('topUp is not: each request counts as one of five attempts an hour', async () => {
    server.script('cut off');
    await expect(client().billing.topUp()).rejects.toMatchObject({
      name: 'ConnectionError',
      maybeSent: true,
    });
    server.script(transient);
    await expect(client().billing.topUp()).rejects.toBeInstanceOf(sdk.ServiceUnavailableError);
    server.script(failure(429, 'too many top-up attempts', {}, { 'retry-after': '3000' }));
    const error = await client()
      .billing.topUp()
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(sdk.RateLimitError);
    expect(error.retryAfter).toBe(3000);
    expect(server.received).toHaveLength(3);
  });
});
