import { and, eq, Param, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { prepare, type Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { settleTopUp } from '#server/billing/metering/top-up-settlement.ts';
import { type JobUsage, recordUsage } from '#server/billing/metering/usage-recording.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import type { AgentRun } from '#server/translation/core/agent-run-schema.ts';
import type { RunResult } from '#server/translation/core/pipeline/run.ts';
import { admitNext, type Run, type SeriesCaller, type WorkItem } from './admit-series.ts';
import { type PersistingServices, persistenceFailed, persistGolden } from './golden-record.ts';
import { advance } from './job-states.ts';
import { selectJob } from './jobs.ts';
import { learnFrom } from './learn-from-job.ts';
import { OptionalWrite, retryWithout } from './optional-writes.ts';
import type { JobStatus, TranslationJob, TranslationRequest } from './schema.ts';

/** The items of a series that are still to be run. The next job is inserted when the current one is stored. */
export interface RestOfSeries {
  caller: SeriesCaller;
  work: readonly WorkItem[];
}

export type CompletionServices = PersistingServices & Pick<Services, 'embedder'>;

export interface Completion {
  job: TranslationJob;
  /** The run of the next job; undefined at the end of the series, or if the next job could not be inserted. */
  nextRun: Run | undefined;
}

/**
 * Stores a finished run and bills it in one transaction, together with the next job of its series. The golden record of a
 * published job is written before that. If another attempt has replaced the run, nothing is stored, and the current job is
 * returned.
 * @throws AppError persistence_failed if the golden record could not be written: the job is stored and billed, and is
 *   published later. Also thrown if the tenant's own storage became unusable during the run; a 409 would wrongly mean
 *   that nothing was created
 */
export async function completeRun(
  services: CompletionServices,
  run: Run,
  result: RunResult,
  rest: RestOfSeries,
): Promise<Completion> {
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
    warnings: run.warnings,
    created_at: admitted.createdAt.toISOString(),
    updated_at: new Date().toISOString(),
  };
  // A text that a fast path served is already in the TM or a glossary.
  const publishes = result.status === 'published' && result.fastPath === null;
  const persisted = publishes ? await persistGolden(services, tenantId, finished, admitted.attempt) : null;
  const golden = persisted instanceof AppError ? null : persisted;
  const uri = golden?.uri ?? null;
  const isPending = publishes && golden === null;
  const status = advance('pending', 'translated', isPending ? 'persistence_failed' : result.status);
  const learn = uri === null ? undefined : learnFrom(services, tenantId, finished, uri);
  // If the golden record of a job could not be written, the series ends with this error.
  const next = isPending || rest.work.length === 0 ? undefined : insertNext(services, run, rest);
  const { stored, nextRun } = await storeRun(services, run, { learn, next }, (tx) =>
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
        publishAs: isPending ? 'published' : null,
      },
      usageOf(run, result),
    ),
  );

  if (!stored) {
    const job = await services.database.inTenant(tenantId, (tx) => selectJob(tx, tenantId, admitted.jobId));
    // If the job refers to this URI, the transaction was committed although the COMMIT was not acknowledged: the record
    // belongs to this run and must stay.
    if (golden && job?.request.metadata['golden_uri'] !== uri) await golden.remove();
    else golden?.list();
    return { job: requireUsable(job), nextRun };
  }
  if (isPending) {
    countEvent('jobs', 'text persistence_failed');
    throw persistenceFailed();
  }
  golden?.list();
  countEvent('jobs', `text ${status}`);
  const metadata = uri === null ? request.metadata : { ...request.metadata, golden_uri: uri };
  return {
    job: {
      ...finished,
      status,
      request: { ...request, metadata },
      updated_at: stored.updatedAt.toISOString(),
    },
    nextRun,
  };
}

function withMetadata(request: TranslationRequest, written: RunResult['metadata']): TranslationRequest {
  return written ? { ...request, metadata: { ...request.metadata, ...written } } : request;
}

