import type { Tx } from '#db/client.ts';
import type { Settings } from '#server/settings.ts';
import { type BillableRequest, paymentStateOf, readBilledTenant, refuseByPayment } from './entitlement.ts';

/** The work that a tenant's payments cover in a session: everything, only texts (the free trial), or nothing. */
export const coverages = ['all', 'texts', 'none'] as const;

/**
 * Returns the work that the tenant of the transaction may start from a session. Usage is not counted: a trial that is
 * used up still covers texts. `all` if billing is off.
 */
export async function readCoverage(tx: Tx, settings: Settings): Promise<(typeof coverages)[number]> {
  const tenant = await readBilledTenant(tx, settings);
  if (!tenant) return 'all';
  const payment = paymentStateOf(tenant, settings);
  const isCovered = (kind: BillableRequest['kind']) =>
    refuseByPayment(payment, { kind, credential: 'session', chars: 0 }, Date.now()) === null;
  return isCovered('document') ? 'all' : isCovered('text') ? 'texts' : 'none';
}
