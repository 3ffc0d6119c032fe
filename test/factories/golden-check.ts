import { approvalRecords } from '#server/translation/documents/approval-record.ts';
import { checkGoldenRecords as checkKinds } from '#server/translation/records/check.ts';
import { textRecords } from '#server/translation/texts/recorded-jobs.ts';

/** Checks the golden records of texts and of documents, as the workers do. */
export const checkGoldenRecords = (services: Parameters<typeof checkKinds>[0]) =>
  checkKinds(services, [textRecords, approvalRecords]);
