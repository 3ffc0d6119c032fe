import { Stripe } from 'stripe';
import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { findUnstorable } from '../input-limits.ts';
import {
  type PaymentEvent,
  type PaymentProcessor,
  type Price,
  ProcessorError,
  type ProcessorSubscription,
  type ReceivedEvent,
  type Unstored,
} from './processor.ts';

/** Timeout of one request, in milliseconds. A call makes at most three requests. */
const requestTimeout = 20_000;
const retries = 2;

/** Seconds for which the signature of a webhook is valid. */
const signatureTolerance = 300;

/** Opens the connection to Stripe. Only this file uses Stripe's package. */
export function openStripe(settings: Settings): PaymentProcessor {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET = '' } = settings;
  const client = STRIPE_SECRET_KEY === undefined ? null : clientFor(STRIPE_SECRET_KEY, settings);
  // There is always a key here: `requireBilling` rejects requests if the deployment has none.
  const stripe = (): Stripe => {
    if (!client) throw new Error('STRIPE_SECRET_KEY is not set');
    return client;
  };

  return {
    createCustomer: ({ id, name }) =>
      callStripe(async () => (await stripe().customers.create({ name, metadata: { tenant_id: id } })).id),

    openSubscriptionCheckout: ({ tenantId, customerId, tier, price, successUrl, cancelUrl }) =>
      callStripe(async () =>
        pageOf(
          await stripe().checkout.sessions.create({
            mode: 'subscription',
            customer: customerId,
            client_reference_id: tenantId,
            line_items: [{ price, quantity: 1 }],
            metadata: { tenant_id: tenantId, tier },
            subscription_data: { metadata: { tenant_id: tenantId } },
            success_url: successUrl,
            cancel_url: cancelUrl,
          }),
        ),
      ),

    openPaymentCheckout: ({ tenantId, customerId, price, packs, chars, successUrl, cancelUrl }) =>
      callStripe(async () =>
        pageOf(
          await stripe().checkout.sessions.create({
            mode: 'payment',
            customer: customerId,
            client_reference_id: tenantId,
            line_items: [{ price, quantity: packs }],
            metadata: { tenant_id: tenantId, topup_chars: String(chars) },
            // setup_future_usage is not set, so Stripe does not keep the card for later charges.
            payment_method_options: { card: { request_three_d_secure: 'any' } },
            success_url: successUrl,
            cancel_url: cancelUrl,
          }),
        ),
      ),

    openPortal: ({ customerId, returnUrl }) =>
      callStripe(async () =>
        pageOf(await stripe().billingPortal.sessions.create({ customer: customerId, return_url: returnUrl })),
      ),

    async subscriptionsOf(customerId) {
      try {
        // One page is enough, because a customer has one subscription or a few.
        const { data } = await callStripe(() =>
          stripe().subscriptions.list({ customer: customerId, limit: 100 }),
        );
        return data.map(subscriptionOf);
      } catch (error) {
        if (error instanceof ProcessorError && error.kind === 'no_such_customer') return [];
        throw error;
      }
    },

    async readSubscription(subscriptionId) {
      try {
        return subscriptionOf(await callStripe(() => stripe().subscriptions.retrieve(subscriptionId)));
      } catch (error) {
        if (error instanceof ProcessorError && error.reason.code === 'resource_missing') return null;
        throw error;
      }
    },

    async readPrice(priceId) {
      try {
        return priceOf(await callStripe(() => stripe().prices.retrieve(priceId)));
      } catch (error) {
        if (error instanceof ProcessorError && error.reason.code === 'resource_missing') return null;
        throw error;
      }
    },

    readEvent(body, signature) {
      const text = signedText(body, signature, STRIPE_WEBHOOK_SECRET);
      if (text === undefined) return null;
      const event = readStripeEvent(parse(text));
      if (!event) throw new AppError('malformed_request', 'invalid JSON body: not an event');
      return event;
    },
  };
}

