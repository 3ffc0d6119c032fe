import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError, describeForLog, toAppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { forgetText, type Prefetched } from '#server/translation/core/leverage/leverage.ts';
import { RunError } from '#server/translation/core/pipeline/run.ts';
import {
  admitSeries,
  type Gates,
  isWork,
  JobTaken,
  planItems,
  type Run,
  readGates,
  type SeriesCaller,
  type SeriesItem,
  type WorkItem,
} from './admit-series.ts';
import { type Completion, type CompletionServices, completeRuns, type FinishedItem } from './complete.ts';
import { isRunning, recordFailedRun } from './failed-run.ts';
import { selectJobsByKeys, stateOfJobs } from './idempotency.ts';
import type { Admitted } from './insert-jobs.ts';
import type { StoredJob } from './jobs.ts';
import type { TranslationJob } from './schema.ts';
import { runSideBySide, type SideBySide } from './side-by-side.ts';

export type RunServices = CompletionServices & Pick<Services, 'engine' | 'glossaries'>;

/** An admitted series. Its first job reserves the characters of the whole series. */
export interface Series {
  caller: SeriesCaller;
  items: readonly SeriesItem[];
  /** The run of the first item that has to run; undefined if a concurrent submission inserted the job first. */
  firstRun: Run | undefined;
  /** The tenant's glossary revision and TM matches when the series was submitted. */
  prefetched: Prefetched;
  /**
   * Whether a job stays pending if its run fails by an error that may not occur again, because the same job is run again
   * later.
   */
  keepsPending?: boolean;
}

/**
 * Maximum jobs that one transaction stores. It holds a connection and, for prepaid characters, a lock of the tenant.
 */
const maxStoredTogether = 16;

/**
 * Runs the items of a series side by side, and stores them in order. The transaction that stores jobs also inserts the
 * next job, which takes over the reservation. So a process that dies leaves at most one pending job. If an item fails,
 * the series ends with the item's error, later items leave nothing, and the rest of the reservation is released. The
 * same happens at the deadline: the model calls are aborted.
 * @returns the jobs with their items, and whether any job was run
 */
export async function runSeries(
  services: RunServices,
  { caller, items: submitted, firstRun, prefetched, keepsPending = false }: Series,
  deadline: AbortSignal,
): Promise<{ jobs: TranslationJob[]; items: readonly SeriesItem[]; ran: boolean }> {
  const jobs: TranslationJob[] = [];
  let ran = false;
  let items = submitted;
  let run = firstRun;
  const pipelines = runSideBySide(services, caller, submitted, prefetched, deadline);
  try {
    while (jobs.length < items.length) {
      const index = jobs.length;
      const item = items[index] as SeriesItem;
      pipelines.advance(items, index, run !== undefined);
      if (!isWork(item)) {
        jobs.push((item.known as StoredJob).job);
        continue;
      }
      if (!run) {
        // If the client sends the request again with the same keys, the series continues with this item.
        if (services.backgroundWork.closing)
          throw new AppError(
            'transient_error',
            'the service is stopping; send the request again with the same key',
          );
        // Another worker has taken the series over, or the task must continue it.
        if (item.admitted) throw new AppError('transient_error', 'the queued series was interrupted');
        const rest = await admitAgain(services, caller, items.slice(index), (...given) =>
          admitSeries(...given).then(({ run: admitted, refusal }) => ({ admitted, refusal })),
        );
        items = [...items.slice(0, index), ...rest.items];
        run = rest.admitted;
        continue;
      }
      ran = true;
      const completed = await runJob(
        services,
        run,
        pipelines,
        { caller, items, index, keepsPending },
        deadline,
      );
      jobs.push(...completed.jobs);
      // A later item with the same text must be served from the TM.
      for (const { request } of items.slice(index, jobs.length)) forgetText(prefetched, request);
      run = completed.nextRun;
    }
    return { jobs, items, ran };
  } finally {
    pipelines.abandon();
  }
}

/**
 * Looks up the keys of items and admits them through all gates, in a separate transaction. Needed if a concurrent
 * submission may have inserted the job of a key first, or if the next job could not be inserted when the previous one was
 * stored.
 * @param admit sends the statements of the admission; without a result and a refusal, the keys are looked up again
 * @returns the items as they are now, and the result of `admit`; undefined if no item has work any longer
 * @throws AppError 402; 503 transient_error if the jobs of the keys keep changing
 */
