import type { Services } from '#server/context.ts';
import { isNoSuchCustomer } from '#server/platform/payments/processor.ts';
import { lockBilledTenant, type PayingTenant, readBillingAccount, updateBilledTenant } from './account.ts';
import { requireBilling } from './capabilities.ts';

/** The services needed to call the processor for a tenant. */
export type CustomerServices = Pick<Services, 'database' | 'settings' | 'payments'>;

const customerKey = 'pay_customer_id';

/**
 * Calls `work` with the tenant's customer id at the processor. Creates the customer when it is first needed, and again
 * if the processor no longer has it. Concurrent first calls create two customers: the one that is stored first belongs
 * to the tenant, and the other is never used.
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

/** Stores a customer id, unless the tenant already has one. Returns the tenant's customer id after the call. */
async function keepCustomer({ database }: CustomerServices, tenantId: string, made: string): Promise<string> {
  return database.inTenant(tenantId, async (tx) => {
    const row = await lockBilledTenant(tx, tenantId);
    const stored = row && readBillingAccount(row).customerId;
    if (stored) return stored;
    await updateBilledTenant(tx, tenantId, { metadata: { [customerKey]: made } });
    return made;
  });
}

/**
 * Removes the id of a customer that no longer exists, unless the tenant has another id by now. Returns the tenant's
 * customer id after the call.
 */
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
