import type { Tx } from '#db/client.ts';
import { credentialOf, submitterOf } from '#server/billing/metering/submitter.ts';
import type { RequestContext, Services } from '#server/context.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { refuseByMaximum, type SubmissionLimits } from '#server/translation/intake/submission-limits.ts';
import { type Prefetched, prefetch } from '#server/translation/leverage/leverage.ts';
import {
  admitInTransaction,
  admitSeries,
  billableCharsOf,
  type Gates,
  isWork,
  planItems,
  type Run,
  readGates,
  type SeriesItem,
  type Submitted,
} from './admit-series.ts';
import { selectJobsByKeys } from './idempotency.ts';
import type { StoredJob } from './jobs.ts';
import { queueSeries } from './queued-series.ts';
import type { TranslationJob, TranslationRequest } from './schema.ts';
import { type RunServices, runSeries, type Series } from './series.ts';

export interface Submission {
  jobs: TranslationJob[];
  /** The item of each job, in the same order. */
  items: readonly SeriesItem[];
  /** True if all jobs come from earlier submissions with the same keys, and no job had to run. */
  replayed: boolean;
}

/**
 * Translates texts and returns their jobs in order. Makes the checks in this order: replay, authentication,
 * payment, storage, allowance. Then runs the pipeline for each text and stores the result. Models are called between
 * transactions, never inside one.
 * @param submitted have passed `checkRequest`
 * @throws AppError 401, 402, 413, 422, 429, 5xx
 */
export async function submit(
  services: RunServices,
  withTenant: WithTenant,
  { requestId, prefersAsync }: Pick<RequestContext, 'requestId' | 'prefersAsync'>,
  submitted: Submitted[],
  limits: Pick<SubmissionLimits, 'maxCharacters'>,
): Promise<Submission> {
  const { settings } = services;
  const requests = submitted.map(({ request }) => request);
  const keys = requests.flatMap(({ idempotency_key: key }) => key ?? []);
  const checked = await withTenant(
    // Runs in the transaction that authenticated the caller.
    async (tx, principal, looked: LookedUp): Promise<Submission | Checked> => {
      const items = planItems(submitted, looked.known, settings);
      // If no job has to run, the existing jobs are returned before any gate could reject the submission.
      if (!items.some(isWork))
        return { jobs: items.flatMap(({ known }) => known?.job ?? []), items, replayed: true };
      const tooMuch = refuseByMaximum(limits, billableCharsOf(items));
      if (tooMuch) throw tooMuch;
      const caller = {
        ...principal.tenant,
        credential: credentialOf(principal),
        submittedBy: submitterOf(principal),
        requestId,
      };
      const checked = { caller, items, prefetched: looked.prefetched };
      // Several jobs need another transaction: it is rolled back if a concurrent submission has one of them.
      if (prefersAsync || items.length > 1) return checked;
      const { runs, refusal } = await admitSeries(tx, settings, caller, looked.gates, items, {
        queued: false,
      });
      // With a key, the other transaction checks again: a concurrent request with the same key may have caused the usage.
      if (refusal && keys.length === 0) throw refusal;
      return { ...checked, runs };
    },
    // Sent before the caller is authenticated. Row-level security limits the result to the tenant of the transaction.
    async (tx) => lookUp(tx, services, requests, keys),
  );
  if ('jobs' in checked) return checked;
  const { caller, prefetched } = checked;
  if (prefersAsync) {
    const { jobs, items, isNew } = await queueSeries(services, caller, checked.items);
    return { jobs, items, replayed: !isNew };
  }
  const { items, runs } = checked.runs
    ? { items: checked.items, runs: checked.runs }
    : await admitInTransaction(services, caller, checked.items, { queued: false });
  const admitted = [...runs];
  const series: Series = {
    caller,
    items,
    runs: items.map((item) => (isWork(item) ? admitted.shift() : undefined)),
    prefetched,
    endsAtFailure: true,
    seconds: settings.REQUEST_DEADLINE_SECONDS,
  };
  const jobs = await services.backgroundWork.track(runSeries(services, series));
  return { jobs, items, replayed: runs.length === 0 };
}

/** A submission that passed the checks before admission. */
interface Checked extends Pick<Series, 'caller' | 'items' | 'prefetched'> {
  /** The run of a single item that is already admitted. */
  runs?: Run[] | undefined;
}

/** Data about the tenant for the gates and the pipeline. */
export interface LookedUp {
  /** Existing jobs by idempotency key; undefined if the submission has no keys. */
  known: Map<string, StoredJob> | undefined;
  gates: Gates;
  prefetched: Prefetched;
}

export async function lookUp(
  tx: Tx,
  services: Pick<Services, 'accountStores' | 'settings'>,
  requests: readonly TranslationRequest[],
  keys: readonly string[],
): Promise<LookedUp> {
  const { settings } = services;
  const [known, gates, prefetched] = await Promise.all([
    keys.length > 0 ? selectJobsByKeys(tx, keys, settings.STALE_PENDING_SECONDS) : undefined,
    readGates(tx, services),
    prefetch(tx, requests),
  ]);
  return { known, gates, prefetched };
}
