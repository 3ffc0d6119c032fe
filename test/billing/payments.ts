import { signEvent } from '#test/fakes/stripe.ts';
import type { TestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import * as billing from './billing-app.ts';
import { base, type Fields } from './customers.ts';

/** The prices that the deployments in these tests sell. */
export const prices = {
  personal: billing.prices.STRIPE_PRICE_PERSONAL,
  pro: billing.prices.STRIPE_PRICE_PRO,
  studio: billing.prices.STRIPE_PRICE_STUDIO,
};

/**
 * Settings of a deployment that accepts payments: all plans and top-ups are sold.
 * @param url the URL of Stripe's API; by default an unused address, for tests that send nothing to Stripe
 */
export const paid = (url = 'http://127.0.0.1:9', secretKey = 'sk_test_nobody') => ({
  ...base,
  ...billing.prices,
  BILLING_ENABLED: 'true',
  STRIPE_SECRET_KEY: secretKey,
  STRIPE_WEBHOOK_SECRET: billing.webhookSecret,
  STRIPE_API_URL: url,
  // Each test creates a tenant, and all requests have the same client address.
  TRIAL_GRANTS_PER_ADDRESS: '100000',
});

const now = () => Math.floor(Date.now() / 1000);

/**
 * Waits until the next second begins. The times of events are whole seconds, so two events within a second would have
 * equal times.
 */
export async function nextSecond(): Promise<void> {
  const before = now();
  await poll(async () => now() > before);
}

/** An event that is created now. */
export const event = (type: string, object: Fields) => ({ ...billing.eventOf(type, object), created: now() });

type About = Fields & { tenantId: string; id: string; status?: string; price?: string };

/** The event `customer.subscription.created`, `.updated` or `.deleted`, created now. */
export const subscriptionEvent = (
  kind: 'created' | 'updated' | 'deleted',
  { tenantId, price = prices.personal, ...fields }: About,
) => ({ ...billing.subscriptionEvent(kind, tenantId, { price, ...fields }), created: now() });

/** The checkout session of a subscription that was completed now. */
export const subscribed = (tenantId: string, id: string) => ({
  ...billing.sessionEvent(tenantId, { subscription: id }),
  created: now(),
});

/** The checkout session of a top-up of `chars` characters that was completed and paid now. */
export const toppedUp = (tenantId: string, chars: number) => {
  const metadata = { tenant_id: tenantId, topup_chars: String(chars) };
  return { ...billing.topUpEvent(tenantId, { metadata }), created: now() };
};

/** Delivers events in sequence, like Stripe. Throws if an event is not accepted. */
export async function deliverAll(app: TestApp, ...all: { type: string }[]): Promise<void> {
  for (const one of all) {
    const { body: sent, headers } = signEvent(one, billing.webhookSecret);
    const { status, body } = await app.json('POST', '/api/stripe/webhook', { body: sent, headers });
    if (status !== 200) throw new Error(`${one.type} was answered ${status}: ${JSON.stringify(body)}`);
  }
}
