import type { ReceivedEvent } from './payment-event.ts';
import type { Tier } from './tiers.ts';

/**
 * The payment processor, in our own terms. Each call is bounded in time, tried again by the processor's own package where
 * that helps, and made outside of any transaction.
 * @throws ProcessorError from everything but `readEvent`
 */
export interface PaymentProcessor {
  /** Makes a customer for a tenant; answers its id. */
  createCustomer(tenant: { id: string; name: string }): Promise<string>;
  /** Opens a checkout of a subscription; answers where to send the browser. */
  openSubscriptionCheckout(order: SubscriptionOrder): Promise<string>;
  /** Opens a checkout of a one-time payment; answers where to send the browser. */
  openPaymentCheckout(order: TopUpOrder): Promise<string>;
  /** Opens the portal in which a customer changes its plan and card; answers where to send the browser, once. */
  openPortal(visit: { customerId: string; returnUrl: string }): Promise<string>;
  /** The subscriptions of a customer that are not canceled; none for a customer that does not exist. */
  subscriptionsOf(customerId: string): Promise<ProcessorSubscription[]>;
  /** One subscription, whatever became of it; null where there is none of that id. */
  readSubscription(subscriptionId: string): Promise<ProcessorSubscription | null>;
  /**
   * An event as the processor delivered it.
   * @param body to the byte: the signature is over it
   * @param signature the header that the delivery was signed with
   * @returns null where the signature is missing, malformed, wrong, or older than 300 seconds
   */
  readEvent(body: Uint8Array, signature: string | undefined): ReceivedEvent | null;
}

export interface ProcessorSubscription {
  id: string;
  status: string;
}

/** Where the browser comes back to. */
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
  /** Source characters that the packs come to. */
  chars: number;
}

/** What the processor said of a refusal, as it may be logged: codes and ids, no message, which may quote a key. */
export interface ProcessorReason {
  type?: string | undefined;
  code?: string | undefined;
  param?: string | undefined;
  status?: number | undefined;
  request?: string | undefined;
}

/**
 * The processor did not do it: it was out of reach or busy (`unreachable`), the customer does not exist there any more
 * (`no_such_customer`), or it refused what we sent (`refused`): its key, a Price, its own set-up.
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
