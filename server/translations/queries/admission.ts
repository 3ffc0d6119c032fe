import { and, eq, or, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { TranslationRequest } from '../schema.ts';
import { emptyRun, isJob, isStalePending, type JobRow, jobOfRow, type StoredJob } from './rows.ts';

export interface NewJob {
  tenantId: string;
  jobId: string;
  request: TranslationRequest;
}

/** A job that a run may now be made for. */
export interface Admitted {
  jobId: string;
  attempt: number;
  createdAt: Date;
}

const admittedColumns = {
  jobId: translationJobs.jobId,
  attempt: translationJobs.attempt,
  createdAt: translationJobs.createdAt,
};

const insertPending = prepare<NewJob & { idempotencyKey: string | null }, Admitted[]>((db) =>
  db
    .insert(translationJobs)
    .values({
      tenantId: sql.placeholder('tenantId'),
      jobId: sql.placeholder('jobId'),
      status: 'pending',
      idempotencyKey: sql.placeholder('idempotencyKey'),
      request: sql.placeholder('request'),
      agentRun: emptyRun,
    })
    .onConflictDoNothing({ target: [translationJobs.tenantId, translationJobs.idempotencyKey] })
    .returning(admittedColumns)
    .prepare('insert_pending'),
);

/** Inserts a pending job; no row comes back where the tenant has a job of that idempotency key already. */
export function insertJob(tx: Tx, job: NewJob): Promise<Admitted[]> {
  return insertPending(tx, { ...job, idempotencyKey: job.request.idempotency_key ?? null });
}

/** Sets a failed or stale job to pending again, under the next attempt; no row where it is neither any more. */
export function restartJob(
  tx: Tx,
  tenantId: string,
  jobId: string,
  staleSeconds: number,
): PromiseLike<Admitted[]> {
  return tx
    .update(translationJobs)
    .set({
      status: 'pending',
      attempt: sql`${translationJobs.attempt} + 1`,
      agentRun: emptyRun,
      updatedAt: sql`now()`,
    })
    .where(
      and(isJob(tenantId, jobId), or(eq(translationJobs.status, 'failed'), isStalePending(staleSeconds))),
    )
    .returning(admittedColumns);
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
      ),
    )
    .prepare('select_by_keys'),
);

/**
 * The jobs of some idempotency keys by their key, in the transaction's own tenant: it can be asked before anybody
 * knows which that is.
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
