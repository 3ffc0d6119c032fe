export {
  type CommittedUsage,
  lockAdmissions,
  type UsageLimits,
  usageCheck,
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
export { type JobUsage, recordUsage } from './usage-recording.ts';
export { countCharacters, weighCharacters } from './weight.ts';
