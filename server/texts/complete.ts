import { and, eq, type SQL, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { settleTopUp } from '#server/billing/metering/committed-usage.ts';
import { type JobUsage, recordUsage } from '#server/billing/metering/usage-recording.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { countUses } from '#server/language/translation-memory/use-counts.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import type { RunResult } from '#server/translation/pipeline/text-run.ts';
import type { Run } from './admit-series.ts';
import { endRuns } from './failed-run.ts';
import {
  type PersistedGolden,
  type PersistingServices,
  persistenceFailed,
  persistGolden,
} from './golden-record.ts';
import { advance } from './job-states.ts';
import { selectJob } from './jobs.ts';
import { learnFrom, retryWithout } from './optional-writes.ts';
import type { JobStatus, TranslationJob, TranslationRequest } from './schema.ts';

/** A run with the result of its pipeline. */
export interface FinishedRun {
  run: Run;
  result: RunResult;
}

export type CompletionServices = PersistingServices & Pick<Services, 'embedder'>;

/** A finished run and, if it publishes its job, its golden record. */
interface RecordedRun extends FinishedRun {
  finished: TranslationJob;
  golden: PersistedGolden | null;
  /** True if the golden record could not be written: the job is published later. */
  isPending: boolean;
  status: JobStatus;
}

/**
 * Stores finished runs and bills them in one transaction. The golden records of published jobs are written before that.
 * If another attempt has replaced a run, its result is not stored, and the current job is returned.
 * @param runs of one tenant, in the order of their series
 * @param later the runs that end if the series ends here, in the same transaction
 * @throws AppError persistence_failed if a golden record could not be written: its job is stored and billed, and is
 *   published later; the runs after it are not stored. Also thrown if the tenant's own storage became unusable during
 *   the run; a 409 would wrongly mean that nothing was created
 */
export async function completeRuns(
  services: CompletionServices,
  runs: readonly [FinishedRun, ...FinishedRun[]],
  later: readonly Run[],
): Promise<TranslationJob[]> {
  const { database } = services;
  const { tenantId } = runs[0].run;
  const recorded = await Promise.all(runs.map((finished) => recordRun(services, finished)));
  // If the golden record of a job could not be written, the series ends with this error.
  const last = recorded.findIndex(({ isPending }) => isPending);
  const [storable, ended] =
    last === -1
      ? [recorded, []]
      : [recorded.slice(0, last + 1), [...recorded.slice(last + 1).map(({ run }) => run), ...later]];
  const storedAt = await storeRuns(services, storable, ended);
  const servedFrom = storable.flatMap(({ result }, index) => (storedAt[index] ? result.servedFrom : []));
  countUses(services, tenantId, servedFrom);
  const discarded = recorded.filter((_, index) => storedAt[index] === undefined);
  await Promise.all(discarded.map((other) => discardRecord(services, other)));
  const jobs = await Promise.all(
    storable.map(async (one, index) => {
      const at = storedAt[index];
      if (at) return storedJob(one, at);
      const { jobId } = one.run.admitted;
      return requireUsable(await database.inTenant(tenantId, (tx) => selectJob(tx, tenantId, jobId)));
    }),
  );
  if (last !== -1 && storedAt[last]) throw persistenceFailed();
  return jobs;
}

/** Writes the golden record of a finished run, if the run publishes its job. */
async function recordRun(services: CompletionServices, { run, result }: FinishedRun): Promise<RecordedRun> {
  const { tenantId, admitted } = run;
  const finished: TranslationJob = {
    id: admitted.jobId,
    request: withMetadata(run.request, result.metadata),
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
  const isPending = publishes && golden === null;
  const status = advance('pending', 'translated', isPending ? 'persistence_failed' : result.status);
  return { run, result, finished, golden, isPending, status };
}

/** Removes the golden record of a run that was not stored. */
async function discardRecord({ database }: CompletionServices, { run, golden }: RecordedRun): Promise<void> {
  if (!golden) return;
  const { tenantId, admitted } = run;
  const job = await database.inTenant(tenantId, (tx) => selectJob(tx, tenantId, admitted.jobId));
  // If the job refers to this URI, the transaction was committed although the COMMIT was not acknowledged: the record
  // belongs to this run and must stay.
  if (job?.request.metadata['golden_uri'] !== golden.uri) await golden.remove();
  else golden.list();
}

/** Returns the job of a stored run. Lists its golden record. */
function storedJob({ finished, golden, status }: RecordedRun, updatedAt: Date): TranslationJob {
  golden?.list();
  countEvent('jobs', `text ${status}`);
  const { request } = finished;
  const metadata = golden ? { ...request.metadata, golden_uri: golden.uri } : request.metadata;
  return { ...finished, status, request: { ...request, metadata }, updated_at: updatedAt.toISOString() };
}

function withMetadata(request: TranslationRequest, written: RunResult['metadata']): TranslationRequest {
  return written ? { ...request, metadata: { ...request.metadata, ...written } } : request;
}

/**
 * Stores runs in one transaction: stores the results with their usage, charges the prepaid balance, and adds the segments
 * to the TM. Segments come in the order of their languages, because concurrent transactions may create the same TM sets.
 * @param ended runs that end in the same transaction
 * @returns the new updated_at of each job; undefined if another attempt has the job
 */
async function storeRuns(
  { database, log, ...services }: CompletionServices,
  runs: readonly RecordedRun[],
  ended: readonly Run[],
): Promise<(Date | undefined)[]> {
  const { tenantId, drawsTopUp } = (runs[0] as RecordedRun).run;
  const learns = runs
    .flatMap(({ run, finished, golden }) => {
      const write = golden ? learnFrom(services, tenantId, finished, golden.uri) : undefined;
      const languages = `${run.request.source_lang} ${run.request.target_lang}`;
      return write ? [{ write, languages }] : [];
    })
    .sort((a, b) => (a.languages < b.languages ? -1 : a.languages > b.languages ? 1 : 0))
    .map(({ write }) => write);
  return retryWithout(log, learns, () =>
    database.inTenant(tenantId, async (tx) => {
      const learning = learns.filter(({ dropped }) => !dropped);
      const ending = endRuns(tx, tenantId, ended);
      const results = runs.map((recorded) => finishJob(tx, finishedJob(recorded), usageOf(recorded)));
      // COMMIT is sent together with the last statement.
      const commitsHere = learning.length === 0;
      const last = results.length - 1;
      if (commitsHere && !drawsTopUp)
        results[last] = tx.last(results[last] as Promise<{ updatedAt: Date }[]>);
      const [rows] = await Promise.all([
        Promise.all(results),
        ending,
        drawsTopUp ? settleTopUp(tx, tenantId, commitsHere ? tx.last : undefined) : undefined,
        ...learning.map((write) => write.run(tx)),
      ]);
      return rows.map(([row]) => row?.updatedAt);
    }),
  );
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

function usageOf({ run, result }: RecordedRun): JobUsage {
  const { request, weight, onTrial, submittedBy } = run;
  const { cost, fastPath } = result;
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

function finishedJob({ run, result, finished, golden, isPending, status }: RecordedRun): FinishedJob {
  return {
    tenantId: run.tenantId,
    jobId: run.admitted.jobId,
    attempt: run.admitted.attempt,
    status,
    finalTranslation: result.final_translation,
    baselineTranslation: finished.baseline_translation,
    qualityAssessment: finished.quality_assessment,
    refinement: finished.refinement,
    verification: finished.verification,
    agentRun: finished.agent_run,
    pipelineMetadata: result.metadata,
    goldenUri: golden?.uri ?? null,
    publishAs: isPending ? 'published' : null,
  };
}

interface FinishedJob {
  tenantId: string;
  jobId: string;
  attempt: number;
  status: JobStatus;
  baselineTranslation: string | null;
  finalTranslation: string | null;
  qualityAssessment: TranslationJob['quality_assessment'];
  refinement: TranslationJob['refinement'];
  verification: TranslationJob['verification'];
  agentRun: TranslationJob['agent_run'];
  pipelineMetadata: Record<string, unknown> | null;
  goldenUri: string | null;
  publishAs: string | null;
}

const value = sql.placeholder;

/** A placeholder for a value. */
const bound = (name: string): SQL => sql`${value(name)}`;

/** A placeholder for JSON text. Drizzle's encoding would store a JSON null, which takes space, instead of null. */
const json = (name: string): SQL => sql`${value(name)}::jsonb`;

const jsonColumns = [
  'qualityAssessment',
  'refinement',
  'verification',
  'agentRun',
  'pipelineMetadata',
] as const;

type JsonColumn = (typeof jsonColumns)[number];

type FinishedRow = Omit<FinishedJob, JsonColumn> & Record<JsonColumn, string | null> & JobUsage;

const finishPending = prepare<FinishedRow, { updatedAt: Date }[]>((db) => {
  const finished = db.$with('finished').as(
    db
      .update(translationJobs)
      .set({
        status: bound('status'),
        baselineTranslation: bound('baselineTranslation'),
        finalTranslation: bound('finalTranslation'),
        qualityAssessment: json('qualityAssessment'),
        refinement: json('refinement'),
        verification: json('verification'),
        agentRun: json('agentRun'),
        pipelineMetadata: json('pipelineMetadata'),
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
  const texts = jsonColumns.map((name) => [name, job[name] === null ? null : JSON.stringify(job[name])]);
  return finishPending(tx, {
    ...job,
    ...(Object.fromEntries(texts) as Record<JsonColumn, string>),
    ...usage,
  });
}
