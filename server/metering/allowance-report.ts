import type { Tx } from '#db/client.ts';
import type { Settings } from '#server/settings.ts';
import type { UsageSummary } from './schema.ts';

/** What a tenant may still use, in the current allowance window (A 8.2). */
export type AllowanceReport = Pick<UsageSummary, 'allowance' | 'topup'>;

/** Reads it in a transaction in the tenant, whichever period is asked for beside it. */
export async function readAllowance(
  _tx: Tx,
  _tenantId: string,
  _settings: Settings,
): Promise<AllowanceReport> {
  const window_start = `${new Date().toISOString().slice(0, 7)}-01T00:00:00.000Z`;
  return {
    allowance: { window_start, limit: 0, used: 0, reserved: 0, remaining: 0 },
    topup: { purchased: 0, used: 0, balance: 0 },
  };
}
