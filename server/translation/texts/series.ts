import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError, describeForLog, toAppError } from '#server/errors.ts';
import { forgetText, leverageOf, type Prefetched } from '#server/translation/core/leverage/leverage.ts';
import { RunError, runPipeline } from '#server/translation/core/pipeline/run.ts';
import {
  admitSeries,
  isWork,
  planItems,
  type Run,
  readGates,
  type SeriesCaller,
  type SeriesItem,
} from './admit-series.ts';
import { type Completion, type CompletionServices, completeRun, type RestOfSeries } from './complete.ts';
import { isRunning, recordFailedRun } from './failed-run.ts';
import { selectJobsByKeys, stateOfJobs } from './idempotency.ts';
import type { Admitted } from './insert-jobs.ts';
import type { StoredJob } from './jobs.ts';
import type { TranslationJob } from './schema.ts';

export type RunServices = CompletionServices & Pick<Services, 'engine' | 'glossaries'>;

/** An admitted series. Its first job reserves the characters of the whole series. */
export interface Series {
  caller: SeriesCaller;
  items: readonly SeriesItem[];
  /** The run of the first item that has to run; undefined if a concurrent submission inserted the job first. */
  firstRun: Run | undefined;
  /** The tenant's glossary revision and TM matches when the series was submitted. */
  prefetched: Prefetched;
}

/**
 * Runs the items of a series in order. The transaction that stores a job also inserts the next job, which takes over
 * the reservation. So a series of n jobs takes n + 1 transactions, and a process that dies leaves at most one pending
 * job. If an item fails, the series ends with the item's error, and the rest of the reservation is released. The same
 * happens at the deadline: the model calls of the current item are aborted.
 * @returns the jobs with their items, and whether any job was run
 */
export async function runSeries(
  services: RunServices,
  { caller, items: submitted, firstRun, prefetched }: Series,
  deadline: AbortSignal,
): Promise<{ jobs: TranslationJob[]; items: readonly SeriesItem[]; ran: boolean }> {
  const jobs: TranslationJob[] = [];
  let ran = false;
  let items = submitted;
  let run = firstRun;
  while (jobs.length < items.length) {
    const index = jobs.length;
    const item = items[index] as SeriesItem;
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
      const rest = await admitRest(services, caller, items.slice(index));
      items = [...items.slice(0, index), ...rest.items];
      run = rest.firstRun;
      continue;
    }
    ran = true;
    const work = items.slice(index + 1).filter(isWork);
    const { job, nextRun } = await runJob(services, run, prefetched, { caller, work }, deadline);
    jobs.push(job);
    // A later item with the same text must be served from the TM.
    forgetText(prefetched, item.request);
    run = nextRun;
  }
  return { jobs, items, ran };
}

/**
 * Looks up the keys of the remaining items and admits them through all gates again. Needed if a concurrent submission
 * inserted the job of a key first, or if the next job could not be inserted when the previous one was stored.
 * @throws AppError 402; 503 transient_error if the jobs of the keys keep changing
 */
async function admitRest(
  services: Pick<Services, 'accountStores' | 'database' | 'settings'>,
  caller: SeriesCaller,
  rest: readonly SeriesItem[],
): Promise<Pick<Series, 'items' | 'firstRun'>> {
  const { database, settings } = services;
  const keys = rest.flatMap(({ request }) => request.idempotency_key ?? []);
  let refusedAt: string | undefined;
  for (let attempt = 0; attempt < 8; attempt++) {
    const result = await database.inTenant(caller.id, async (tx) => {
      const [known, gates] = await Promise.all([
        keys.length > 0 ? selectJobsByKeys(tx, keys, settings.STALE_PENDING_SECONDS) : undefined,
        readGates(tx, services),
      ]);
      const items = planItems(rest, known, settings);
      if (!items.some(isWork)) return { items, firstRun: undefined };
      const { run, refusal } = await admitSeries(tx, settings, caller, gates, items);
      return refusal ? { refusal, jobs: stateOfJobs(known) } : run && { items, firstRun: run };
    });
    if (!result) continue;
    if (!result.refusal) return result;
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

/**
 * Runs one job: translates its text and stores the result. A job whose run failed is stored as failed and not billed.
 * @throws AppError the error of the run
 */
async function runJob(
  services: RunServices,
  run: Run,
  prefetched: Prefetched,
  rest: RestOfSeries,
  deadline: AbortSignal,
): Promise<Completion> {
  const { engine, log } = services;
  const { tenantId, request, admitted } = run;
  const about = { request_id: rest.caller.requestId, job_id: admitted.jobId, tenant_id: tenantId };
  const keeping = keepPending(services, run);
  try {
    const leverage = await leverageOf(services, tenantId, request, prefetched);
    const scope = { tenantId, signal: deadline };
    const result = await runPipeline(engine, request, scope, {
      leverage,
      searchFailed: (error) =>
        log.warn({ ...about, error: describeForLog(error) }, 'a job is translated without fuzzy matches'),
    });
    return await completeRun(services, run, result, rest);
  } catch (error) {
    const failure = toAppError(error instanceof RunError ? error.cause : error);
    const known =
      deadline.aborted && failure.code === 'transient_error' ? toAppError(deadline.reason) : failure;
    // If only the golden record is missing, the translation is stored and the run has not failed.
    if (known.code !== 'persistence_failed') await recordFailedRun(services, run, error, known, about);
    throw known;
  } finally {
    clearInterval(keeping);
  }
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
