export {
  type Admission,
  type BilledTenant,
  openAdmission,
  readBilledTenant,
} from './admission.ts';
export { shareOfHour } from './failed-runs.ts';
export {
  type AdmissionBounds,
  type CommittedFigures,
  type CommittedWork,
  committedWork,
  fits,
  lockAdmissions,
} from './queries/admission.ts';
export { addFailedRun } from './queries/failed-runs.ts';
export { settleTopUp } from './queries/top-up.ts';
export { foldUsage } from './reports/daily.ts';
export { addToTotals, type JobUsage, usageRecords, usageRows, usageTotals } from './usage.ts';
export { countCharacters, weighCharacters } from './weight.ts';
