import { randomUUID } from 'node:crypto';
import { signEvent } from '#test/fakes/stripe.ts';
import type { TestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { base, type Fields } from './customers.ts';

export const webhookSecret = 'whsec_of_the_tests_0123456789';

/** The Prices that the deployments of these tests sell. */
export const prices = {
  personal: 'price_personal_x1',
  pro: 'price_pro_x2',
  studio: 'price_studio_x3',
  topup: 'price_topup_x4',
};

/** A deployment that takes payments: all tiers and top-ups on sale, at `url` (an unused address, if nothing is requested of Stripe). */
export const paid = (url = 'http://127.0.0.1:9', secretKey = 'sk_test_nobody') => ({
  ...base,
  BILLING_ENABLED: 'true',
  STRIPE_SECRET_KEY: secretKey,
  STRIPE_WEBHOOK_SECRET: webhookSecret,
  STRIPE_PRICE_PERSONAL: prices.personal,
  STRIPE_PRICE_PRO: prices.pro,
  STRIPE_PRICE_STUDIO: prices.studio,
  STRIPE_PRICE_TOPUP: prices.topup,
  STRIPE_API_URL: url,
  // Every test creates a tenant, all from one address.
  TRIAL_GRANTS_PER_ADDRESS: '100000',
});

const now = () => Math.floor(Date.now() / 1000);
const unique = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '')}`;

/** The next second: events have times in whole seconds, so two in one second have equal times. */
export async function nextSecond(): Promise<void> {
  const before = now();
  await poll(async () => now() > before);
}

export interface PaymentEvent {
  id: string;
  type: string;
  created: number;
  data: { object: Fields };
}

/** An event in Stripe's shape. @param created Unix time in seconds; now unless it is given */
export function event(type: string, object: Fields, created = now()): PaymentEvent {
  return {
    id: unique('evt'),
    object: 'event',
    api_version: '2025-03-31.basil',
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    created,
    data: { object },
  } as PaymentEvent;
}

interface Subscribed {
  tenantId: string;
  id: string;
  status?: string;
  price?: string;
  created?: number;
  customer?: string;
}

/** `customer.subscription.created`, `.updated` or `.deleted`. */
export function subscriptionEvent(kind: 'created' | 'updated' | 'deleted', about: Subscribed): PaymentEvent {
  const { tenantId, id, price = prices.personal, created, customer = `cus_${tenantId.slice(0, 8)}` } = about;
  const status = about.status ?? (kind === 'deleted' ? 'canceled' : 'active');
  return event(
    `customer.subscription.${kind}`,
    {
      id,
      object: 'subscription',
      customer,
      status,
      created: created ?? now(),
      items: {
        object: 'list',
        data: [
          {
            id: unique('si'),
            object: 'subscription_item',
            quantity: 1,
            price: { id: price, object: 'price' },
          },
        ],
      },
      metadata: { tenant_id: tenantId },
    },
    created,
  );
}

/** A checkout session that ended, of mode subscription. */
export const subscribed = (tenantId: string, id: string, fields: Fields = {}, created?: number) =>
  event(
    'checkout.session.completed',
    {
      id: unique('cs'),
      object: 'checkout.session',
      mode: 'subscription',
      status: 'complete',
      payment_status: 'paid',
      client_reference_id: tenantId,
      customer: `cus_${tenantId.slice(0, 8)}`,
      subscription: id,
      metadata: { tenant_id: tenantId },
      ...fields,
    },
    created,
  );

/** A top-up's checkout session that was completed and paid, for `chars` characters. */
export const toppedUp = (
  tenantId: string,
  chars: number | string,
  fields: Fields = {},
  type = 'checkout.session.completed',
) =>
  event(type, {
    id: unique('cs'),
    object: 'checkout.session',
    mode: 'payment',
    status: 'complete',
    payment_status: 'paid',
    client_reference_id: tenantId,
    customer: `cus_${tenantId.slice(0, 8)}`,
    subscription: null,
    metadata: { tenant_id: tenantId, topup_chars: String(chars) },
    ...fields,
  });

/** Delivers an event as Stripe does. */
export function deliver(app: TestApp, delivered: PaymentEvent, secret = webhookSecret) {
  const { body, headers } = signEvent(delivered, secret);
  return app.json('POST', '/api/stripe/webhook', { body, headers });
}

/** Delivers events in sequence, and throws if one is not accepted. */
export async function deliverAll(app: TestApp, ...all: PaymentEvent[]): Promise<void> {
  for (const one of all) {
    const { status, body } = await deliver(app, one);
    if (status !== 200) throw new Error(`${one.type} was answered ${status}: ${JSON.stringify(body)}`);
  }
}
