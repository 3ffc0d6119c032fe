import type { ReceivedEvent } from './payment-event.ts';
import type { Tier } from './tiers.ts';

/**
 * The payment processor in our own terms. Each call has a timeout, and the processor's package retries it if that may
 * help. Call it outside any transaction.
 * @throws ProcessorError from everything but `readEvent`
 */
export interface PaymentProcessor {
  /** Creates a customer for a tenant. Returns its id. */
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
  /** The subscriptions of a customer that are not canceled; none for a customer that does not exist. */
  subscriptionsOf(customerId: string): Promise<ProcessorSubscription[]>;
  /** A subscription in any status; null if this id does not exist. */
  readSubscription(subscriptionId: string): Promise<ProcessorSubscription | null>;
  /**
   * Verifies and parses a delivered event.
   * @param body the exact bytes that were signed
   * @param signature the header that the delivery was signed with
   * @returns null if the signature is missing, malformed, wrong, or older than 300 seconds
   */
  readEvent(body: Uint8Array, signature: string | undefined): ReceivedEvent | null;
}

export interface ProcessorSubscription {
  id: string;
  status: string;
}

/** The pages that the browser returns to. */
export interface ReturnAddresses {
  successUrl: string;
  cancelUrl: string;
}

export interface SubscriptionOrder extends ReturnAddresses {
  tenantId: string;
  customerId: string;
  tier: Tier;
  /** The processor's id of the tier's Price. */
  price: string;
}

export interface TopUpOrder extends ReturnAddresses {
  tenantId: string;
  customerId: string;
  price: string;
  packs: number;
  /** Source characters of all packs. */
  chars: number;
}

/** The processor's reason for an error, safe to log: codes and ids, but no message, which may quote a key. */
export interface ProcessorReason {
  type?: string | undefined;
  code?: string | undefined;
  param?: string | undefined;
  status?: number | undefined;
  request?: string | undefined;
}

/**
 * A call to the processor failed: it was unreachable or busy (`unreachable`), the customer no longer exists
 * (`no_such_customer`), or it rejected the request (`refused`), for example the key or a Price.
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
