import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { publicAddress } from '#server/settings.ts';
import { asCustomer } from './customer.ts';
import { requireBilling } from './enabled.ts';
import type { PayingTenant } from './paying-tenant.ts';
import { standingAtProcessor } from './standing-at-processor.ts';
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
  const standing = await standingAtProcessor(payments, tenant.account);
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
