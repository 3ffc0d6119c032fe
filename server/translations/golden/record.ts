import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import type { TranslationJob } from '../schema.ts';

/**
 * The URI of a job's golden record, relative to its tenant. Each attempt has a record of its own, so that a replaced run cannot overwrite the
 * record of its successor. Folders are named by the first digits of the id, a timestamp, and hold the records of 4.7 hours (decision 36).
 */
export function goldenUri(jobId: string, attempt: number): string {
  return `golden/${jobId.slice(0, 6)}/${goldenFile(jobId, attempt)}`;
}

/** The URI in earlier versions, which kept all records of a tenant in one folder. */
export function formerGoldenUri(jobId: string, attempt: number): string {
  return `golden/${goldenFile(jobId, attempt)}`;
}

function goldenFile(jobId: string, attempt: number): string {
  return attempt === 1 ? `${jobId}.json` : `${jobId}.${attempt}.json`;
}

/** The daily manifest (C 7), one line per record. It is shared by all tenants, so that jobs published at the same moment share a write. */
export function manifestPath(recordedAt: Date): string {
  return `golden/manifest/${recordedAt.toISOString().slice(0, 10)}.jsonl`;
}

/** The folder of the announcement lists. */
export const announcements = 'golden/announced';

/**
 * The list in which a record is announced before it is written. All tenants share it. A new one begins every `seconds`; its name is the time
 * of its end in milliseconds since the epoch. The check removes it after comparing its records with their jobs.
 */
function announcementPath(at: Date, seconds: number): string {
  const span = seconds * 1000;
  return `${announcements}/${(Math.floor(at.getTime() / span) + 1) * span}.jsonl`;
}

/** A line of an announcement list. */
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

/** A record's line in the manifest. */
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
 * Writes a job's golden record and its manifest line before the job's row is published, and announces the record before that. A crash leaves
 * at most a record that no job refers to, whose announcement lets `checkGoldenRecords` remove it.
 * @returns the record's URI, or null if it could not be written: the job's persistence is then pending (B 3.1 "fails closed")
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

/** Removes a golden record. Best effort: an error of the store is logged. @returns whether there was one */
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
