import type { TranslationJob } from '../schema.ts';

/**
 * Where a job's golden record lies, relative to its tenant. Each attempt has its own: a run that was replaced must not
 * overwrite the record of the one that replaced it.
 */
export function goldenUri(jobId: string, attempt: number): string {
  return attempt === 1 ? `golden/${jobId}.json` : `golden/${jobId}.${attempt}.json`;
}

/**
 * C 7: the daily manifest, a line a record. The platform's store has one for all tenants: jobs that are published at the
 * same moment share a write.
 */
export function manifestPath(recordedAt: Date): string {
  return `golden/manifest/${recordedAt.toISOString().slice(0, 10)}.jsonl`;
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
