import { approvalRecords } from '#server/documents/approval-record.ts';
import { checkGoldenRecords as checkKinds } from '#server/records/check.ts';
import { textRecords } from '#server/texts/golden-record.ts';

/** Checks the published records of texts and documents in the same way as the workers. */
export const checkGoldenRecords = (services: Parameters<typeof checkKinds>[0]) =>
  checkKinds(services, [textRecords, approvalRecords]);
