import type { Services } from '#server/context.ts';
import { AppError, describeForLog, toAppError } from '#server/errors.ts';
import { startDeadline } from '#server/http/request-limits.ts';
import { forgetText } from '#server/translation/leverage/leverage.ts';
import { RunError } from '#server/translation/pipeline/text-run.ts';
import type { AdmittedSeries, Run, SeriesItem } from './admit-series.ts';
import { type CompletionServices, completeRuns, type FinishedRun } from './complete.ts';
import { endRuns, recordFailedRun, touchJobs } from './failed-run.ts';
import type { StoredJob } from './jobs.ts';
import type { TranslationJob } from './schema.ts';
import { runSideBySide, type SideBySide } from './side-by-side.ts';

export type RunServices = CompletionServices & Pick<Services, 'engine' | 'glossaries'>;

/** A series and how it ends. */
export interface Series extends AdmittedSeries {
  /**
   * Whether the items belong together: if one fails, later ones end too. Otherwise their jobs stay pending, and the
   * caller runs them again.
   */
  endsAtFailure: boolean;
  /**
   * Whether a job stays pending if its run fails by an error that may not occur again, because the same job is run again
   * later.
   */
  keepsPending?: boolean;
  /** Seconds until the series ends like at a failure: its model calls are aborted. */
  seconds: number;
}

/**
 * Maximum jobs that one transaction stores. It holds a connection and, for prepaid characters, a lock of the tenant.
 */
const maxStoredTogether = 16;

/**
 * Runs the items of a series side by side, and stores them in order. If an item fails, the series ends with the item's
 * error, and later items leave nothing. If the process dies, the stale sweep ends the pending jobs.
 */
export async function runSeries(services: RunServices, series: Series): Promise<TranslationJob[]> {
  const { caller, items, runs, prefetched, endsAtFailure } = series;
  using deadline = startDeadline(series.seconds);
  const { signal } = deadline;
  const jobs: TranslationJob[] = [];
  const pipelines = runSideBySide(services, series, signal);
  const keeping = keepPending(services, caller.id, runs);
  try {
    while (jobs.length < items.length) {
      const index = jobs.length;
      pipelines.advance(index);
      const run = runs[index];
      if (!run) {
        jobs.push(((items[index] as SeriesItem).known as StoredJob).job);
        continue;
      }
      if (services.backgroundWork.closing && runs.slice(0, index).some(Boolean)) {
        const later = endsAtFailure ? laterThan(runs, index - 1) : [];
        if (later.length > 0)
          await services.database.inTenant(caller.id, (tx) => endRuns(tx, caller.id, later));
        // If the client sends the request again with the same keys, the series continues with this item.
        const message = 'the service is stopping; send the request again with the same key';
        throw new AppError('transient_error', message);
      }
      jobs.push(...(await runNext(services, run, pipelines, series, index, signal)));
      // A later item with the same text must be served from the TM.
      for (const { request } of items.slice(index, jobs.length)) forgetText(prefetched, request);
    }
    return jobs;
  } finally {
    clearInterval(keeping);
    pipelines.abandon();
  }
}

const laterThan = (runs: Series['runs'], index: number): Run[] =>
  runs.slice(index + 1).filter((run) => run !== undefined);

/**
 * Completes the run of one item: stores its result as soon as it exists, together with the results that later items
 * already have. A job whose run failed is stored as failed and not billed.
 * @returns the jobs of this item and of those after it that were stored with it
 * @throws AppError the error of the run
 */
async function runNext(
  services: RunServices,
  run: Run,
  pipelines: SideBySide,
  { caller, runs, endsAtFailure, keepsPending = false }: Series,
  index: number,
  deadline: AbortSignal,
): Promise<TranslationJob[]> {
  const { tenantId, admitted } = run;
  const about = { request_id: caller.requestId, job_id: admitted.jobId, tenant_id: tenantId };
  try {
    const result = await pipelines.resultOf(index);
    const following = services.backgroundWork.closing ? [] : finishedAfter(pipelines, runs, index);
    const later = endsAtFailure ? laterThan(runs, index + following.length) : [];
    return await completeRuns(services, [{ run, result }, ...following], later);
  } catch (error) {
    const failure = toAppError(error instanceof RunError ? error.cause : error);
    const known =
      deadline.aborted && failure.code === 'transient_error' ? toAppError(deadline.reason) : failure;
    const discarded = pipelines.abandon();
    const later = endsAtFailure ? laterThan(runs, index) : [];
    // If only the golden record is missing, the translation is stored and the run has not failed.
    const staysPending = keepsPending && mayBeRetried.includes(known.code);
    if (known.code !== 'persistence_failed' && !staysPending)
      await recordFailedRun(services, run, error, known, about, { discarded, later });
    throw known;
  }
}

/** The errors of a run that may not occur again. */
export const mayBeRetried: readonly AppError['code'][] = ['rate_limit', 'transient_error'];

/** Returns the runs directly after the current one that already have results. */
function finishedAfter(pipelines: SideBySide, runs: Series['runs'], index: number): FinishedRun[] {
  const finished: FinishedRun[] = [];
  for (const [offset, run] of runs.slice(index + 1, index + maxStoredTogether).entries()) {
    const result = run && pipelines.finished(index + 1 + offset);
    if (!result) break;
    finished.push({ run, result });
  }
  return finished;
}

/**
 * Updates the timestamps of pending jobs during a long series, so that only jobs of dead processes look stale: with
 * retries, models may take longer than STALE_PENDING_SECONDS.
 */
function keepPending(
  { database, settings, log }: Pick<Services, 'database' | 'settings' | 'log'>,
  tenantId: string,
  runs: Series['runs'],
): NodeJS.Timeout {
  const attempts = laterThan(runs, -1).map(({ admitted }) => admitted);
  const touch = () =>
    database
      .inTenant(tenantId, (tx) => tx.last(touchJobs(tx, tenantId, attempts)))
      .catch((error: unknown) =>
        log.warn(
          { tenant_id: tenantId, error: describeForLog(error) },
          'could not record that jobs are in progress',
        ),
      );
  // Node's timers support intervals of at most 2^31 - 1 ms.
  return setInterval(touch, Math.min((settings.STALE_PENDING_SECONDS * 1000) / 3, 2_147_483_647));
}
