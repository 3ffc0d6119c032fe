import { AppError } from '#server/errors.ts';
import { isNoSuchCustomer } from '#server/platform/payments/processor.ts';
import { type Tier, tierPrices } from '#server/platform/payments/tiers.ts';
import { publicAddress } from '#server/settings.ts';
import type { PayingTenant } from './account.ts';
import { requireBilling } from './capabilities.ts';
import { asCustomer, type CustomerServices, forgetCustomer } from './customer.ts';
import { stateAtProcessor } from './subscription-state.ts';

/**
 * Opens a checkout for a tier.
 * @returns the URL of the processor's page for the browser
 * @throws AppError 503 for a tier that is not sold; 409 if the tenant's subscription is current or lapsed
 */
export async function openCheckout(
  services: CustomerServices,
  tenant: PayingTenant,
  tier: Tier,
): Promise<string> {
  const payments = requireBilling(services);
  const price = tierPrices(services.settings)[tier];
  if (price === undefined)
    throw new AppError('capability_off', 'this plan is not available on this deployment');
  const state = await stateAtProcessor(payments, tenant.account);
  if (state === 'current')
    throw new AppError('state_conflict', 'already subscribed; change the plan in the billing portal');
  if (state === 'lapsed')
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
 * Opens the portal in which the tenant changes its plan and card.
 * @returns the URL of the processor's page for the browser; the URL works once
 * @throws AppError 409 if the tenant has never opened a checkout, or if its customer no longer exists
 */
export async function openPortal(services: CustomerServices, { id, account }: PayingTenant): Promise<string> {
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
