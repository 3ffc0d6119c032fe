import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { type FakeStripe, signEvent, startFakeStripe } from '#test/fakes/stripe.ts';
import { type Signup, type TestApp, useTestApp } from '#test/setup/app.ts';

export const webhookSecret = 'whsec_of_the_tests_0123456789';

/** The products that the deployment in these tests sells. */
export const prices = {
  STRIPE_PRICE_PERSONAL: 'price_personal',
  STRIPE_PRICE_PRO: 'price_pro',
  STRIPE_PRICE_STUDIO: 'price_studio',
  STRIPE_PRICE_TOPUP: 'price_topup',
};

export interface BillingApp {
  app: TestApp;
  stripe: FakeStripe;
  /** A connection without row-level security. */
  sql: postgres.Sql;
  /** Delivers a signed event, and returns the response of the webhook. */
  deliver(event: unknown): Promise<{ status: number; body: unknown }>;
  /** The stored row of a tenant. */
  stored(tenantId: string): Promise<{ metadata: Record<string, unknown>; monthly_char_limit: number }>;
  /** Adds keys to the metadata of a tenant. */
  note(tenantId: string, metadata: Record<string, unknown>): Promise<void>;
  /** The IDs of the events that were applied to a tenant. */
  events(tenantId: string): Promise<string[]>;
}

/**
 * Starts an application with billing, and a fake of Stripe.
 * @param env additional variables; an empty value counts as not set
 */
export function useBillingApp(env: Record<string, string> = {}): BillingApp {
  const all: Record<string, string> = {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    BASE_URL: 'https://lingualoop.example',
    BILLING_ENABLED: 'true',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    ...prices,
  };
  const billing = {} as BillingApp;
  // Runs before the application starts and reads its environment.
  beforeAll(async () => {
    billing.stripe = await startFakeStripe({ prices: Object.values(prices) });
    Object.assign(
      all,
      { STRIPE_API_URL: billing.stripe.url, STRIPE_SECRET_KEY: billing.stripe.secretKey },
      env,
    );
  });
  const app = useTestApp({ env: all });
  beforeAll(() => {
    billing.sql = postgres(app.superuserUrl, { max: 1, onnotice: () => {} });
  });
  afterAll(async () => {
    await billing.sql?.end();
    await billing.stripe?.close();
  });

  return Object.assign(billing, {
    app,
    async deliver(event: unknown) {
      const { body, headers } = signEvent(event, webhookSecret);
      return app.json('POST', '/api/stripe/webhook', { body, headers });
    },
    async stored(tenantId: string) {
      const [row] = await billing.sql`
        select metadata, monthly_char_limit from tenants where tenant_id = ${tenantId}`;
      return row as unknown as Awaited<ReturnType<BillingApp['stored']>>;
    },
    async note(tenantId: string, metadata: Record<string, unknown>) {
      await billing.sql`
        update tenants set metadata = metadata || ${billing.sql.json(metadata as never)} where tenant_id = ${tenantId}`;
    },
    async events(tenantId: string) {
      const rows = await billing.sql`
        select event_id from payment_events where tenant_id = ${tenantId} order by event_id`;
      return rows.map(({ event_id }) => event_id as string);
    },
  });
}

const newId = (prefix: string) => `${prefix}_${randomBytes(6).toString('hex')}`;

/** The time of the first event in seconds. Later events have later times. */
export const someTime = 1_790_000_000;

/** An event in the form in which Stripe creates it. @param at seconds after `someTime` */
export function eventOf(type: string, object: Record<string, unknown>, at = 0) {
  return { id: newId('evt'), object: 'event', type, created: someTime + at, data: { object } };
}

/** An event about a subscription. */
export function subscriptionEvent(
  what: 'created' | 'updated' | 'deleted',
  tenantId: string,
  fields: { id: string; status?: string; price?: string } & Record<string, unknown>,
  at = 0,
) {
  const { price = prices.STRIPE_PRICE_PRO, ...others } = fields;
  return eventOf(
    `customer.subscription.${what}`,
    {
      object: 'subscription',
      status: 'active',
      metadata: { tenant_id: tenantId },
      items: { object: 'list', data: [{ id: 'si_1', price: { id: price, object: 'price' } }] },
      ...others,
    },
    at,
  );
}

/** An event about the checkout session of a top-up. It is paid, unless `fields` say otherwise. */
export function topUpEvent(
  tenantId: string,
  fields: Record<string, unknown> = {},
  type = 'checkout.session.completed',
) {
  return eventOf(type, {
    id: newId('cs'),
    object: 'checkout.session',
    mode: 'payment',
    payment_status: 'paid',
    client_reference_id: tenantId,
    metadata: { tenant_id: tenantId, topup_chars: '1000000' },
    subscription: null,
    ...fields,
  });
}

/** An event about a completed checkout session of a subscription. */
export function sessionEvent(tenantId: string, fields: Record<string, unknown> = {}, at = 0) {
  return eventOf(
    'checkout.session.completed',
    {
      id: newId('cs'),
      object: 'checkout.session',
      mode: 'subscription',
      payment_status: 'paid',
      client_reference_id: tenantId,
      metadata: { tenant_id: tenantId, tier: 'pro' },
      subscription: newId('sub'),
      ...fields,
    },
    at,
  );
}

/** A request by a person to one of the three billing endpoints. */
export function ask(
  { app }: BillingApp,
  what: 'checkout' | 'topup' | 'portal',
  person: Pick<Signup, 'headers'> | null,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const sent = { ...person?.headers, ...headers };
  return app.json('POST', `/api/billing/${what}`, { headers: sent, ...(body !== undefined && { body }) });
}
