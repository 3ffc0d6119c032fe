import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import type { Call } from './send.ts';
import type { CheckoutRequest, PaymentPage, TopUpRequest } from './types.ts';

/**
 * Payments. Each call opens a page of the payment processor and returns its URL, for the caller's tenant. The query
 * with which the browser returns to /billing is only a hint: a payment counts once the processor has confirmed it to
 * the service.
 *
 * ServiceUnavailableError if the deployment does not sell it.
 */
export interface Billing {
  /**
   * Opens the checkout of a plan. ConflictError if already subscribed: change the plan, or replace a card that
   * failed, in the portal.
   */
  checkout(request: CheckoutRequest, options?: CallOptions): ApiPromise<PaymentPage>;
  /**
   * Opens the purchase of prepaid characters. PaymentRequiredError without a current subscription, ConflictError if
   * it would exceed a ceiling, RateLimitError after five attempts in an hour. Each request is an attempt, so it is
   * only sent again if the service certainly did nothing.
   */
  topUp(request?: TopUpRequest, options?: CallOptions): ApiPromise<PaymentPage>;
  /** Opens the billing portal, for one visit. ConflictError if there was no checkout before. */
  portal(options?: CallOptions): ApiPromise<PaymentPage>;
}

/**
 * Repeatable: opening a page charges nothing, no one can pay on a page whose URL was lost, and it expires at the
 * processor. (If a subscription has started in between, either attempt gets a ConflictError.)
 */
const checkoutCall: Call = { name: 'billing.checkout', repeatable: true, result: ['url'] };
const portalCall: Call = { name: 'billing.portal', repeatable: true, result: ['url'] };
/**
 * Not repeatable: it charges nothing either, but it is limited to five per hour, lost ones included, so retries
 * would use up a person's attempts.
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
