import type { Services } from '#server/context.ts';
import { lockBilledTenant, type PayingTenant, readBillingAccount, updateBilledTenant } from './account.ts';
import { requireBilling } from './capabilities.ts';
import { isNoSuchCustomer } from './processor.ts';

const customerKey = 'pay_customer_id';

/**
 * Does something as the tenant's customer at the processor, who is made at first use. One who does not exist there any more
 * is made anew, once. Two at one time make two customers: the first that is stored is the tenant's, the other one stays
 * behind without a purchase.
 */
export async function asCustomer<T>(
  services: Services,
  { id: tenantId, name, account }: PayingTenant,
  work: (customerId: string) => Promise<T>,
): Promise<T> {
  let known = account.customerId;
  if (known !== null) {
    try {
      return await work(known);
    } catch (error) {
      if (!isNoSuchCustomer(error)) throw error;
      known = await forgetCustomer(services, tenantId, known);
    }
  }
  if (known !== null) return work(known);
  const made = await requireBilling(services).createCustomer({ id: tenantId, name });
  return work(await keepCustomer(services, tenantId, made));
}

/** Stores a customer, unless there is one by now; answers whom the tenant has. */
async function keepCustomer({ database }: Services, tenantId: string, made: string): Promise<string> {
  return database.inTenant(tenantId, async (tx) => {
    const row = await lockBilledTenant(tx, tenantId);
    const stored = row && readBillingAccount(row).customerId;
    if (stored) return stored;
    await updateBilledTenant(tx, tenantId, { metadata: { [customerKey]: made } });
    return made;
  });
}

/** Takes a customer who does not exist any more off the tenant, if it is that one still; answers whom it has now. */
export async function forgetCustomer(
  { database }: Services,
  tenantId: string,
  stale: string,
): Promise<string | null> {
  return database.inTenant(tenantId, async (tx) => {
    const row = await lockBilledTenant(tx, tenantId);
    const stored = row ? readBillingAccount(row).customerId : null;
    if (stored !== stale) return stored;
    await updateBilledTenant(tx, tenantId, { metadata: {}, without: [customerKey] });
    return null;
  });
}
