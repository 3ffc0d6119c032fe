import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { publicAddress } from '#server/settings.ts';
import { forgetCustomer } from './customer.ts';
import { requireBilling } from './enabled.ts';
import type { PayingTenant } from './paying-tenant.ts';
import { isNoSuchCustomer } from './processor.ts';

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
