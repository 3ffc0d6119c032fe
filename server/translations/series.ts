import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { readBilledTenant } from '#server/metering/entitlement.ts';
import {
  admitSeries,
  isWork,
  planItems,
  type Run,
  type SeriesCaller,
  type SeriesItem,
} from './admit-series.ts';
import { fingerprint, selectJobsByKeys } from './idempotency.ts';
import type { StoredJob } from './jobs.ts';
import { forget, type Prefetched } from './leverage/prefetch.ts';
import { type RunServices, runJob } from './run-job.ts';
import type { TranslationJob } from './schema.ts';

/** An admitted series. Its first job reserves the characters of all of it. */
export interface Series {
  caller: SeriesCaller;
  items: readonly SeriesItem[];
  /** The run of the first item that has work; undefined if a concurrent submission inserted its job first. */
  firstRun: Run | undefined;
  /** What the tenant's glossaries and memory had when the series was submitted. */
  prefetched: Prefetched;
}

/**
 * Runs the items of a series in order (B 4.1). The transaction that stores a job also inserts the next one and hands the reservation on to
 * it, so a series of n takes n + 1 transactions, and a process that dies leaves one pending job at most. An item that fails ends the series
 * with its error and frees the rest of the reservation.
 * @returns the jobs, and whether any of them was run
 */
export async function runSeries(
  services: RunServices,
  { caller, items: submitted, firstRun, prefetched }: Series,
): Promise<{ jobs: TranslationJob[]; ran: boolean }> {
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
      // A resend with the same keys goes on from here.
      if (services.backgroundWork.closing)
        throw new AppError('transient_error', 'the service is stopping; send it again with the same key');
      const rest = await admitRest(services, caller, items.slice(index));
      items = [...items.slice(0, index), ...rest.items];
      run = rest.firstRun;
      continue;
    }
    ran = true;
    const work = items.slice(index + 1).filter(isWork);
    const { job, nextRun } = await runJob(services, run, prefetched, { caller, work });
    jobs.push(job);
    // A later item with the same text is served what this one published.
    forget(prefetched, item.request);
    run = nextRun;
  }
  return { jobs, ran };
}

/**
 * Looks up the keys of the remaining items and admits them through all gates again. Needed if a concurrent submission inserted the job of a
 * key first, or if the next job could not be inserted with the result of the one before it.
 * @throws AppError 402; 503 transient_error if the jobs of the keys keep changing
 */
async function admitRest(
  { database, settings }: Pick<Services, 'database' | 'settings'>,
  caller: SeriesCaller,
  rest: readonly SeriesItem[],
): Promise<Pick<Series, 'items' | 'firstRun'>> {
  const requests = rest.map(({ request }) => request);
  const keys = requests.flatMap(({ idempotency_key: key }) => key ?? []);
  let refusedAt: string | undefined;
  for (let attempt = 0; attempt < 8; attempt++) {
    const result = await database.inTenant(caller.id, async (tx) => {
      const [known, tenant] = await Promise.all([
        keys.length > 0 ? selectJobsByKeys(tx, keys, settings.STALE_PENDING_SECONDS) : undefined,
        readBilledTenant(tx, settings),
      ]);
      const items = planItems(requests, known, settings);
      if (!items.some(isWork)) return { items, firstRun: undefined };
      const { run, refusal } = await admitSeries(tx, settings, caller, tenant, items);
      return refusal ? { refusal, jobs: fingerprint(known) } : run && { items, firstRun: run };
    });
    if (!result) continue;
    if (!result.refusal) return result;
    // Reject only if both reads saw the same jobs; otherwise a concurrent duplicate may account for the usage.
    if (result.jobs === refusedAt) throw result.refusal;
    refusedAt = result.jobs;
  }
  throw new AppError('transient_error', 'the job of this Idempotency-Key keeps changing; try again');
}
