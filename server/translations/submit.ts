import type { Tx } from '#db/client.ts';
import type { WithTenant } from '#server/access/guards/tenant.ts';
import { type BilledTenant, readBilledTenant } from '#server/metering/entitlement.ts';
import type { Settings } from '#server/settings.ts';
import { admitSeries, isWork, planItems } from './admit-series.ts';
import { selectJobsByKeys } from './idempotency.ts';
import type { StoredJob } from './jobs.ts';
import { type Prefetched, prefetch } from './leverage/prefetch.ts';
import type { RunServices } from './run-job.ts';
import type { TranslationJob, TranslationRequest } from './schema.ts';
import { runSeries, type Series } from './series.ts';

export interface Submission {
  jobs: TranslationJob[];
  /** True if all jobs come from earlier submissions with the same keys, and none was run. */
  replayed: boolean;
}

/**
 * Translates texts one after the other and returns their jobs. Applies gates (3) to (7) of B 4.1, then runs the pipeline and stores the
 * result of each. Models are called between transactions, never inside one.
 * @param requests have passed gate (2), `checkRequest`
 * @throws AppError 401, 402, 422, 429, 5xx as B 7 says
 */
export async function submit(
  services: RunServices,
  withTenant: WithTenant,
  requests: TranslationRequest[],
): Promise<Submission> {
  const { settings } = services;
  const keys = requests.flatMap(({ idempotency_key: key }) => key ?? []);
  const admitted = await withTenant(
    // The transaction that authenticated the caller (gate 4).
    async (tx, principal, looked: LookedUp): Promise<Series | Submission> => {
      const items = planItems(requests, looked.known, settings);
      // Gate (3): a full replay is returned before any gate that could refuse work.
      if (!items.some(isWork))
        return { jobs: items.flatMap(({ known }) => known?.job ?? []), replayed: true };
      const caller = { ...principal.tenant, credential: principal.kind };
      // Gates (5) to (7), over the whole series.
      const { run, refusal } = await admitSeries(tx, settings, caller, looked.tenant, items);
      // With keys, `runSeries` looks again: a concurrent duplicate may account for the usage.
      if (refusal && keys.length === 0) throw refusal;
      return { caller, items, firstRun: run, prefetched: looked.prefetched };
    },
    // Sent before the caller is authenticated; only the tenant's own transaction reads the result.
    async (tx) => lookUp(tx, requests, keys, settings),
  );
  if ('jobs' in admitted) return admitted;
  const { jobs, ran } = await services.backgroundWork.track(runSeries(services, admitted));
  return { jobs, replayed: !ran };
}

/** What the gates and the pipeline need to know of the tenant. */
interface LookedUp {
  /** By idempotency key; undefined without keys. */
  known: Map<string, StoredJob> | undefined;
  tenant: BilledTenant | undefined;
  prefetched: Prefetched;
}

async function lookUp(
  tx: Tx,
  requests: readonly TranslationRequest[],
  keys: readonly string[],
  settings: Settings,
): Promise<LookedUp> {
  const [known, tenant, prefetched] = await Promise.all([
    keys.length > 0 ? selectJobsByKeys(tx, keys, settings.STALE_PENDING_SECONDS) : undefined,
    readBilledTenant(tx, settings),
    prefetch(tx, requests),
  ]);
  return { known, tenant, prefetched };
}
