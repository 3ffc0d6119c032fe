import type { Tx } from '#db/client.ts';
import { SaturatedError } from '#server/concurrency-limit.ts';
import type { Services } from '#server/context.ts';
import { AppError, describeForLog, toAppError } from '#server/errors.ts';
import { readBilledTenant } from '#server/metering/service.ts';
import {
  admitFollowing,
  admitSeries,
  isWork,
  itemsOf,
  type Run,
  type SeriesCaller,
  type SeriesItem,
  type WorkItem,
} from './admit-series.ts';
import { type Completed, completeRun, recordFailure, touchJob } from './complete.ts';
import { selectJobsByKeys } from './insert-jobs.ts';
import type { StoredJob } from './jobs.ts';
import { forget, type LookedUp, leverageOf } from './leverage/prefetch.ts';
import { RunError, runPipeline } from './pipeline/run.ts';
import type { TranslationJob } from './schema.ts';

/** Milliseconds after which a run is given up: models that answer late, again and again, must end some time. */
const longestRun = 900_000;

/** An admitted series: its first job reserves what all of it may cost. */
export interface Series {
  caller: SeriesCaller;
  items: readonly SeriesItem[];
  /** The run of the first item that has work to do; undefined where another submission was faster by a moment. */
  first: Run | undefined;
  /** What the tenant's glossaries and memory had when it was submitted. */
  found: LookedUp;
}

/**
 * Runs the items in order, and answers their jobs (B 4.1), and whether any work was done. Each is stored and billed before
 * the next one begins, in the same transaction that makes the next one and hands the reservation on to it, so that a series
 * of n takes n + 1 transactions and a process that dies leaves no item behind but the one it was at. An item that fails ends
 * the series with its error, and what was reserved for the rest is free.
 */
export async function runSeries(
  services: Services,
  { caller, items: asked, first, found }: Series,
): Promise<{ jobs: TranslationJob[]; ran: boolean }> {
  const jobs: TranslationJob[] = [];
  let ran = false;
  let admitted = first;
  let items = asked;
  while (jobs.length < items.length) {
    const index = jobs.length;
    const item = items[index] as SeriesItem;
    if (!isWork(item)) {
      jobs.push((item.known as StoredJob).job);
      continue;
    }
    if (!admitted) {
      // A process that stops ends with the run it is at: a resend goes on from there.
      if (services.backgroundWork.closing)
        throw new AppError('transient_error', 'the service is stopping; send it again with the same key');
      const again = await admitAgain(services, caller, items.slice(index));
      items = [...items.slice(0, index), ...again.items];
      admitted = again.first;
      continue;
    }
    ran = true;
    const run = admitted;
    const rest = items.slice(index + 1).filter(isWork);
    const { job, next } = await runOne(
      services,
      run,
      found,
      rest.length > 0 ? async (tx) => admitNext(services, tx, caller, rest, run) : undefined,
    );
    jobs.push(job);
    // The next one with the same text is served what this one published.
    forget(found, item.request);
    admitted = next;
  }
  return { jobs, ran };
}

/** Makes the next job in the transaction that stored the one before it; not any more where the process stops. */
async function admitNext(
  { settings, backgroundWork }: Services,
  tx: Tx,
  caller: SeriesCaller,
  rest: readonly WorkItem[],
  run: Run,
): Promise<Run | undefined> {
  return backgroundWork.closing ? undefined : admitFollowing(tx, settings, caller, rest, run);
}

/**
 * Looks the keys up and admits what is left, through all gates again: where another submission with the same key was
 * faster by a moment, or the next job could not be made with the one before it.
 */