export async function admitAgain<T>(
  services: Pick<Services, 'accountStores' | 'database' | 'settings'>,
  caller: SeriesCaller,
  rest: readonly SeriesItem[],
  admit: (
    tx: Tx,
    settings: Settings,
    caller: SeriesCaller,
    gates: Gates,
    items: readonly SeriesItem[],
  ) => Promise<{ admitted: T | undefined; refusal: AppError | null }>,
): Promise<{ items: readonly SeriesItem[]; admitted: T | undefined }> {
  const { database, settings } = services;
  const keys = rest.flatMap(({ request }) => request.idempotency_key ?? []);
  let refusedAt: string | undefined;
  for (let attempt = 0; attempt < 8; attempt++) {
    const deciding = database.inTenant(caller.id, async (tx) => {
      const [known, gates] = await Promise.all([
        keys.length > 0 ? selectJobsByKeys(tx, keys, settings.STALE_PENDING_SECONDS) : undefined,
        readGates(tx, services),
      ]);
      const items = planItems(rest, known, settings);
      if (!items.some(isWork)) return { items, admitted: undefined };
      const { admitted, refusal } = await admit(tx, settings, caller, gates, items);
      return refusal ? { refusal, jobs: stateOfJobs(known) } : admitted && { items, admitted };
    });
    const result = await deciding.catch((error: unknown) => {
      if (!(error instanceof JobTaken)) throw error;
    });
    if (!result) continue;
    if (!('refusal' in result)) return result;
    // Throw the error only if the jobs were the same in both reads; otherwise a concurrent request with the same keys
    // may have caused the usage.
    if (result.jobs === refusedAt) throw result.refusal;
    refusedAt = result.jobs;
  }
  throw new AppError(
    'transient_error',
    'the job of this Idempotency-Key was changed by other requests at the same time; try again',
  );
}

/** The current item of a series. */
interface Position {
  caller: SeriesCaller;
  items: readonly SeriesItem[];
  index: number;
  keepsPending: boolean;
}

/**
 * Completes the current job of a series: stores its result as soon as it exists, together with the results that later
 * items already have. A job whose run failed is stored as failed and not billed.
 * @throws AppError the error of the run
 */
async function runJob(
  services: RunServices,
  run: Run,
  pipelines: SideBySide,
  { caller, items, index, keepsPending }: Position,
  deadline: AbortSignal,
): Promise<Completion> {
  const { tenantId, admitted } = run;
  const about = { request_id: caller.requestId, job_id: admitted.jobId, tenant_id: tenantId };
  const keeping = keepPending(services, run);
  try {
    const result = await pipelines.resultOf(index);
    const following = services.backgroundWork.closing ? [] : finishedAfter(pipelines, items, index);
    const work = items.slice(index + 1 + following.length).filter(isWork);
    return await completeRuns(services, run, result, following, { caller, work });
  } catch (error) {
    const failure = toAppError(error instanceof RunError ? error.cause : error);
    const known =
      deadline.aborted && failure.code === 'transient_error' ? toAppError(deadline.reason) : failure;
    const discarded = pipelines.abandon();
    // If only the golden record is missing, the translation is stored and the run has not failed.
    const staysPending = keepsPending && mayBeRetried.includes(known.code);
    if (known.code !== 'persistence_failed' && !staysPending)
      await recordFailedRun(services, run, error, known, { ...about, discarded });
    throw known;
  } finally {
    clearInterval(keeping);
  }
}

/** The errors of a run that may not occur again. */
export const mayBeRetried: readonly AppError['code'][] = ['rate_limit', 'transient_error'];

/**
 * Returns the items directly after the current one that already have results and no job. An existing job that runs
 * again needs its own transaction, which starts its next attempt.
 */
function finishedAfter(pipelines: SideBySide, items: readonly SeriesItem[], index: number): FinishedItem[] {
  const finished: FinishedItem[] = [];
  for (let at = index + 1; at < Math.min(items.length, index + maxStoredTogether); at++) {
    const item = items[at] as SeriesItem;
    const result = isWork(item) && !item.known ? pipelines.finished(at) : undefined;
    if (!result) break;
    finished.push({ item: item as WorkItem, result });
  }
  return finished;
}

/**
 * Updates a job's timestamp during a long run, so that only jobs of dead processes look stale: with retries, models may
 * take longer than STALE_PENDING_SECONDS.
 */
function keepPending(
  { database, settings, log }: Pick<Services, 'database' | 'settings' | 'log'>,
  { tenantId, admitted }: Run,
): NodeJS.Timeout {
  const touch = () =>
    database
      .inTenant(tenantId, (tx) => tx.last(touchJob(tx, tenantId, admitted)))
      .catch((error: unknown) =>
        log.warn(
          { job_id: admitted.jobId, tenant_id: tenantId, error: describeForLog(error) },
          'could not record that the job is in progress',
        ),
      );
  // Node's timers support intervals of at most 2^31 - 1 ms.
  return setInterval(touch, Math.min((settings.STALE_PENDING_SECONDS * 1000) / 3, 2_147_483_647));
}

/** Updates the timestamp of a pending job to show that it is still running. */
function touchJob(tx: Tx, tenantId: string, run: Pick<Admitted, 'jobId' | 'attempt'>): PromiseLike<unknown> {
  return tx.update(translationJobs).set({ updatedAt: sql`now()` }).where(isRunning(tenantId, run));
}
