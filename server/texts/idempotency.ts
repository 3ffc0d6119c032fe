import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { AppError } from '#server/errors.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { fingerprintOf } from '#server/http/request-fingerprint.ts';
import { isStalePending, type JobRow, jobOfRow, type StoredJob } from './jobs.ts';
import { maxKeyLength, type TranslationRequest } from './schema.ts';

/** @throws AppError 422 for an idempotency key of more than `maxKeyLength` characters */
export function requireKey(key: string | null | undefined): void {
  if (!key || countCodePoints(key) <= maxKeyLength) return;
  throw new AppError('invalid_fields', [
    {
      loc: ['body', 'idempotency_key'],
      msg: `must have at most ${maxKeyLength} characters`,
      type: 'too_big',
    },
  ]);
}

/** Returns the key of one item of a submission, `<key>:<position>`. Batch items are numbered from 0, pages from 1. */
export function itemKey(key: string | null | undefined, position: number): string | null {
  return key ? `${key}:${position}` : null;
}

/**
 * Returns the fingerprint of everything that affects a job's result, which is stored with the idempotency key; null
 * without a key. Fields without effect are ignored. The name, media type and size of a file are ignored too: the text
 * of each page and the number of pages count instead.
 * @param request the checked request, before the service adds to its metadata
 */
export function requestFingerprint({
  idempotency_key: key,
  deployment_name: _,
  adaptive_dataset_id: __,
  allow_fallback: ___,
  metadata,
  ...request
}: TranslationRequest): Uint8Array | null {
  if (!key) return null;
  const { source_document: document, source_lang_detection: detection, ...options } = metadata;
  const { name, content_type, size_bytes, ...page } = (document ?? {}) as Record<string, unknown>;
  return fingerprintOf({
    ...request,
    // With language detection, the same text is the same request, whatever language is detected.
    source_lang: detection === undefined ? request.source_lang : 'auto',
    text_type: request.text_type === 'Plain' ? null : request.text_type,
    metadata: { ...options, ...(document !== undefined && { source_document: page }) },
  });
}

/** Whether a request that is sent again returns the stored job unchanged. A failed or stale job runs again. */
export function isReplayable({ job, stalePending }: StoredJob): boolean {
  return job.status !== 'failed' && !stalePending;
}

const selectByKeys = prepare<
  { idempotencyKeys: string; staleSeconds: number },
  { row: JobRow; stalePending: boolean }[]
>((db) =>
  db
    .select({
      row: translationJobs,
      stalePending: sql<boolean>`${isStalePending(sql.placeholder('staleSeconds'))}`,
    })
    .from(translationJobs)
    .where(
      and(
        eq(translationJobs.tenantId, sql`current_setting('lingualoop.tenant_id')`),
        sql`${translationJobs.idempotencyKey} = any(array(
          select jsonb_array_elements_text(${sql.placeholder('idempotencyKeys')}::jsonb)))`,
        isNotNull(translationJobs.idempotencyKey),
      ),
    )
    .prepare('select_by_keys'),
);

/**
 * Selects jobs by idempotency key. The transaction determines the tenant, so the query can be sent before the caller is
 * authenticated.
 * @param staleSeconds seconds after which a pending job counts as stale
 */
export async function selectJobsByKeys(
  tx: Tx,
  keys: readonly string[],
  staleSeconds: number,
): Promise<Map<string, StoredJob>> {
  const found = await selectByKeys(tx, { idempotencyKeys: JSON.stringify(keys), staleSeconds });
  return new Map(
    found.map(({ row, stalePending }) => [
      row.idempotencyKey as string,
      {
        job: jobOfRow(row),
        attempt: row.attempt,
        requestFingerprint: row.requestFingerprint,
        stalePending,
      },
    ]),
  );
}

/**
 * Returns a text that changes whenever a job with one of these keys is inserted, changes its status or starts another
 * attempt.
 */
export function stateOfJobs(known: ReadonlyMap<string, StoredJob> | undefined): string {
  const jobs = [...(known ?? [])].map(([key, { job, attempt }]) => [key, job.status, attempt]);
  return JSON.stringify(jobs.toSorted());
}
