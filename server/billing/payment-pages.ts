import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { publicAddress } from '#server/settings.ts';
import type { PayingTenant } from './account.ts';
import { requireBilling } from './capabilities.ts';
import { asCustomer, forgetCustomer } from './customer.ts';
import { isNoSuchCustomer } from './processor.ts';
import { stateAtProcessor } from './subscription-state.ts';
import { type Tier, tierPrices } from './tiers.ts';

/**
 * Opens a checkout of a tier (A 4.5); answers where to send the browser.
 * @throws AppError 503 for a tier that is not sold; 409 for who has a subscription that is alive
 */
export async function openCheckout(services: Services, tenant: PayingTenant, tier: Tier): Promise<string> {
  const payments = requireBilling(services);
  const price = tierPrices(services.settings)[tier];
  if (price === undefined)
    throw new AppError('capability_off', 'this plan is not available on this deployment');
  const standing = await stateAtProcessor(payments, tenant.account);
  if (standing === 'current')
    throw new AppError('state_conflict', 'already subscribed; change the plan in the billing portal');
  if (standing === 'lapsed')
    throw new AppError(
      'state_conflict',
      'your subscription needs attention; update the payment method in the billing portal',
    );
  const page = `${publicAddress(services.settings)}/billing`;
  return asCustomer(services, tenant, (customerId) =>
    payments.openSubscriptionCheckout({
      tenantId: tenant.id,
      customerId,
      tier,
      price,
      successUrl: `${page}?checkout=success`,
      cancelUrl: `${page}?checkout=cancelled`,
    }),
  );
}

/**
 * Opens the portal in which the tenant changes its plan and card (A 4.5); answers where to send the browser, once.
 * @throws AppError 409 for who never went to a checkout, or whose customer does not exist any more
 */
export async function openPortal(services: Services, { id, account }: PayingTenant): Promise<string> {
  const payments = requireBilling(services);
  const { customerId } = account;
  if (customerId === null) throw noCustomer();
  try {
    return await payments.openPortal({
      customerId,
      returnUrl: `${publicAddress(services.settings)}/billing`,
    });
  } catch (error) {
    if (!isNoSuchCustomer(error)) throw error;
    await forgetCustomer(services, id, customerId);
    throw noCustomer();
  }
}

function noCustomer(): AppError {
  return new AppError('state_conflict', 'no Stripe customer for this workspace yet; run checkout first');
}
