import type { BillingAccount } from './account.ts';

/** Who pays: the tenant of a believed credential, as it stood when it was believed. */
export interface PayingTenant {
  id: string;
  name: string;
  account: BillingAccount;
}
