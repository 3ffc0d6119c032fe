import type { TenantUsageSummary } from '#sdk/types.ts';

/**
 * The characters that the workspace may still use, as the one number that all screens show, and the number that it is
 * part of: the smaller one of the free trial and the monthly allowance.
 */
export function leftOf({ allowance, trial }: TenantUsageSummary): { left: number; limit: number } {
  const limit = trial ? Math.min(trial.granted, allowance.limit) : allowance.limit;
  return { left: Math.max(0, allowance.remaining), limit };
}
