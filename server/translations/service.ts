export { checkGoldenRecords } from './golden/check.ts';
export { downloadGolden } from './golden/download.ts';
export { expandBatch } from './intake/batch.ts';
export { isLayoutFile, readFileRequest } from './intake/file.ts';
export { requestPagesOfText } from './intake/pages.ts';
export { callersMetadata, checkRequest, requireKey } from './limits.ts';
export { getJob, listJobs } from './reading.ts';
export { removeGoldenRecords, removeJob } from './removal.ts';
export { reviewJob } from './review.ts';
export { requireTranslationEnabled, submit } from './submit.ts';
export {
  failStaleJobsOfTenant,
  publishUnpersistedJobs,
  tenantsWithStaleJobs,
  tenantsWithUnpersistedJobs,
} from './sweep.ts';
