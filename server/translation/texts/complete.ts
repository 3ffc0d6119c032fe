import { and, eq, type SQL, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { settleTopUp } from '#server/billing/metering/top-up-settlement.ts';
import { type JobUsage, recordUsage } from '#server/billing/metering/usage-recording.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import type { RunResult } from '#server/translation/core/pipeline/run.ts';
import {
  admitNext,
  insertFinished,
  JobTaken,
  type Run,
  runsAfter,
  type SeriesCaller,
  type WorkItem,
} from './admit-series.ts';
import {
  type PersistedGolden,
  type PersistingServices,
  persistenceFailed,
  persistGolden,
} from './golden-record.ts';
import { advance } from './job-states.ts';
import { selectJob } from './jobs.ts';
import { learnFrom } from './learn-from-job.ts';
import { OptionalWrite, retryWithout } from './optional-writes.ts';
import { type StoredRun, storedRun } from './packed-run.ts';
import type { JobStatus, TranslationJob, TranslationRequest } from './schema.ts';

/** The items of a series that are still to be run. The next job is inserted when the current ones are stored. */
export interface RestOfSeries {
  caller: SeriesCaller;
  work: readonly WorkItem[];
}

/** An item with the result of its pipeline. */
export interface FinishedItem {
  item: WorkItem;
  result: RunResult;
}

export type CompletionServices = PersistingServices & Pick<Services, 'embedder'>;

export interface Completion {
  /** The stored jobs: the first, and as many of the following ones as could be stored with it. */
  jobs: TranslationJob[];
  /** The run of the next job; undefined at the end of the series, or if the next job could not be inserted. */
  nextRun: Run | undefined;
}

/** A run with its result and, if it publishes its job, with its golden record. */
interface RecordedRun {
  run: Run;
  result: RunResult;
  finished: TranslationJob;
  golden: PersistedGolden | null;
  /** True if the golden record could not be written: the job is published later. */
  isPending: boolean;
  status: JobStatus;
}

/**
 * Stores a finished run and bills it in one transaction, together with the next job of its series. Results of the items
 * directly after it are stored in the same transaction. The golden records of published jobs are written before that. If
 * another attempt has replaced the run, nothing is stored, and the current job is returned.
 * @param following items without a job; their jobs are inserted
 * @param rest the items after these
 * @throws AppError persistence_failed if a golden record could not be written: its job is stored and billed, and is
 *   published later; the items after it are not stored. Also thrown if the tenant's own storage became unusable during
 *   the run; a 409 would wrongly mean that nothing was created
 */
export async function completeRuns(
  services: CompletionServices,
  run: Run,
  result: RunResult,
  following: readonly FinishedItem[],
  rest: RestOfSeries,
): Promise<Completion> {
  const { tenantId, admitted } = run;
  const runs = runsAfter(
    rest.caller,
    run,
    following.map(({ item }) => item),
  );
  const [first, ...others] = await Promise.all([
    recordRun(services, run, result),
    ...runs.map((other, index) => recordRun(services, other, (following[index] as FinishedItem).result)),
  ]);
  // If the golden record of a job could not be written, the series ends with this error.
  const complete = [first, ...others];
  const last = complete.findIndex(({ isPending }) => isPending);
  const storable = last === -1 ? complete : complete.slice(0, last + 1);
  const { stored, nextRun } = await storeRuns(
    services,
    storable,
    last === -1 ? rest : { ...rest, work: [] },
    following,
  );
  const discarded = complete.slice(stored.length);
  await Promise.all(discarded.map((other) => discardRecord(services, other)));
  if (stored.length === 0) {
    const job = await services.database.inTenant(tenantId, (tx) => selectJob(tx, tenantId, admitted.jobId));
    return { jobs: [requireUsable(job)], nextRun };
  }
  const jobs = stored.map(({ updatedAt }, index) => storedJob(complete[index] as RecordedRun, updatedAt));
  if (complete[stored.length - 1]?.isPending) throw persistenceFailed();
  return { jobs, nextRun };
}

/** Writes the golden record of a finished run, if the run publishes its job. */
async function recordRun(services: CompletionServices, run: Run, result: RunResult): Promise<RecordedRun> {
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
 * Inserts the jobs of the following runs, and the next job of the series. This is optional: if it fails, the first
 * translation is still stored.
 */
function insertNext(
  { settings, backgroundWork }: CompletionServices,
  [{ run }, ...others]: readonly [RecordedRun, ...RecordedRun[]],
  { caller, work }: RestOfSeries,
  following: readonly FinishedItem[],
): OptionalWrite<Run | undefined> {
  return new OptionalWrite(
    'could not create the next job of a series together with the result of the previous one',
    async (tx) => {
      const inserting = others.map((other, index) =>
        insertFinished(tx, caller, (following[index] as FinishedItem).item, other.run),
      );
      // If the process is stopping, it starts no further jobs.
      const startsNext = work.length > 0 && !backgroundWork.closing;
      const [next, inserted] = await Promise.all([
        startsNext ? admitNext(tx, settings, caller, work, run) : undefined,
        Promise.all(inserting),
      ]);
      if (!inserted.every(Boolean)) throw new JobTaken('the job of a later item already exists');
      return next;
    },
  );
}

/** Thrown to roll back the transaction that stores a run, because another attempt has the job. */
class RunReplaced extends Error {}

/**
 * Stores runs in one transaction: inserts the jobs of the following runs and the next job, stores the results with their
 * usage, charges the prepaid balance, and adds the segments to the TM.
 *
 * The new jobs come first, to avoid a deadlock. Their INSERT may wait for another transaction that has inserted a job
 * with the same key. That transaction may wait for the usage totals, which this transaction locks when it stores the
 * results. Segments come in the order of their languages, because concurrent transactions may create the same TM sets.
 * @returns `stored`: the stored runs; none if another attempt has the first job
 */
async function storeRuns(
  services: CompletionServices,
  runs: readonly RecordedRun[],
  rest: RestOfSeries,
  following: readonly FinishedItem[],
): Promise<{ stored: { updatedAt: Date }[]; nextRun: Run | undefined }> {
  const { database, log } = services;
  const [first, ...others] = runs as [RecordedRun, ...RecordedRun[]];
  const { tenantId, drawsTopUp } = first.run;
  const next =
    others.length > 0 || rest.work.length > 0
      ? insertNext(services, [first, ...others], rest, following)
      : undefined;
  const learns = runs
    .flatMap((recorded) => {
      const { run, finished, golden } = recorded;
      const write = golden ? learnFrom(services, tenantId, finished, golden.uri) : undefined;
      const languages = `${run.request.source_lang} ${run.request.target_lang}`;
      return write ? [{ write, recorded, languages }] : [];
    })
    .sort((a, b) => (a.languages < b.languages ? -1 : a.languages > b.languages ? 1 : 0));
  try {
    return await retryWithout(log, [next, ...learns.map(({ write }) => write)], () =>
      database.inTenant(tenantId, async (tx) => {
        const insertsNext = next !== undefined && !next.dropped;
        const included = insertsNext ? runs : [first];
        const learning = learns.filter(
          ({ write, recorded }) => !write.dropped && included.includes(recorded),
        );
        // COMMIT is sent together with the last statement, unless the result of an earlier statement is needed first.
        const commitsAtOnce = !insertsNext && learning.length === 0;
        const inserting = next?.run(tx);
        const finishing = included.map((recorded) => {
          const sent = finishJob(tx, finishedJob(recorded), usageOf(recorded.run, recorded.result));
          return commitsAtOnce && !drawsTopUp ? tx.last(sent) : sent;
        });
        const settling = drawsTopUp
          ? settleTopUp(tx, tenantId, commitsAtOnce ? tx.last : undefined)
          : undefined;
        const [nextRun, rows] = await Promise.all([
          inserting,
          Promise.all(finishing),
          settling,
          ...learning.map(({ write }) => write.run(tx)),
        ]);
        const stored = rows.flatMap(([row]) => row ?? []);
        if (stored.length < included.length && insertsNext) throw new RunReplaced();
        return { stored, nextRun };
      }),
    );
  } catch (error) {
    if (error instanceof RunReplaced) return { stored: [], nextRun: undefined };
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

function finishedJob({ run, result, finished, golden, isPending, status }: RecordedRun): FinishedJob {
  return {
    tenantId: run.tenantId,
    jobId: run.admitted.jobId,
    attempt: run.admitted.attempt,
    status,
    finalTranslation: result.final_translation,
    ...storedRun(finished),
    pipelineMetadata: result.metadata,
    goldenUri: golden?.uri ?? null,
    publishAs: isPending ? 'published' : null,
  };
}

interface FinishedJob extends StoredRun {
  tenantId: string;
  jobId: string;
  attempt: number;
  status: JobStatus;
  finalTranslation: string | null;
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
        packedRun: bound('packedRun'),
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
