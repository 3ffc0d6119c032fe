import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import type { Call } from './send.ts';
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
  checkout(request: CheckoutRequest, options?: CallOptions): ApiPromise<PaymentPage>;
  /**
   * Opens the purchase of prepaid characters. PaymentRequiredError without a subscription that is current, ConflictError
   * where it would pass a ceiling, RateLimitError after five attempts in an hour. Each sending is an attempt, so it is only
   * sent again where the service certainly did nothing.
   */
  topUp(request?: TopUpRequest, options?: CallOptions): ApiPromise<PaymentPage>;
  /** Opens the billing portal, for one visit. ConflictError for who never went to a checkout. */
  portal(options?: CallOptions): ApiPromise<PaymentPage>;
}

/**
 * Repeatable: opening a page charges nothing, no one can pay on a page whose address was lost, and it expires at the
 * processor. (If a subscription started meanwhile, either attempt gets a ConflictError.)
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