function clientFor(key: string, { STRIPE_API_URL }: Settings): Stripe {
  const bounds = { timeout: requestTimeout, maxNetworkRetries: retries, telemetry: false };
  if (STRIPE_API_URL === undefined) return new Stripe(key, bounds);
  const { protocol, hostname, port } = new URL(STRIPE_API_URL);
  const secure = protocol === 'https:';
  return new Stripe(key, {
    ...bounds,
    protocol: secure ? 'https' : 'http',
    // Remove the brackets around an IPv6 address: a URL has them, but the package expects the address without them.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (secure ? 443 : 80),
  });
}

function subscriptionOf({ id, status }: { id: string; status: string }): ProcessorSubscription {
  return { id, status };
}

/** Stripe's currencies whose amounts have no decimal places, or three. All others have two. */
const noDecimals = /^(bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|vnd|vuv|xaf|xof|xpf)$/;
const threeDecimals = /^(bhd|jod|kwd|omr|tnd)$/;

const intervals = ['day', 'week', 'month', 'year'] as const;
const taxBehaviors = ['inclusive', 'exclusive'] as const;

function priceOf({ unit_amount_decimal, currency, recurring, tax_behavior }: Stripe.Price): Price | null {
  if (unit_amount_decimal === null) return null;
  const decimals = noDecimals.test(currency) ? 0 : threeDecimals.test(currency) ? 3 : 2;
  return {
    amount: Number(unit_amount_decimal.toString()) / 10 ** decimals,
    currency: currency.toUpperCase(),
    interval: intervals.find((known) => known === recurring?.interval) ?? null,
    interval_count: recurring?.interval_count ?? 1,
    tax: taxBehaviors.find((known) => known === tax_behavior) ?? null,
  };
}

function pageOf({ url }: { url?: string | null }): string {
  if (!url) throw new ProcessorError('refused', { code: 'no_url' });
  return url;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the text of a delivery if the signature is valid; otherwise undefined. The bytes are decoded strictly, so
 * that the text corresponds to exactly the signed bytes: Stripe's package would replace bytes that are not UTF-8 and
 * skip a byte order mark.
 */
function signedText(body: Uint8Array, signature: string | undefined, secret: string): string | undefined {
  if (!signature) return undefined;
  try {
    const text = utf8.decode(body);
    const { signature: signatures } = Stripe.webhooks;
    return signatures?.verifyHeader(text, signature, secret, signatureTolerance) ? text : undefined;
  } catch {
    // For some malformed headers, the package throws errors of other classes than its usual ones.
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('malformed_request', 'invalid JSON body');
  }
}

/** Calls Stripe. @throws ProcessorError in place of the errors of Stripe's package */
async function callStripe<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { type, code, param, statusCode: status, requestId: request } = error;
    throw new ProcessorError(kindOf(error), { type, code, param, status, request });
  }
}

function kindOf(error: Stripe.errors.StripeError): ProcessorError['kind'] {
  const { errors } = Stripe;
  if (error instanceof errors.StripeConnectionError || error instanceof errors.StripeRateLimitError)
    return 'unreachable';
  // The package uses this class for all other errors: status 5xx, and conflicts between concurrent requests.
  if (error instanceof errors.StripeAPIError) return 'unreachable';
  return error.code === 'resource_missing' && error.param === 'customer' ? 'no_such_customer' : 'refused';
}

/** An id. In some API versions, Stripe sends the whole object in place of its id. */
const reference = z
  .union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .catch(null);

const metadata = z.record(z.string(), z.unknown()).nullish().catch(null);

const name = z.string().min(1).max(255);

const subscription = z.object({
  id: name,
  status: name,
  metadata,
  items: z
    .object({ data: z.array(z.object({ price: reference }).catch({ price: null })) })
    .nullish()
    .catch(null),
});

const session = z.object({
  id: name,
  mode: z.string().nullish().catch(null),
  payment_status: z.string().nullish().catch(null),
  client_reference_id: z.string().nullish().catch(null),
  subscription: reference,
  metadata,
});

/** The end of the year 9999, in seconds since the epoch. */
const latest = 253_402_300_799;

const envelope = z.object({
  id: name,
  type: name,
  created: z.int().min(0).max(latest),
  data: z.object({ object: z.unknown() }),
});

