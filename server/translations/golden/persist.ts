import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import type { TranslationJob } from '../schema.ts';
import {
  type Announcement,
  announcementPath,
  goldenRecord,
  goldenUri,
  manifestLine,
  manifestPath,
} from './record.ts';

/**
 * Writes a job's golden record and its manifest line, before the job's row says that it is published; and before either, announces it.
 * So a crash, of this process or of PostgreSQL, leaves at most a record that no job refers to, and an announcement that tells where it
 * is: `checkGoldenRecords` removes it. Answers where the record is, or null where it could not be written: the job is then parked (B 3.1
 * "fails closed").
 */
export async function persistGolden(
  { storage, settings, log }: Services,
  tenantId: string,
  job: TranslationJob,
  attempt: number,
): Promise<string | null> {
  const uri = goldenUri(job.id, attempt);
  const recordedAt = new Date();
  const announced: Announcement = { tenant_id: tenantId, job_id: job.id, golden_uri: uri };
  try {
    await storage.appendLine(
      announcementPath(recordedAt, settings.SWEEP_INTERVAL_SECONDS),
      JSON.stringify(announced),
    );
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
