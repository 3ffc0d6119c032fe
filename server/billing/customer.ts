import type { Services } from '#server/context.ts';
import { isNoSuchCustomer } from '#server/platform/payments/processor.ts';
import { lockBilledTenant, type PayingTenant, readBillingAccount, updateBilledTenant } from './account.ts';
import { requireBilling } from './capabilities.ts';

/** The services that call the processor for a tenant. */
export type CustomerServices = Pick<Services, 'database' | 'settings' | 'payments'>;

const customerKey = 'pay_customer_id';

/**
 * Calls `work` with the tenant's customer id at the processor. Creates the customer at its first use, and once more
 * if it no longer exists there. Concurrent first uses create two customers: the tenant keeps the one that is stored
 * first, the other stays unused.
 */
export async function asCustomer<T>(
  services: CustomerServices,
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

/** Stores a customer id, unless the tenant has one already. Returns the one that the tenant has. */
async function keepCustomer({ database }: CustomerServices, tenantId: string, made: string): Promise<string> {
  return database.inTenant(tenantId, async (tx) => {
    const row = await lockBilledTenant(tx, tenantId);
    const stored = row && readBillingAccount(row).customerId;
    if (stored) return stored;
    await updateBilledTenant(tx, tenantId, { metadata: { [customerKey]: made } });
    return made;
  });
}

/** Removes a customer that no longer exists, if the tenant still has that one. Returns the tenant's current one. */
export async function forgetCustomer(
  { database }: CustomerServices,
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