/** Maximum characters of one payment: far more than the service sells, and small enough that sums are exact. */
const maxCredit = 1_000_000_000_000;

type Content = ReceivedEvent['content'];

/** The function that reads each event type. Events of other types are accepted and ignored. */
const readers: Readonly<Record<string, (object: unknown, createdAt: string) => Content>> = {
  'checkout.session.completed': readSession(readCompleted),
  'checkout.session.async_payment_succeeded': readSession(readTopUp),
  'checkout.session.async_payment_failed': () => 'noted',
  'customer.subscription.created': readSubscription('subscription_changed'),
  'customer.subscription.updated': readSubscription('subscription_changed'),
  'customer.subscription.deleted': readSubscription('subscription_deleted'),
  'invoice.payment_failed': () => 'noted',
};

/**
 * Reads a Stripe event. Only the fields that the service needs are read, because API versions send different fields.
 * @returns undefined if the value is not an event
 */
function readStripeEvent(sent: unknown): ReceivedEvent | undefined {
  const read = envelope.safeParse(sent);
  if (!read.success) return undefined;
  const { id, type, created, data } = read.data;
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined;
  const content = reader?.(data.object, new Date(created * 1000).toISOString()) ?? 'ignored';
  // If PostgreSQL cannot store the ids, skip the event: no tenant has such ids. If the event failed, Stripe would
  // send it again.
  const storable = typeof content === 'string' || !findUnstorable({ id, type, content });
  return { id, type, content: storable ? content : 'skipped: unreadable ids' };
}

type Session = z.infer<typeof session>;
type SessionReader = (session: Session, createdAt: string) => PaymentEvent | Unstored;

/**
 * Returns a function that reads a checkout session. The tenant is in client_reference_id or, if that is missing, in
 * the tenant_id of the metadata. If client_reference_id is not a tenant, the metadata is not used, because the
 * service's own sessions have the same id in both.
 */
function readSession(read: SessionReader) {
  return (object: unknown, createdAt: string): Content => {
    const found = session.safeParse(object);
    if (!found.success) return 'skipped: unreadable session';
    const event = read(found.data, createdAt);
    if (typeof event === 'string') return event;
    return ofTenant(found.data.client_reference_id || found.data.metadata?.['tenant_id'], event);
  };
}

function readCompleted(completed: Session, createdAt: string): PaymentEvent | Unstored {
  const { mode, subscription: subscriptionId = null, payment_status: paid } = completed;
  if (mode === 'subscription' || (!mode && subscriptionId))
    return { kind: 'subscription_session', createdAt, subscriptionId: subscriptionId || null };
  if (mode !== 'payment') return 'noted';
  // If the payment takes days, Stripe sends another event when it has been paid.
  return paid === 'paid' ? readTopUp(completed, createdAt) : 'noted';
}

/** The number of characters comes from the metadata that the service wrote, never from the amount paid. */
function readTopUp({ id, metadata: stamped }: Session, createdAt: string): PaymentEvent | Unstored {
  const text = stamped?.['topup_chars'];
  const chars = typeof text === 'string' && /^\d{1,13}$/.test(text) ? Number(text) : text;
  if (typeof chars !== 'number' || !Number.isInteger(chars) || chars < 1 || chars > maxCredit)
    return 'skipped: no topup_chars';
  return { kind: 'topup_paid', createdAt, sessionId: id, chars };
}

function readSubscription(kind: 'subscription_changed' | 'subscription_deleted') {
  return (object: unknown, createdAt: string): Content => {
    const found = subscription.safeParse(object);
    if (!found.success) return 'skipped: unreadable subscription';
    const { id: subscriptionId, status, items, metadata: stamped } = found.data;
    const priceIds = (items?.data ?? []).flatMap(({ price }) => price ?? []);
    return ofTenant(stamped?.['tenant_id'], { kind, createdAt, subscriptionId, status, priceIds });
  };
}

function ofTenant(tenantId: unknown, event: PaymentEvent): Content {
  if (typeof tenantId !== 'string' || tenantId === '') return 'skipped: no tenant';
  return { tenantId, event };
}
