import { signEvent } from '#test/fakes/stripe.ts';
import type { TestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import * as billing from './billing-app.ts';
import { base, type Fields } from './customers.ts';

/** The Prices that the deployments of these tests sell. */
export const prices = {
  personal: billing.prices.STRIPE_PRICE_PERSONAL,
  pro: billing.prices.STRIPE_PRICE_PRO,
  studio: billing.prices.STRIPE_PRICE_STUDIO,
};

/** A deployment that takes payments: all tiers and top-ups on sale, at `url` (an unused address, if nothing is requested of Stripe). */
export const paid = (url = 'http://127.0.0.1:9', secretKey = 'sk_test_nobody') => ({
  ...base,
  ...billing.prices,
  BILLING_ENABLED: 'true',
  STRIPE_SECRET_KEY: secretKey,
  STRIPE_WEBHOOK_SECRET: billing.webhookSecret,
  STRIPE_API_URL: url,
  // Every test creates a tenant, all from one address.
  TRIAL_GRANTS_PER_ADDRESS: '100000',
});

const now = () => Math.floor(Date.now() / 1000);

/** The next second: events have times in whole seconds, so two in one second have equal times. */
export async function nextSecond(): Promise<void> {
  const before = now();
  await poll(async () => now() > before);
}

/** An event that is made now. */
export const event = (type: string, object: Fields) => ({ ...billing.eventOf(type, object), created: now() });

type About = Fields & { tenantId: string; id: string; status?: string; price?: string };

/** `customer.subscription.created`, `.updated` or `.deleted`, made now. */
export const subscriptionEvent = (
  kind: 'created' | 'updated' | 'deleted',
  { tenantId, price = prices.personal, ...fields }: About,
) => ({ ...billing.subscriptionEvent(kind, tenantId, { price, ...fields }), created: now() });

/** A checkout session that ended now, of mode subscription. */
export const subscribed = (tenantId: string, id: string) => ({
  ...billing.sessionEvent(tenantId, { subscription: id }),
  created: now(),
});

/** A top-up's checkout session that was completed and paid now, for `chars` characters. */
export const toppedUp = (tenantId: string, chars: number) => {
  const metadata = { tenant_id: tenantId, topup_chars: String(chars) };
  return { ...billing.topUpEvent(tenantId, { metadata }), created: now() };
};

/** Delivers events as Stripe does, in sequence, and throws if one is not accepted. */
export async function deliverAll(app: TestApp, ...all: { type: string }[]): Promise<void> {
  for (const one of all) {
    const { body: sent, headers } = signEvent(one, billing.webhookSecret);
    const { status, body } = await app.json('POST', '/api/stripe/webhook', { body: sent, headers });
    if (status !== 200) throw new Error(`${one.type} was answered ${status}: ${JSON.stringify(body)}`);
  }
}
