import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import type { Call } from './send.ts';
import type { CheckoutRequest, PaymentPage, TopUpRequest } from './types.ts';

/**
 * Payments of the caller's tenant. Each call creates a page at the payment processor and returns its URL. When the
 * browser returns to /billing, the query of the URL does not prove a payment: a payment counts after the processor
 * has confirmed it to the service. All calls throw ServiceUnavailableError if the deployment does not sell the item.
 */
export interface Billing {
  /**
   * Creates a checkout page for a plan. Throws ConflictError if the tenant already has a subscription: in the portal,
   * it can change the plan or replace a card that failed.
   */
  checkout(request: CheckoutRequest, options?: CallOptions): ApiPromise<PaymentPage>;
  /**
   * Creates a page to purchase prepaid characters. Throws PaymentRequiredError without a current subscription,
   * ConflictError if the purchase would exceed a limit, and RateLimitError after five calls in an hour. Because each
   * request counts, the call is retried only if the service certainly did nothing.
   */
  topUp(request?: TopUpRequest, options?: CallOptions): ApiPromise<PaymentPage>;
  /**
   * Creates a link to the billing portal, for one visit. Throws ConflictError if the tenant has never had a checkout.
   */
  portal(options?: CallOptions): ApiPromise<PaymentPage>;
}

/**
 * Repeatable: creating a page charges nothing. If the response is lost, no one has the URL of the page, and the page
 * expires at the payment processor. If a subscription has started in between, the retry gets the ConflictError that
 * the first attempt would get, too.
 */
const checkoutCall: Call = { name: 'billing.checkout', repeatable: true, result: ['url'] };
const portalCall: Call = { name: 'billing.portal', repeatable: true, result: ['url'] };
/**
 * Not repeatable, although creating a page charges nothing: each request counts, even if its response is lost, and a
 * member may make only five per hour.
 */
const topUpCall: Call = { name: 'billing.topUp', repeatable: false, result: ['url'] };

export function billing({ json }: Connection): Billing {
  const open = (call: Call, page: string, body: object | undefined, options: CallOptions | undefined) =>
    json<PaymentPage>(call, { method: 'POST', path: `/api/billing/${page}`, json: body }, options);
  return {
    checkout: (request, options) => open(checkoutCall, 'checkout', request, options),
    topUp: (request = {}, options) => open(topUpCall, 'topup', request, options),
    portal: (options) => open(portalCall, 'portal', undefined, options),
  };
}
