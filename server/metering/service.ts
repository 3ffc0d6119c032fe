export {
  type CommittedUsage,
  type CommittedUsageQuery,
  committedUsage,
  fitsLimits,
  lockAdmissions,
  type UsageLimits,
} from './committed-usage.ts';
export { foldUsage } from './daily-usage.ts';
export {
  type BilledTenant,
  checkEntitlement,
  type EntitlementCheck,
  readBilledTenant,
} from './entitlement.ts';
export { recordFailedRun, secondsPerFailedRun } from './failed-run-rate.ts';
export { settleTopUp } from './top-up-settlement.ts';
export { addToTotals, type JobUsage, usageRecords, usageRows, usageTotals } from './usage-recording.ts';
export { countCharacters, weighCharacters } from './weight.ts';
