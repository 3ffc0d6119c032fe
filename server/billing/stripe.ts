import { Stripe } from 'stripe';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { type PaymentProcessor, ProcessorError, type ProcessorSubscription } from './processor.ts';
import { readStripeEvent } from './stripe-events.ts';

/** Milliseconds of one request, of which there are three at most. */
const requestTimeout = 20_000;
const retries = 2;

/** Seconds that a delivery's signature may be old (C 3). */
const signatureTolerance = 300;

/** Stripe, by its own package: the only file that knows it. */
export function openStripe(settings: Settings): PaymentProcessor {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET = '' } = settings;
  const client = STRIPE_SECRET_KEY === undefined ? null : clientFor(STRIPE_SECRET_KEY, settings);
  // Whoever has no key is refused before it comes to this.
  const stripe = (): Stripe => {
    if (!client) throw new Error('STRIPE_SECRET_KEY is not set');
    return client;
  };

  return {
    createCustomer: ({ id, name }) =>
      asked(async () => (await stripe().customers.create({ name, metadata: { tenant_id: id } })).id),

    openSubscriptionCheckout: ({ tenantId, customerId, tier, price, successUrl, cancelUrl }) =>
      asked(async () =>
        addressOf(
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
      asked(async () =>
        addressOf(
          await stripe().checkout.sessions.create({
            mode: 'payment',
            customer: customerId,
            client_reference_id: tenantId,
            line_items: [{ price, quantity: packs }],
            metadata: { tenant_id: tenantId, topup_chars: String(chars) },
            // Without setup_future_usage: the card is not kept for later charges (A 4.5).
            payment_method_options: { card: { request_three_d_secure: 'any' } },
            success_url: successUrl,
            cancel_url: cancelUrl,
          }),
        ),
      ),

    openPortal: ({ customerId, returnUrl }) =>
      asked(async () =>
        addressOf(
          await stripe().billingPortal.sessions.create({ customer: customerId, return_url: returnUrl }),
        ),
      ),

    async subscriptionsOf(customerId) {
      try {
        // One page: a customer has one subscription, or a few.
        const { data } = await asked(() => stripe().subscriptions.list({ customer: customerId, limit: 100 }));
        return data.map(inShort);
      } catch (error) {
        if (error instanceof ProcessorError && error.kind === 'no_such_customer') return [];
        throw error;
      }
    },

    async readSubscription(subscriptionId) {
      try {
        return inShort(await asked(() => stripe().subscriptions.retrieve(subscriptionId)));
      } catch (error) {
        if (error instanceof ProcessorError && error.reason.code === 'resource_missing') return null;
        throw error;
      }
    },

    readEvent(body, signature) {
      const text = signedText(body, signature, STRIPE_WEBHOOK_SECRET);
      if (text === undefined) return null;
      const event = readStripeEvent(parse(text));
      if (!event) throw new AppError('malformed_request', 'invalid JSON body: it is no event');
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
    // An IPv6 address stands in brackets in a URL, and nowhere else.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (secure ? 443 : 80),
  });
}

function inShort({ id, status }: { id: string; status: string }): ProcessorSubscription {
  return { id, status };
}

function addressOf({ url }: { url: string | null }): string {
  if (url === null) throw new ProcessorError('refused', { code: 'no_url' });
  return url;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The text of a delivery whose signature is good. The package would read bytes that are no UTF-8 as others and skip a byte
 * order mark: the text that it is given stands for these bytes and no others.
 */
function signedText(body: Uint8Array, signature: string | undefined, secret: string): string | undefined {
  if (!signature) return undefined;
  try {
    const text = utf8.decode(body);
    const { signature: signatures } = Stripe.webhooks;
    return signatures?.verifyHeader(text, signature, secret, signatureTolerance) ? text : undefined;
  } catch {
    // Of some malformed headers the package complains in errors of no kind.
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('malformed_request', 'invalid JSON body: it does not parse');
  }
}

/** @throws ProcessorError in the place of the package's own */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
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
  // What the package has no other name for: 5xx, and conflicts with a request of the same moment.
  if (error instanceof errors.StripeAPIError) return 'unreachable';
  return error.code === 'resource_missing' && error.param === 'customer' ? 'no_such_customer' : 'refused';
}