/** Inserts the next job of the series. This is optional: if it fails, the completed translation is still stored. */
function insertNext(
  { settings, backgroundWork }: CompletionServices,
  run: Run,
  { caller, work }: RestOfSeries,
): OptionalWrite<Run | undefined> {
  return new OptionalWrite(
    'could not create the next job of a series together with the result of the previous one',
    async (tx) =>
      // If the process is stopping, it starts no further jobs.
      backgroundWork.closing ? undefined : admitNext(tx, settings, caller, work, run),
  );
}

/** Thrown to roll back the transaction that stores a run, because another attempt has the job. */
class RunReplaced extends Error {}

/**
 * Stores a run in one transaction: inserts the next job, stores the result with its usage, charges the prepaid balance,
 * and adds the segment to the TM.
 *
 * The next job comes first, to avoid a deadlock. Its INSERT may wait for another transaction that has inserted a job
 * with the same key. That transaction may wait for the usage totals, which this transaction locks when it stores the
 * result.
 */
async function storeRun(
  { database, log }: CompletionServices,
  { tenantId, drawsTopUp }: Run,
  {
    learn,
    next,
  }: { learn: OptionalWrite<unknown> | undefined; next: OptionalWrite<Run | undefined> | undefined },
  finish: (tx: Tx) => Promise<{ updatedAt: Date }[]>,
): Promise<{ stored: { updatedAt: Date } | undefined; nextRun: Run | undefined }> {
  const isSent = (write: OptionalWrite<unknown> | undefined) => write !== undefined && !write.dropped;
  try {
    return await retryWithout(log, [next, learn], () =>
      database.inTenant(tenantId, async (tx) => {
        // COMMIT is sent together with the last statement, unless the result of an earlier statement is needed first.
        const commitsAtOnce = !isSent(next) && !isSent(learn);
        const inserting = next?.run(tx);
        const finishing = commitsAtOnce && !drawsTopUp ? tx.last(finish(tx)) : finish(tx);
        const settling = drawsTopUp
          ? settleTopUp(tx, tenantId, commitsAtOnce ? tx.last : undefined)
          : undefined;
        const [nextRun, [stored]] = await Promise.all([inserting, finishing, settling, learn?.run(tx)]);
        if (!stored && isSent(next)) throw new RunReplaced();
        return { stored, nextRun };
      }),
    );
  } catch (error) {
    if (error instanceof RunReplaced) return { stored: undefined, nextRun: undefined };
    throw error;
  }
}

/**
 * Returns the job that another attempt has taken over.
 * @throws AppError if the job does not exist, or failed
 */
function requireUsable(job: TranslationJob | undefined): TranslationJob {
  if (!job) throw new AppError('not_found', 'the job was deleted while it ran');
  // The result of this run was discarded; only a new submission creates another.
  if (job.status === 'failed')
    throw new AppError('transient_error', 'the job was marked failed while it ran; send it again');
  return job;
}

const maxTokens = 1_000_000_000;

function usageOf({ request, weight, onTrial, submittedBy }: Run, { cost, fastPath }: RunResult): JobUsage {
  return {
    sourceLang: request.source_lang,
    targetLang: request.target_lang,
    ...weight,
    trialChars: onTrial ? weight.billableChars : 0,
    fastPath,
    // A model may report any number of tokens; the sums must fit their columns.
    inputTokens: Math.min(cost.inputTokens, maxTokens),
    outputTokens: Math.min(cost.outputTokens, maxTokens),
    models: cost.models,
    submittedBy,
  };
}

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

/** A placeholder for a value. If a column is given, the value is encoded for that column. */
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
 * Stores a completed run, its usage record and the running totals in one statement. Writes nothing if another attempt
 * of the job has started.
 * @returns the job's new updated_at, or no row
 */
export function finishJob(tx: Tx, job: FinishedJob, usage: JobUsage): Promise<{ updatedAt: Date }[]> {
  return finishPending(tx, { ...job, ...usage });
}
