import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { type FakeStripe, signEvent, startFakeStripe } from '#test/fakes/stripe.ts';
import { type Signup, type TestApp, useTestApp } from '#test/setup/app.ts';

export const webhookSecret = 'whsec_of_the_tests_0123456789';

/** The products of the tests' deployment. */
export const prices = {
  STRIPE_PRICE_PERSONAL: 'price_personal',
  STRIPE_PRICE_PRO: 'price_pro',
  STRIPE_PRICE_STUDIO: 'price_studio',
  STRIPE_PRICE_TOPUP: 'price_topup',
};

export interface BillingApp {
  app: TestApp;
  stripe: FakeStripe;
  /** Without row-level security. */
  sql: postgres.Sql;
  /** Delivers an event, signed, and returns what the webhook did. */
  deliver(event: unknown): Promise<{ status: number; body: unknown }>;
  /** The tenant's row as it is stored. */
  stored(tenantId: string): Promise<{ metadata: Record<string, unknown>; monthly_char_limit: number }>;
  /** Merges keys into the tenant's metadata. */
  note(tenantId: string, metadata: Record<string, unknown>): Promise<void>;
  /** The tenant's applied events, by id. */
  events(tenantId: string): Promise<string[]>;
}

/** An application with billing, and a fake of Stripe. @param env variables on top; an empty one counts as unset */
export function useBillingApp(env: Record<string, string> = {}): BillingApp {
  const all: Record<string, string> = {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    BASE_URL: 'https://lingualoop.example',
    BILLING_ENABLED: 'true',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    ...prices,
  };
  const billing = {} as BillingApp;
  // Before the application reads its environment.
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

/** Seconds, the clock of events: later events are made later. */
export const someTime = 1_790_000_000;

/** An event as Stripe makes one. @param at seconds after `someTime` */
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

/** An event about a checkout session of a top-up, paid unless `fields` say otherwise. */
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

/** A request of a person to one of the three addresses. */
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
