import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError, describeForLog, toAppError } from '#server/errors.ts';
import { admitRun, answersReplay, type Run, type SeriesTenant } from './admit.ts';
import { type Completed, completeRun, recordFailure } from './complete.ts';
import { selectJobsByKeys } from './queries/admission.ts';
import { touchJob } from './queries/completion.ts';
import type { StoredJob } from './queries/rows.ts';
import { RunError, runPipeline } from './run.ts';
import type { TranslationJob, TranslationRequest } from './schema.ts';

/** Milliseconds after which a run is given up: models that answer late, again and again, must end some time. */
const longestRun = 900_000;

/** One request of a series: the job that its key has already, or the work to do. */
export interface SeriesItem {
  request: TranslationRequest;
  known: StoredJob | undefined;
}

/** An admitted series: the work of each item is admitted when its turn comes, the first one's already. */
export interface Series {
  tenant: SeriesTenant;
  items: SeriesItem[];
  /** The run of the first item that is no replay; undefined where another submission was faster by a moment. */
  first: Run | undefined;
}

/**
 * Runs the items in order, and answers their jobs (B 4.1), and whether any work was done. Each is stored and billed before
 * the next one begins, in the same transaction that admits the next one, so that a series of n takes n + 1 transactions and
 * a process that dies leaves no item behind but the one it was at. An item that fails ends the series with its error.
 */
export async function runSeries(
  services: Services,
  { tenant, items, first }: Series,
): Promise<{ jobs: TranslationJob[]; ran: boolean }> {
  const jobs: TranslationJob[] = [];
  let ran = false;
  let admitted = first;
  for (const [index, item] of items.entries()) {
    if (item.known && answersReplay(item.known)) {
      jobs.push(item.known.job);
      continue;
    }
    // A process that stops ends with the run it is at: a resend goes on from there.
    if (!admitted && services.underWay.closing)
      throw new AppError('transient_error', 'the service is stopping; send it again with the same key');
    const admission = admitted ?? (await admitAgain(services, tenant, item));
    admitted = undefined;
    if ('replayed' in admission) {
      jobs.push(admission.replayed);
      continue;
    }
    ran = true;
    const following = items.slice(index + 1).find(({ known }) => !known || !answersReplay(known));
    const { job, next } = await runOne(
      services,
      admission,
      following && (async (tx) => admitFollowing(services, tx, tenant, following)),
    );
    jobs.push(job);
    admitted = next;
  }
  return { jobs, ran };
}

/** Admits an item in the transaction that stored the one before it; not any more where the process stops. */
async function admitFollowing(
  { settings, underWay }: Services,
  tx: Tx,
  tenant: SeriesTenant,
  { request, known }: SeriesItem,
): Promise<Run | undefined> {
  if (underWay.closing) return undefined;
  return admitRun(tx, tenant, request, known, settings.STALE_PENDING_SECONDS, tx.last);
}

/** Looks the key up and admits, again where another submission with the same key was faster by a moment. */
async function admitAgain(
  { database, settings }: Services,
  tenant: SeriesTenant,
  { request }: SeriesItem,
): Promise<Run | { replayed: TranslationJob }> {
  const stale = settings.STALE_PENDING_SECONDS;
  const key = request.idempotency_key;
  for (let attempt = 0; attempt < 5; attempt++) {
    const answer = await database.inTenant(tenant.id, async (tx) => {
      const known = key ? (await selectJobsByKeys(tx, [key], stale)).get(key) : undefined;
      if (known && answersReplay(known)) return { replayed: known.job };
      return admitRun(tx, tenant, request, known, stale, tx.last);
    });
    if (answer) return answer;
  }
  throw new AppError('transient_error', 'the job of this Idempotency-Key keeps changing; try again');
}

/** One run: the pipeline, and the stored result. A failure leaves the job failed, and unbilled. */
async function runOne(
  services: Services,
  run: Run,
  next: ((tx: Tx) => Promise<Run | undefined>) | undefined,
): Promise<Completed<Run | undefined>> {
  const keeping = keepPending(services, run);
  // Not AbortSignal.timeout, whose timer would outlive the run.
  const deadline = new AbortController();
  const ending = setTimeout(() => deadline.abort(), longestRun);
  try {
    const { signal } = deadline;
    const result = await runPipeline(services.engine, run.request, { tenantId: run.tenantId, signal });
    return await completeRun(services, run, result, next);
  } catch (error) {
    const known = toAppError(error instanceof RunError ? error.cause : error);
    // A parked job is no failed one: its translation is stored, and stays.
    if (known.code === 'persistence_failed') throw known;
    // The caller is told little; whoever runs the service must find out why.
    services.log.warn({ job_id: run.admitted.jobId, error: describeForLog(known) }, 'a run failed');
    const steps = error instanceof RunError ? error.steps : [];
    await recordFailure(services, run, steps, known.message).catch((failure: unknown) =>
      // The sweep marks it later; the caller's own error matters more.
      services.log.warn(
        { job_id: run.admitted.jobId, error: describeForLog(failure) },
        'failure not recorded',
      ),
    );
    throw known;
  } finally {
    clearInterval(keeping);
    clearTimeout(ending);
  }
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
