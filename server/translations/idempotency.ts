import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { AppError } from '#server/errors.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { type JobRow, jobOfRow, type StoredJob } from './jobs.ts';
import { longestKey } from './schema.ts';

/** @throws AppError 422 for an idempotency key of more than `longestKey` characters (C 7) */
export function requireKey(key: string | null | undefined): void {
  if (!key || countCodePoints(key) <= longestKey) return;
  throw new AppError('invalid_fields', [
    {
      loc: ['body', 'idempotency_key'],
      msg: `must have ${longestKey} characters at most`,
      type: 'too_big',
    },
  ]);
}

/** The key of one item of a submission, `<key>:<position>`. Batch items count from 0, pages from 1 (B 4.1). */
export function itemKey(key: string | null | undefined, position: number): string | null {
  return key ? `${key}:${position}` : null;
}

/** Whether a resend returns the stored job as it is. A failed or stale job runs again (B 4.2 rules 1 and 2). */
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
      stalePending: sql<boolean>`${translationJobs.status} = 'pending' and
        ${translationJobs.updatedAt} < now() - make_interval(secs => ${sql.placeholder('staleSeconds')})`,
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
 * Selects jobs by idempotency key. The tenant is the transaction's own, so the query can be sent before the caller is authenticated.
 * @param staleSeconds age after which a pending job counts as stale
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
      { job: jobOfRow(row), attempt: row.attempt, stalePending },
    ]),
  );
}

/** A text that changes whenever a job of these keys appears, changes status or starts another attempt. */
export function fingerprint(known: ReadonlyMap<string, StoredJob> | undefined): string {
  const jobs = [...(known ?? [])].map(([key, { job, attempt }]) => [key, job.status, attempt]);
  return JSON.stringify(jobs.toSorted());
}