async function admitAgain(
  { database, settings }: Services,
  caller: SeriesCaller,
  left: readonly SeriesItem[],
): Promise<Pick<Series, 'items' | 'first'>> {
  const requests = left.map(({ request }) => request);
  const keys = requests.flatMap(({ idempotency_key: key }) => key ?? []);
  let refusedAt: string | undefined;
  for (let attempt = 0; attempt < 8; attempt++) {
    const answer = await database.inTenant(caller.id, async (tx) => {
      const [known, tenant] = await Promise.all([
        keys.length > 0 ? selectJobsByKeys(tx, keys, settings.STALE_PENDING_SECONDS) : undefined,
        readBilledTenant(tx, settings),
      ]);
      const items = itemsOf(requests, known, settings);
      if (!items.some(isWork)) return { items, first: undefined };
      const { run, refusal } = await admitSeries(tx, settings, caller, tenant, items);
      return refusal ? { refusal, seen: seenOf(known) } : run && { items, first: run };
    });
    if (!answer) continue;
    if (!answer.refusal) return answer;
    // Believed where nothing has moved between two looks: else a twin may have done, or begun, what was counted twice.
    if (answer.seen === refusedAt) throw answer.refusal;
    refusedAt = answer.seen;
  }
  throw new AppError('transient_error', 'the job of this Idempotency-Key keeps changing; try again');
}

/** How the jobs of some keys stand, for comparing. */
function seenOf(known: ReadonlyMap<string, StoredJob> | undefined): string {
  const jobs = [...(known ?? [])].map(([key, { job, attempt }]) => [key, job.status, attempt]);
  return JSON.stringify(jobs.toSorted());
}

/** One run: the pipeline, and the stored result. A failure leaves the job failed, and unbilled. */
async function runOne(
  services: Services,
  run: Run,
  found: LookedUp,
  next: ((tx: Tx) => Promise<Run | undefined>) | undefined,
): Promise<Completed<Run | undefined>> {
  const keeping = keepPending(services, run);
  // Not AbortSignal.timeout, whose timer would outlive the run.
  const deadline = new AbortController();
  const ending = setTimeout(() => deadline.abort(), longestRun);
  try {
    const { signal } = deadline;
    const leverage = await leverageOf(services, run.tenantId, run.request, found);
    const result = await runPipeline(
      services.engine,
      run.request,
      { tenantId: run.tenantId, signal },
      {
        leverage,
        searchFailed: (error) =>
          services.log.warn(
            { job_id: run.admitted.jobId, error: describeForLog(error) },
            'a job is translated without close matches',
          ),
      },
    );
    return await completeRun(services, run, result, next);
  } catch (error) {
    const known = toAppError(error instanceof RunError ? error.cause : error);
    // A parked job is no failed one: its translation is stored, and stays.
    if (known.code === 'persistence_failed') throw known;
    // The caller is told little; whoever runs the service must find out why.
    services.log.warn({ job_id: run.admitted.jobId, error: describeForLog(known) }, 'a run failed');
    const failure =
      error instanceof RunError
        ? { steps: error.steps, asked: mayHaveAsked(error) }
        : { steps: [], asked: false };
    await recordFailure(services, run, { ...failure, message: known.message }).catch((unrecorded: unknown) =>
      // The sweep marks it later; the caller's own error matters more.
      services.log.warn(
        { job_id: run.admitted.jobId, error: describeForLog(unrecorded) },
        'failure not recorded',
      ),
    );
    throw known;
  } finally {
    clearInterval(keeping);
    clearTimeout(ending);
  }
}

/** A call that waited for its turn in vain asked nothing; the calls of the steps before it did. */
function mayHaveAsked({ cause, steps }: RunError): boolean {
  return (
    !(cause instanceof SaturatedError) ||
    steps.some(({ kind, status }) => kind === 'agent' && status === 'completed')
  );
}

/**
 * Touches a job while its run takes long, so that only jobs whose process died look stale: models with their retries
 * may take longer than STALE_PENDING_SECONDS.
 */
function keepPending({ database, settings, log }: Services, { tenantId, admitted }: Run): NodeJS.Timeout {
  const touch = () =>
    database
      .inTenant(tenantId, (tx) => tx.last(touchJob(tx, tenantId, admitted)))
      .catch((error: unknown) =>
        log.warn({ job_id: admitted.jobId, error: describeForLog(error) }, 'job not touched'),
      );
  // Node's timers go up to 2^31 ms.
  return setInterval(touch, Math.min((settings.STALE_PENDING_SECONDS * 1000) / 3, 2_147_483_647));
}
