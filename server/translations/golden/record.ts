import type { Services } from '#server/context.ts';
import { type GoldenRecord, goldenUri, writeGolden } from '#server/storage/golden-records.ts';
import type { TranslationJob } from '../schema.ts';

/** The golden record of a text job: its full payload (B 8, "Golden store versus golden memory set"). */
export function goldenRecord(
  tenantId: string,
  job: TranslationJob,
  { uri, recordedAt }: { uri: string; recordedAt: Date },
): GoldenRecord {
  const { source_lang, target_lang } = job.request;
  return {
    kind: 'text',
    tenantId,
    jobId: job.id,
    uri,
    recordedAt,
    content: JSON.stringify({
      schema_version: '1.0',
      kind: 'text',
      tenant_id: tenantId,
      job_id: job.id,
      recorded_at: recordedAt.toISOString(),
      job,
    }),
    summary: { status: job.status, source_lang, target_lang },
  };
}

/**
 * Writes a job's golden record before the job's row is published.
 * @returns the record's URI, or null if it could not be written: the job's persistence is then pending (B 3.1 "fails closed")
 */
export async function persistGolden(
  services: Pick<Services, 'storage' | 'settings' | 'log'>,
  tenantId: string,
  job: TranslationJob,
  attempt: number,
): Promise<string | null> {
  const uri = goldenUri(job.id, attempt);
  const isWritten = await writeGolden(services, goldenRecord(tenantId, job, { uri, recordedAt: new Date() }));
  return isWritten ? uri : null;
}
