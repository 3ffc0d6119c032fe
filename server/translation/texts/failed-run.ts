import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import {
  recordFailedRun as countFailedRun,
  secondsPerFailedRun,
} from '#server/billing/metering/failed-run-rate.ts';
import type { Services } from '#server/context.ts';
import { type AppError, describeForLog } from '#server/errors.ts';
import { SaturatedError } from '#server/platform/concurrency-limit.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import type { AgentRun } from '#server/translation/core/agent-run-schema.ts';
import { RunError } from '#server/translation/core/pipeline/run.ts';
import type { Run } from './admit-series.ts';
import type { Admitted } from './insert-jobs.ts';
import { advance } from './job-states.ts';
import { isJob } from './jobs.ts';

/*
 * A failed run is not billed: the job becomes `failed`, and no usage is recorded. A run that called a live engine
 * counts against the tenant's rate of failed runs, because its model calls have cost the operator money.
 */

type FailureServices = Pick<Services, 'database' | 'engine' | 'log' | 'settings'>;

/**
 * Logs the error of a run and marks the job as failed. If that fails too, the stale sweep marks the job later.
 * @param discarded number of later runs of the series that may have called the engine, and are not stored
 */
export async function recordFailedRun(
  services: FailureServices,
  run: Run,
  error: unknown,
  known: AppError,
  { discarded, ...about }: { discarded: number },
): Promise<void> {
  const { log } = services;
  log.warn({ ...about, error: describeForLog(known) }, 'a run failed');
  try {
    if (await storeFailure(services, run, error, { message: known.message, discarded }))
      countEvent('jobs', 'text failed');
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
  { message, discarded }: { message: string; discarded: number },
): Promise<boolean> {
  advance('pending', 'failed');
  const steps = error instanceof RunError ? error.steps : [];
  const calledEngine = error instanceof RunError && mayHaveCalled(error);
  const failedRuns = (calledEngine ? 1 : 0) + discarded;
  const share = engine.live && failedRuns > 0 ? secondsPerFailedRun(settings) : null;
  return database.inTenant(tenantId, async (tx) => {
    const failing = failJob(tx, tenantId, admitted, {
      status: 'failed',
      steps,
      quality_gate: null,
      human_review_task: null,
      error: message,
    });
    const [failed] = await Promise.all(
      share === null
        ? [tx.last(failing)]
        : [failing, tx.last(countFailedRun(tx, tenantId, share, failedRuns))],
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

/** Matches the job while it is pending with this attempt: no other attempt has taken it over. */
export function isRunning(tenantId: string, { jobId, attempt }: Pick<Admitted, 'jobId' | 'attempt'>) {
  return and(
    isJob(tenantId, jobId),
    eq(translationJobs.attempt, attempt),
    eq(translationJobs.status, 'pending'),
  );
}

/** Marks a pending job as failed. The statement is sent immediately. */
function failJob(
  tx: Tx,
  tenantId: string,
  run: Pick<Admitted, 'jobId' | 'attempt'>,
  agentRun: AgentRun,
): Promise<{ jobId: string }[]> {
  return tx
    .update(translationJobs)
    .set({ status: 'failed', agentRun, updatedAt: sql`now()` })
    .where(isRunning(tenantId, run))
    .returning({ jobId: translationJobs.jobId })
    .execute();
}
