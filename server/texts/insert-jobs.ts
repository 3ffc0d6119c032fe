import { and, eq, getTableColumns, or, Param, type SQL, sql } from 'drizzle-orm';
import { prepare, type QueryBuilder, type Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import {
  type CommittedUsage,
  type UsageLimits,
  usageCheck,
} from '#server/billing/metering/committed-usage.ts';
import type { Warning } from '#server/http/warnings.ts';
import { emptyRun, isJob, isStalePending, type JobRow, storedRequest } from './jobs.ts';
import type { TranslationRequest } from './schema.ts';

export interface NewJob {
  tenantId: string;
  jobId: string;
  request: TranslationRequest;
  /** Fingerprint of the request; null without an idempotency key. */
  requestFingerprint: Uint8Array | null;
  warnings: readonly Warning[];
  /** Whether a task of the workers will run the job. Then the first run has attempt 1, like that of other jobs. */
  queued: boolean;
  /** Billable characters of this job. */
  reservedChars: number;
}

/** A pending job that may run now. */
export interface Admitted {
  jobId: string;
  attempt: number;
  createdAt: Date;
}

/**
 * The tenant's usage, and the admitted job. The job is missing if it does not fit the limits, or if another submission
 * inserted the key's job first.
 */
export interface Counted {
  usage: CommittedUsage;
  admitted: Admitted | null;
}

/** An existing job that has to run again. */
export interface Restart {
  tenantId: string;
  jobId: string;
  staleSeconds: number;
  queued: boolean;
  reservedChars: number;
}

const value = sql.placeholder;

const admittedColumns = {
  jobId: translationJobs.jobId,
  attempt: translationJobs.attempt,
  createdAt: translationJobs.createdAt,
};

/** The columns of a new pending job that are not empty. */
const filledColumns: Partial<Record<keyof JobRow, SQL.Aliased>> = {
  tenantId: sql<string>`${value('tenantId')}::text`.as('tenant_id'),
  jobId: sql<string>`${value('jobId')}::text`.as('job_id'),
  status: sql<string>`'pending'`.as('status'),
  attempt: sql<number>`case when ${value('queued')}::boolean then 0 else 1 end`.as('attempt'),
  idempotencyKey: sql<string | null>`${value('idempotencyKey')}::text`.as('idempotency_key'),
  reservedChars: sql<number>`${value('reservedChars')}::bigint`.as('reserved_chars'),
  request: sql<unknown>`${new Param(value('request'), translationJobs.request)}::jsonb`.as('request'),
  requestFingerprint: sql<Uint8Array | null>`${value('requestFingerprint')}::bytea`.as('request_fingerprint'),
  warnings: sql<unknown>`nullif(${new Param(value('warnings'), translationJobs.warnings)}::jsonb, '[]')`.as(
    'warnings',
  ),
  agentRun: sql<unknown>`${new Param(emptyRun, translationJobs.agentRun)}::jsonb`.as('agent_run'),
  createdAt: sql<Date>`now()`.as('created_at'),
  updatedAt: sql<Date>`now()`.as('updated_at'),
  queued: sql<boolean>`${value('queued')}::boolean`.as('queued'),
};

/** All columns of a new pending job, in the order of the table, which INSERT ... SELECT needs. */
const pendingJob = Object.fromEntries(
  Object.entries(getTableColumns(translationJobs)).map(([key, column]) => [
    key,
    filledColumns[key as keyof JobRow] ?? sql`null::${sql.raw(column.getSQLType())}`.as(column.name),
  ]),
) as Record<keyof JobRow, SQL.Aliased>;

/** The index columns for which a tenant can have only one job: the idempotency key. */
const ofOneKey = {
  target: [translationJobs.tenantId, translationJobs.idempotencyKey],
  where: sql`idempotency_key is not null`,
};

type UsageCheck = ReturnType<typeof usageCheck>;

function insertion(db: QueryBuilder, { committed, withinLimits }: UsageCheck) {
  return db
    .$with('admitted')
    .as(
      db
        .insert(translationJobs)
        .select(db.select(pendingJob).from(committed).where(withinLimits))
        .onConflictDoNothing(ofOneKey)
        .returning(admittedColumns),
    );
}

/** The column values that reset a failed or stale job to pending and start the next attempt. */
const pendingAgain = {
  status: 'pending',
  attempt: sql`${translationJobs.attempt} + 1`,
  agentRun: emptyRun,
  pipelineMetadata: null,
  reservedChars: sql`${value('reservedChars')}::bigint`,
  updatedAt: sql`now()`,
  queued: sql`${value('queued')}::boolean`,
};

const isRestartable = sql`${translationJobs.tenantId} = ${value('tenantId')} and ${translationJobs.jobId} = ${value('jobId')}
  and (${translationJobs.status} = 'failed' or ${isStalePending(value('staleSeconds'))})`;

function restart(db: QueryBuilder, { committed, withinLimits }: UsageCheck) {
  return db
    .$with('admitted')
    .as(
      db
        .update(translationJobs)
        .set(pendingAgain)
        .from(committed)
        .where(and(isRestartable, withinLimits))
        .returning(admittedColumns),
    );
}

/** Selects the usage and, if the job is admitted, the job. */
function counted(db: QueryBuilder, { committed, usage }: UsageCheck, change: ReturnType<typeof insertion>) {
  return db
    .with(committed, change)
    .select({
      usage,
      admitted: { jobId: change.jobId, attempt: change.attempt, createdAt: change.createdAt },
    })
    .from(committed)
    .leftJoin(change, sql`true`);
}

type New = Omit<NewJob, 'request'> & {
  request: Partial<TranslationRequest>;
  idempotencyKey: string | null;
};

function newRow(job: NewJob): New {
  return {
    ...job,
    request: storedRequest(job.request),
    idempotencyKey: job.request.idempotency_key ?? null,
  };
}

const admitNew = prepare<New & UsageLimits, Counted[]>((db) => {
  const check = usageCheck(db);
  return counted(db, check, insertion(db, check)).prepare('admit_new');
});

const admitRestart = prepare<Restart & UsageLimits, Counted[]>((db) => {
  const check = usageCheck(db);
  return counted(db, check, restart(db, check)).prepare('admit_restart');
});

/**
 * Counts the tenant's committed usage, and inserts a pending job if it fits. The caller holds the admission lock.
 * Returns no job if it does not fit, or if the tenant already has a job with this idempotency key.
 */
export function admitJob(tx: Tx, job: NewJob, limits: UsageLimits): Promise<Counted[]> {
  return admitNew(tx, { ...newRow(job), ...limits });
}

/**
 * Counts and admits like `admitJob`, for a failed or stale job that runs again. Admits nothing if the job is no longer
 * failed or stale.
 */
export function readmitJob(tx: Tx, job: Restart, limits: UsageLimits): Promise<Counted[]> {
  return admitRestart(tx, { ...job, ...limits });
}

const insertPending = prepare<New, Admitted[]>((db) =>
  db
    .insert(translationJobs)
    .select(db.select(pendingJob).from(sql`(select) one_row`))
    .onConflictDoNothing(ofOneKey)
    .returning(admittedColumns)
    .prepare('insert_pending'),
);

/**
 * Inserts a pending job of a series that fits. Returns no row if the tenant already has a job with this idempotency key.
 */
export function insertJob(tx: Tx, job: NewJob): Promise<Admitted[]> {
  return insertPending(tx, newRow(job));
}

/**
 * Resets a failed or stale job of a series to pending. Returns no row if the job is no longer failed or stale. The
 * statement is sent immediately.
 */
export function restartJob(
  tx: Tx,
  { tenantId, jobId, staleSeconds, queued, reservedChars }: Restart,
): Promise<Admitted[]> {
  return tx
    .update(translationJobs)
    .set({ ...pendingAgain, queued, reservedChars })
    .where(
      and(isJob(tenantId, jobId), or(eq(translationJobs.status, 'failed'), isStalePending(staleSeconds))),
    )
    .returning(admittedColumns)
    .execute();
}
