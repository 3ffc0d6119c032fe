import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import {
  recordFailedRun as countFailedRun,
  secondsPerFailedRun,
} from '#server/billing/metering/entitlement.ts';
import type { Services } from '#server/context.ts';
import { type AppError, describeForLog } from '#server/errors.ts';
import { SaturatedError } from '#server/platform/concurrency-limit.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import type { AgentRun } from '#server/translation/agent-run-schema.ts';
import { RunError } from '#server/translation/pipeline/text-run.ts';
import type { Run } from './admit-series.ts';
import type { Admitted } from './insert-jobs.ts';
import { advance } from './job-states.ts';

/*
 * A failed run is not billed: the job becomes `failed`, and no usage is recorded. A run that called a live engine
 * counts against the tenant's rate of failed runs, because its model calls have cost the operator money.
 */

type FailureServices = Pick<Services, 'database' | 'engine' | 'log' | 'settings'>;

/** The part of a series after a failed run. */
interface Rest {
  /** Number of later runs that may have called the engine, and are not stored. */
  discarded: number;
  /** The later runs that end with the failed one. */
  later: readonly Run[];
}

/**
 * Logs the error of a run, marks the job as failed and ends the rest of the series. If that fails too, the stale sweep
 * marks the jobs later.
 */
export async function recordFailedRun(
  services: FailureServices,
  run: Run,
  error: unknown,
  known: AppError,
  about: object,
  rest: Rest,
): Promise<void> {
  const { log } = services;
  log.warn({ ...about, error: describeForLog(known) }, 'a run failed');
  try {
    if (await storeFailure(services, run, error, known.message, rest)) countEvent('jobs', 'text failed');
  } catch (unrecorded) {
    log.warn({ ...about, error: describeForLog(unrecorded) }, 'could not record the failure');
  }
}

/**
 * Marks a job as failed and stores the steps that the run completed. Nothing is billed. In the same transaction, a run
 * that called a live engine is counted as a failed run of the tenant, and so is each discarded run.
 * @returns whether this run still had the job
 */
async function storeFailure(
  { database, engine, settings }: Pick<Services, 'database' | 'engine' | 'settings'>,
  { tenantId, admitted }: Run,
  error: unknown,
  message: string,
  { discarded, later }: Rest,
): Promise<boolean> {
  advance('pending', 'failed');
  const steps = error instanceof RunError ? error.steps : [];
  const calledEngine = error instanceof RunError && mayHaveCalled(error);
  const failedRuns = (calledEngine ? 1 : 0) + discarded;
  const share = engine.live && failedRuns > 0 ? secondsPerFailedRun(settings) : null;
  return database.inTenant(tenantId, async (tx) => {
    const ending = endRuns(tx, tenantId, later);
    const failing = failJobs(tx, tenantId, [admitted], message, steps);
    const [failed] = await Promise.all(
      share === null
        ? [tx.last(failing), ending]
        : [failing, tx.last(countFailedRun(tx, tenantId, share, failedRuns)), ending],
    );
    return failed.length > 0;
  });
}

/**
 * Whether a failed run may have called the engine. If a call was rejected for lack of capacity, it did not reach the
 * engine; earlier completed steps did.
 */
export function mayHaveCalled({ cause, steps }: RunError): boolean {
  return (
    !(cause instanceof SaturatedError) ||
    steps.some(({ kind, status }) => kind === 'agent' && status === 'completed')
  );
}

type Attempt = Pick<Admitted, 'jobId' | 'attempt'>;

/** Matches jobs while they are pending with these attempts: no other attempt has taken them over. */
function areRunning(tenantId: string, attempts: readonly Attempt[]) {
  const list = JSON.stringify(attempts.map(({ jobId, attempt }) => ({ jobId, attempt })));
  return and(
    eq(translationJobs.tenantId, tenantId),
    eq(translationJobs.status, 'pending'),
    sql`(${translationJobs.jobId}, ${translationJobs.attempt}) in (
      select "jobId", attempt from json_to_recordset(${list}::json) as running("jobId" text, attempt int))`,
  );
}

/** Updates the timestamps of pending jobs to show that their series is still running. */
export function touchJobs(tx: Tx, tenantId: string, attempts: readonly Attempt[]): Promise<unknown> {
  return tx
    .update(translationJobs)
    .set({ updatedAt: sql`now()` })
    .where(areRunning(tenantId, attempts))
    .execute();
}

/** Marks pending jobs as failed. The statement is sent immediately. */
function failJobs(
  tx: Tx,
  tenantId: string,
  attempts: readonly Attempt[],
  message: string,
  steps: AgentRun['steps'],
): Promise<{ jobId: string }[]> {
  const agentRun = { status: 'failed', steps, quality_gate: null, human_review_task: null, error: message };
  return tx
    .update(translationJobs)
    .set({ status: 'failed', agentRun, updatedAt: sql`now()` })
    .where(areRunning(tenantId, attempts))
    .returning({ jobId: translationJobs.jobId })
    .execute();
}

/**
 * Ends the runs of a series that never ran, because an earlier item failed: deletes the jobs that the series inserted,
 * and marks those that existed before as failed again. The statements are sent immediately.
 */
export async function endRuns(tx: Tx, tenantId: string, runs: readonly Run[]): Promise<void> {
  const [repeated, inserted] = [true, false].map((isRepeated) =>
    runs.filter((run) => run.isRepeated === isRepeated).map(({ admitted }) => admitted),
  ) as [Admitted[], Admitted[]];
  await Promise.all([
    inserted.length > 0 && tx.delete(translationJobs).where(areRunning(tenantId, inserted)).execute(),
    repeated.length > 0 && failJobs(tx, tenantId, repeated, 'an earlier item of the request failed', []),
  ]);
}
