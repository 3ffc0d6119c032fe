import type { Tier } from './tiers.ts';

/**
 * A payment event, reduced to the data that the service uses. `createdAt` is the time at which the payment processor
 * created the event, in ISO 8601.
 */
export type PaymentEvent = SubscriptionEvent | SubscriptionSession | TopUpPayment;

/** Events of the types customer.subscription.created, .updated and .deleted. */
export interface SubscriptionEvent {
  kind: 'subscription_changed' | 'subscription_deleted';
  createdAt: string;
  subscriptionId: string;
  status: string;
  /** The ids of the Prices of the subscription's items. */
  priceIds: readonly string[];
}

/** An event of the type checkout.session.completed, for a subscription. */
export interface SubscriptionSession {
  kind: 'subscription_session';
  createdAt: string;
  subscriptionId: string | null;
}

/** A paid checkout session for a top-up. It may be paid at its completion or later. */
export interface TopUpPayment {
  kind: 'topup_paid';
  createdAt: string;
  sessionId: string;
  /** The number of prepaid characters, above 0. The service has written it into the metadata of the session. */
  chars: number;
}

/** An event that the payment processor has delivered with a valid signature. */
export interface ReceivedEvent {
  id: string;
  /** The event type, as the payment processor names it. */
  type: string;
  /**
   * The event and its tenant, or the reason why the event has no effect: `ignored` for an unknown type, `noted` for a
   * type that is only logged, `skipped` if a required field is missing.
   */
  content: { tenantId: string; event: PaymentEvent } | Unstored;
}

export type Unstored = 'ignored' | 'noted' | `skipped: ${string}`;

/**
 * The interface to a payment processor, in the service's terms. Each call has a timeout, and is repeated if that may
 * help. Do not call it inside a transaction.
 * @throws ProcessorError from all functions except `readEvent`
 */
export interface PaymentProcessor {
  /** Creates a customer for a tenant. Returns the customer's id. */
  createCustomer(tenant: { id: string; name: string }): Promise<string>;
  /** Opens a checkout for a subscription. Returns the URL of its page. */
  openSubscriptionCheckout(order: SubscriptionOrder): Promise<string>;
  /** Opens a checkout for a one-time payment. Returns the URL of its page. */
  openPaymentCheckout(order: TopUpOrder): Promise<string>;
  /**
   * Opens the portal in which a customer changes its plan and card. Returns the URL of its page, which works for one
   * visit.
   */
  openPortal(visit: { customerId: string; returnUrl: string }): Promise<string>;
  /** Returns the customer's subscriptions that have not been canceled; none if the customer does not exist. */
  subscriptionsOf(customerId: string): Promise<ProcessorSubscription[]>;
  /** Returns a subscription in any status; null if the id does not exist. */
  readSubscription(subscriptionId: string): Promise<ProcessorSubscription | null>;
  /** Returns a price; null if the id does not exist, or if the price has no fixed amount. */
  readPrice(priceId: string): Promise<Price | null>;
  /**
   * Verifies and parses a delivered event.
   * @param body the exact bytes that were signed
   * @param signature the header with the signature
   * @returns null if the signature is missing, malformed, wrong, or older than 300 seconds
   */
  readEvent(body: Uint8Array, signature: string | undefined): ReceivedEvent | null;
}

export interface ProcessorSubscription {
  id: string;
  status: string;
}

/** The price of an item. */
export interface Price {
  /** In the currency's main unit, such as 49.5. */
  amount: number;
  /** ISO 4217, in upper case. */
  currency: string;
  /** The interval of payments; null for a one-time payment. */
  interval: 'day' | 'week' | 'month' | 'year' | null;
  /** The number of intervals between two payments. */
  interval_count: number;
  /** Whether the amount includes taxes; null if not known. */
  tax: 'inclusive' | 'exclusive' | null;
}

/** The pages to which the browser returns. */
interface ReturnAddresses {
  successUrl: string;
  cancelUrl: string;
}

interface SubscriptionOrder extends ReturnAddresses {
  tenantId: string;
  customerId: string;
  tier: Tier;
  /** The id of the tier's Price at the payment processor. */
  price: string;
}

interface TopUpOrder extends ReturnAddresses {
  tenantId: string;
  customerId: string;
  price: string;
  packs: number;
  /** The number of source characters in all packs together. */
  chars: number;
}

/**
 * The payment processor's reason for an error, for the log: codes and ids, without the message, which may quote an
 * API key.
 */
interface ProcessorReason {
  type?: string | undefined;
  code?: string | undefined;
  param?: string | undefined;
  status?: number | undefined;
  request?: string | undefined;
}

/**
 * A failed call to the payment processor. `unreachable`: the processor did not respond or was busy.
 * `no_such_customer`: the customer no longer exists. `refused`: the processor rejected the request, for example
 * because of the API key or a Price.
 */
export class ProcessorError extends Error {
  override name = 'ProcessorError';
  readonly kind: 'unreachable' | 'no_such_customer' | 'refused';
  readonly reason: ProcessorReason;

  constructor(kind: ProcessorError['kind'], reason: ProcessorReason) {
    super(`the payment processor: ${kind}`);
    this.kind = kind;
    this.reason = reason;
  }
}

export function isNoSuchCustomer(error: unknown): boolean {
  return error instanceof ProcessorError && error.kind === 'no_such_customer';
}
