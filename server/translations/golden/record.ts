import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import type { TranslationJob } from '../schema.ts';

/**
 * Where a job's golden record lies, relative to its tenant. Each attempt has its own: a run that was replaced must not
 * overwrite the record of the one that replaced it. In folders by the beginning of the id, which is a clock: each takes the
 * records of 4.7 hours, since a folder has an end (decision 36).
 */
export function goldenUri(jobId: string, attempt: number): string {
  return `golden/${jobId.slice(0, 6)}/${goldenFile(jobId, attempt)}`;
}

/** Where former versions wrote it: all of a tenant's records in one folder. */
export function formerGoldenUri(jobId: string, attempt: number): string {
  return `golden/${goldenFile(jobId, attempt)}`;
}

function goldenFile(jobId: string, attempt: number): string {
  return attempt === 1 ? `${jobId}.json` : `${jobId}.${attempt}.json`;
}

/**
 * C 7: the daily manifest, a line a record. The platform's store has one for all tenants: jobs that are published at the
 * same moment share a write.
 */
export function manifestPath(recordedAt: Date): string {
  return `golden/manifest/${recordedAt.toISOString().slice(0, 10)}.jsonl`;
}

/** Where records are announced before they are written, and for how long each list of them is added to. */
export const announcements = 'golden/announced';

/**
 * The list that a record is announced in before it is written: one for all tenants, and a new one with each `seconds`. It is called
 * after its end, in milliseconds since the epoch, and removed when its records have been compared with their jobs.
 */
function announcementPath(at: Date, seconds: number): string {
  const span = seconds * 1000;
  return `${announcements}/${(Math.floor(at.getTime() / span) + 1) * span}.jsonl`;
}

/** What is announced of a record. */
export interface Announcement {
  tenant_id: string;
  job_id: string;
  golden_uri: string;
}

/** The golden record of a text job: its full payload (B 8, "Golden store versus golden memory set"). */
export function goldenRecord(tenantId: string, job: TranslationJob, recordedAt: Date): string {
  return JSON.stringify({
    schema_version: '1.0',
    kind: 'text',
    tenant_id: tenantId,
    job_id: job.id,
    recorded_at: recordedAt.toISOString(),
    job,
  });
}

/** What the manifest says of a record. */
export function manifestLine(tenantId: string, uri: string, job: TranslationJob, recordedAt: Date): string {
  return JSON.stringify({
    kind: 'text',
    tenant_id: tenantId,
    job_id: job.id,
    golden_uri: uri,
    status: job.status,
    source_lang: job.request.source_lang,
    target_lang: job.request.target_lang,
    recorded_at: recordedAt.toISOString(),
  });
}

/**
 * Writes a job's golden record and its manifest line, before the job's row says that it is published; and before either, announces it.
 * So a crash, of this process or of PostgreSQL, leaves at most a record that no job refers to, and an announcement that tells where it
 * is: `checkGoldenRecords` removes it. Answers where the record is, or null where it could not be written: the job is then parked (B 3.1
 * "fails closed").
 */
export async function persistGolden(
  { storage, settings, log }: Pick<Services, 'storage' | 'settings' | 'log'>,
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
  { storage, log }: Pick<Services, 'storage' | 'log'>,
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
