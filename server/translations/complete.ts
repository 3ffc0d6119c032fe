import { and, eq, Param, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { prepare, type Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError, describeForLog } from '#server/errors.ts';
import {
  type JobUsage,
  recordFailedRun,
  recordUsage,
  secondsPerFailedRun,
  settleTopUp,
} from '#server/metering/service.ts';
import type { Run } from './admit-series.ts';
import { persistenceFailed } from './golden/pending-persistence.ts';
import { persistGolden, removeGolden } from './golden/record.ts';
import type { Admitted } from './insert-jobs.ts';
import { advance } from './job-states.ts';
import { isJob, selectJob } from './jobs.ts';
import { type Learn, learnIfPossible, learningOf } from './learning.ts';
import type { RunResult } from './pipeline/run.ts';
import type { AgentRun, AgentStep, JobStatus, TranslationJob, TranslationRequest } from './schema.ts';

interface FinishedJob {
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
  return recordUsage(db, 'text', finished).prepare('finish_pending');
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
function failJob(
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

export interface Completed<N> {
  job: TranslationJob;
  /** What `next` answered; undefined where it was not asked. */
  next: N | undefined;
}

/**
 * Stores a finished run and bills it, in one transaction; what publishes by itself is in the golden store before that.
 * `next` goes on in the same transaction, with the job that follows. A run that another attempt has replaced writes nothing
 * and answers the job as it stands.
 * @throws AppError persistence_failed where the golden record could not be written: the job is parked, and billed
 */
export async function completeRun<N>(
  services: Services,
  run: Run,
  result: RunResult,
  next?: (tx: Tx) => Promise<N>,
): Promise<Completed<N>> {
  const { tenantId, admitted } = run;
  const request = withMetadata(run.request, result.metadata);
  const finished: TranslationJob = {
    id: admitted.jobId,
    request,
    status: result.status,
    baseline_translation: result.baseline_translation,
    final_translation: result.final_translation,
    quality_assessment: result.quality_assessment,
    refinement: result.refinement,
    verification: result.verification,
    agent_run: result.agentRun,
    created_at: admitted.createdAt.toISOString(),
    updated_at: new Date().toISOString(),
  };
  // B 8 rule 1: what a fast path serves is in a store already.
  const publishes = result.status === 'published' && result.fastPath === null;
  const uri = publishes ? await persistGolden(services, tenantId, finished, admitted.attempt) : null;
  const parked = publishes && uri === null;
  const status = advance('pending', 'translated', parked ? 'persistence_failed' : result.status);

  const finish = (tx: Tx) =>
    finishJob(
      tx,
      {
        tenantId,
        jobId: admitted.jobId,
        attempt: admitted.attempt,
        status,
        baselineTranslation: result.baseline_translation,
        finalTranslation: result.final_translation,
        qualityAssessment: result.quality_assessment,
        refinement: result.refinement,
        verification: result.verification,
        agentRun: result.agentRun,
        pipelineMetadata: result.metadata,
        goldenUri: uri,
        publishAs: parked ? 'published' : null,
      },
      usageOf(run, result),
    );
  const learn = uri === null ? undefined : learningOf(services, tenantId, finished, uri);
  const { stored, following } = await storeRun(services, run, { finish, learn }, parked ? undefined : next);

  if (!stored) {
    const job = await readReplacedJob(services, run);
    // Not where it is this very run's: its transaction was committed, and only the answer to that was lost.
    if (uri !== null && job?.request.metadata['golden_uri'] !== uri)
      await removeGolden(services, tenantId, admitted.jobId, uri);
    return { job: answerReplaced(job), next: following };
  }
  if (parked) throw persistenceFailed();
  const metadata = uri === null ? request.metadata : { ...request.metadata, golden_uri: uri };
  return {
    job: {
      ...finished,
      status,
      request: { ...request, metadata },
      updated_at: stored.updatedAt.toISOString(),
    },
    next: following,
  };
}

function withMetadata(request: TranslationRequest, written: RunResult['metadata']): TranslationRequest {
  return written ? { ...request, metadata: { ...request.metadata, ...written } } : request;
}

/** Thrown inside the transaction that stores a run, to leave it: another run has the job. */
class RunReplaced extends Error {}

/** What is written of a run beside the next job. */
interface Storing {
  finish: (tx: Tx) => Promise<{ updatedAt: Date }[]>;
  /** Feeds the memory; undefined where there is nothing to learn. */
  learn: Learn | undefined;
}

/**
 * One transaction: the job that follows, the run's result, what it took of the prepaid balance, what the memory learns.
 * Where the run was replaced nothing of it stays. Where the following job cannot be made, the result is stored without it: a finished translation must
 * not be lost for the next one's sake.
 *
 * In this order, because a new job may wait for another transaction that is at the job of its key, and that one may wait for
 * the totals that this one holds from its result on.
 */
async function storeRun<N>(
  services: Services,
  { tenantId, drawsTopUp }: Run,
  { finish, learn }: Storing,
  next: ((tx: Tx) => Promise<N>) | undefined,
): Promise<{ stored: { updatedAt: Date } | undefined; following: N | undefined }> {
  const { database, log } = services;
  if (next) {
    let refused = false;
    try {
      return await database.inTenant(tenantId, async (tx) => {
        const making = next(tx).catch((error: unknown) => {
          refused = true;
          throw error;
        });
        const settling = [
          finish(tx),
          drawsTopUp ? settleTopUp(tx, tenantId) : undefined,
          learn?.(tx).catch((error: unknown) => {
            refused = true;
            throw error;
          }),
        ] as const;
        const [following, [stored]] = await Promise.all([making, ...settling]);
        if (!stored) throw new RunReplaced();
        return { stored, following };
      });
    } catch (error) {
      if (error instanceof RunReplaced) return { stored: undefined, following: undefined };
      // Only what follows was refused. Anything else may have been stored, its COMMIT's answer lost.
      if (!refused) throw error;
      log.warn({ error: describeForLog(error) }, 'a run is stored without the next job of its series');
    }
  }
  const [stored] = await learnIfPossible(services, tenantId, learn, async (tx, learning) => {
    if (!drawsTopUp && !learning) return tx.last(finish(tx));
    const [finished] = await Promise.all([
      finish(tx),
      drawsTopUp ? settleTopUp(tx, tenantId, learning ? undefined : tx.last) : undefined,
      learning?.(tx),
    ]);
    return finished;
  });
  return { stored, following: undefined };
}

const mostTokens = 1_000_000_000;

function usageOf({ request, weight, onTrial }: Run, { cost, fastPath }: RunResult): JobUsage {
  return {
    sourceLang: request.source_lang,
    targetLang: request.target_lang,
    ...weight,
    trialChars: onTrial ? weight.billableChars : 0,
    fastPath,
    // As much as an integer column holds in sum: an upstream may count anything.
    inputTokens: Math.min(cost.inputTokens, mostTokens),
    outputTokens: Math.min(cost.outputTokens, mostTokens),
    models: cost.models,
  };
}

interface Failure {
  /** The steps that the run got through. */
  steps: AgentStep[];
  /** What the API answers (B 3.1). */
  message: string;
  /** Whether a model may have been asked: not where a run waited for its turn in vain, nor where storing its result failed. */
  asked: boolean;
}

/**
 * Marks a job failed whose run raised. Nothing is billed; what a live engine did for it counts against the tenant's failed
 * runs, by the same transaction.
 */
export async function recordFailure(
  { database, engine, settings }: Services,
  { tenantId, admitted }: Run,
  { steps, message, asked }: Failure,
): Promise<void> {
  advance('pending', 'failed');
  const share = engine.live && asked ? secondsPerFailedRun(settings) : null;
  await database.inTenant(tenantId, async (tx) => {
    const failing = failJob(tx, tenantId, admitted, {
      status: 'failed',
      steps,
      quality_gate: null,
      human_review_task: null,
      error: message,
    });
    if (share === null) await tx.last(failing);
    else await Promise.all([failing, tx.last(recordFailedRun(tx, tenantId, share))]);
  });
}

function readReplacedJob(
  { database }: Services,
  { tenantId, admitted }: Run,
): Promise<TranslationJob | undefined> {
  return database.inTenant(tenantId, (tx) => selectJob(tx, tenantId, admitted.jobId));
}

/** The job of a run that another one has replaced, as it stands. @throws AppError where there is nothing to answer */
function answerReplaced(job: TranslationJob | undefined): TranslationJob {
  if (!job) throw new AppError('not_found', 'the job was deleted while it ran');
  // Not 200: its result was dropped, and only a new submission makes another.
  if (job.status === 'failed')
    throw new AppError('transient_error', 'the job was marked failed while it ran; send it again');
  return job;
}
