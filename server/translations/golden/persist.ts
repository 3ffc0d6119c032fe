import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import type { TranslationJob } from '../schema.ts';
import { goldenRecord, goldenUri, manifestLine, manifestPath } from './record.ts';

/**
 * Writes a job's golden record and its manifest line, before the job's row says that it is published: a crash in
 * between leaves a record that nobody refers to and that the next attempt writes again. Answers where the record is, or
 * null where it could not be written: the job is then parked (B 3.1 "fails closed").
 */
export async function persistGolden(
  { storage, log }: Services,
  tenantId: string,
  job: TranslationJob,
  attempt: number,
): Promise<string | null> {
  const uri = goldenUri(job.id, attempt);
  const recordedAt = new Date();
  try {
    await storage.put(`${tenantId}/${uri}`, goldenRecord(tenantId, job, recordedAt));
    await storage.appendLine(manifestPath(recordedAt), manifestLine(tenantId, uri, job, recordedAt));
    return uri;
  } catch (error) {
    log.error({ job_id: job.id, error: describeForLog(error) }, 'golden record not written');
    return null;
  }
}

/** Removes a golden record; answers whether there was one. A store that fails is logged: removal is best effort. */
export async function removeGolden(
  { storage, log }: Services,
  tenantId: string,
  jobId: string,
  uri: string,
): Promise<boolean> {
  try {
    return await storage.remove(`${tenantId}/${uri}`);
  } catch (error) {
    log.warn({ job_id: jobId, error: describeForLog(error) }, 'golden record not removed');
    return false;
  }
}
