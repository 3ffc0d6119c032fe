import { and, eq, Param, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { prepare, type Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import {
  addToTotals,
  type JobUsage,
  usageRecords,
  usageRows,
  usageTotals,
} from '#server/metering/service.ts';
import type { AgentRun, JobStatus } from '../schema.ts';
import type { Admitted } from './admission.ts';
import { isJob } from './rows.ts';

export interface FinishedJob {
  tenantId: string;
  jobId: string;
  attempt: number;
  status: JobStatus;
  baselineTranslation: string | null;
  finalTranslation: string | null;
  qualityAssessment: unknown;
  refinement: unknown;
  verification: unknown;
  agentRun: AgentRun;
  pipelineMetadata: Record<string, unknown> | null;
  goldenUri: string | null;
  publishAs: string | null;
}

const value = sql.placeholder;

/** A placeholder as a value to set; with a column, written as that column writes its values. */
function bound(name: string, column?: PgColumn): SQL {
  return column ? sql`${new Param(value(name), column)}` : sql`${value(name)}`;
}

const finishPending = prepare<FinishedJob & JobUsage, { updatedAt: Date }[]>((db) => {
  const finished = db.$with('finished').as(
    db
      .update(translationJobs)
      .set({
        status: bound('status'),
        baselineTranslation: bound('baselineTranslation'),
        finalTranslation: bound('finalTranslation'),
        qualityAssessment: bound('qualityAssessment', translationJobs.qualityAssessment),
        refinement: bound('refinement', translationJobs.refinement),
        verification: bound('verification', translationJobs.verification),
        agentRun: bound('agentRun', translationJobs.agentRun),
        pipelineMetadata: bound('pipelineMetadata', translationJobs.pipelineMetadata),
        goldenUri: bound('goldenUri'),
        publishAs: bound('publishAs'),
        updatedAt: sql`now()`,
      })
      .where(
        and(
          eq(translationJobs.tenantId, value('tenantId')),
          eq(translationJobs.jobId, value('jobId')),
          eq(translationJobs.attempt, value('attempt')),
          eq(translationJobs.status, 'pending'),
        ),
      )
      .returning({
        tenantId: translationJobs.tenantId,
        jobId: translationJobs.jobId,
        status: translationJobs.status,
        updatedAt: translationJobs.updatedAt,
      }),
  );
  const totals = db.$with('totals').as(addToTotals(db, finished).returning({ slot: usageTotals.slot }));
  return db
    .with(finished, totals)
    .insert(usageRecords)
    .select(usageRows('text', finished))
    .returning({ updatedAt: usageRecords.recordedAt })
    .prepare('finish_pending');
});

/**
 * Writes a finished run and its usage record, with the running totals, in one statement: no record without the job, and
 * neither for a run whose attempt is no longer the job's. Answers the job's new updated_at, or no row.
 */
export function finishJob(tx: Tx, job: FinishedJob, usage: JobUsage): Promise<{ updatedAt: Date }[]> {
  return finishPending(tx, { ...job, ...usage });
}

/** A pending job under this very attempt: one that another run has taken over is not touched. */
function isRunning(tenantId: string, { jobId, attempt }: Pick<Admitted, 'jobId' | 'attempt'>) {
  return and(
    isJob(tenantId, jobId),
    eq(translationJobs.attempt, attempt),
    eq(translationJobs.status, 'pending'),
  );
}

/** Says that a pending job is still being run. */
export function touchJob(
  tx: Tx,
  tenantId: string,
  run: Pick<Admitted, 'jobId' | 'attempt'>,
): PromiseLike<unknown> {
  return tx.update(translationJobs).set({ updatedAt: sql`now()` }).where(isRunning(tenantId, run));
}

/** Marks a pending job failed. It leaves at once. */
export function failJob(
  tx: Tx,
  tenantId: string,
  run: Pick<Admitted, 'jobId' | 'attempt'>,
  agentRun: AgentRun,
): Promise<unknown> {
  return tx
    .update(translationJobs)
    .set({ status: 'failed', agentRun, updatedAt: sql`now()` })
    .where(isRunning(tenantId, run))
    .execute();
}
