import type { CallOptions } from './options.ts';
import type { Rpc } from './rpc.ts';
import type { Call, Send } from './send.ts';
import type { CheckoutRequest, PaymentPage, TopUpRequest } from './types.ts';

/**
 * Paying. Each call opens a page of the payment processor's and answers its address, for the tenant of whoever asks. What
 * the browser comes back with to /billing is a hint: what was paid counts once the processor has told the service of it.
 *
 * ServiceUnavailableError where the deployment sells none of it.
 */
export interface Billing {
  /**
   * Opens the checkout of a plan. ConflictError for who is subscribed already: the plan is changed, and a card that failed
   * is replaced, in the portal.
   */
  checkout(request: CheckoutRequest, options?: CallOptions): Promise<PaymentPage>;
  /**
   * Opens the purchase of prepaid characters. PaymentRequiredError without a subscription that is current, ConflictError
   * where it would pass a ceiling, RateLimitError after five attempts in an hour. Each sending is an attempt, so it is only
   * sent again where the service certainly did nothing.
   */
  topUp(request?: TopUpRequest, options?: CallOptions): Promise<PaymentPage>;
  /** Opens the billing portal, for one visit. ConflictError for who never went to a checkout. */
  portal(options?: CallOptions): Promise<PaymentPage>;
}

/**
 * Repeatable: opening a page charges nothing, nobody can pay on a page whose address was lost, and it expires at the
 * processor. (If a subscription started meanwhile, either attempt gets a ConflictError.)
 */
const checkoutCall: Call = { name: 'billing.checkout', repeatable: true };
const portalCall: Call = { name: 'billing.portal', repeatable: true };
/**
 * Not repeatable: it charges nothing either, but it is limited to five per hour, lost ones included (A 4.5), so retries
 * would use up a person's attempts.
 */
const topUpCall: Call = { name: 'billing.topUp', repeatable: false };

export function billing(rpc: Rpc, send: Send): Billing {
  const { checkout, topup, portal } = rpc.billing;
  return {
    checkout: (request, options) =>
      send(checkoutCall, (attempt) => checkout.mutate(request, attempt), options),
    topUp: (request = {}, options) => send(topUpCall, (attempt) => topup.mutate(request, attempt), options),
    portal: (options) => send(portalCall, (attempt) => portal.mutate(undefined, attempt), options),
  };
}
