import type { Tx } from '#db/client.ts';
import type { WithTenant } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { type BilledTenant, readBilledTenant } from '#server/metering/service.ts';
import type { Settings } from '#server/settings.ts';
import { admitSeries, isWork, itemsOf } from './admit-series.ts';
import { selectJobsByKeys } from './insert-jobs.ts';
import type { StoredJob } from './jobs.ts';
import { type LookedUp, lookUp } from './leverage/prefetch.ts';
import type { TranslationJob, TranslationRequest } from './schema.ts';
import { runSeries, type Series } from './series.ts';

export interface Submission {
  jobs: TranslationJob[];
  /** True where earlier submissions with the same keys answered, and no work was done. */
  replayed: boolean;
}

/** Gate (1) of B 4.1: the kill switch, which answers before anything else is looked at. */
export function requireTranslationEnabled({ settings }: Services): void {
  if (!settings.TRANSLATION_ENABLED)
    throw new AppError('capability_off', 'translation is temporarily disabled');
}

/**
 * Translates texts inline, one after the other: gates (3) to (7) of B 4.1 in their order, then the pipeline and the
 * stored result of each. Model calls stand between short transactions, never inside one. `requests` have passed gate
 * (2).
 */
export async function submit(
  services: Services,
  withTenant: WithTenant,
  requests: TranslationRequest[],
): Promise<Submission> {
  const { settings } = services;
  const keys = requests.flatMap(({ idempotency_key: key }) => key ?? []);
  const admitted = await withTenant(
    // The one transaction in which the caller was authenticated (gate 4).
    async (tx, principal, found: Found): Promise<Series | Submission> => {
      const items = itemsOf(requests, found.known, settings);
      // Gate (3): what starts no work is answered before every gate that could refuse it.
      if (!items.some(isWork))
        return { jobs: items.flatMap(({ known }) => known?.job ?? []), replayed: true };
      const caller = { ...principal.tenant, credential: principal.kind };
      // Gates (5) to (7), over the whole series, before its first job.
      const { run, refusal } = await admitSeries(tx, settings, caller, found.tenant, items);
      if (refusal && keys.length === 0) throw refusal;
      return { caller, items, first: run, found: found.leverage };
    },
    // What travels before the caller is believed: a key belongs to a tenant, and only it sees the answer.
    async (tx) => readEarly(tx, requests, keys, settings),
  );
  if ('jobs' in admitted) return admitted;
  const { jobs, ran } = await services.backgroundWork.track(runSeries(services, admitted));
  return { jobs, replayed: !ran };
}

/** What the gates need to know of the tenant: the jobs of the keys, and how it stands with billing. */
interface Found {
  known: Map<string, StoredJob> | undefined;
  tenant: BilledTenant | undefined;
  leverage: LookedUp;
}

async function readEarly(
  tx: Tx,
  requests: readonly TranslationRequest[],
  keys: readonly string[],
  settings: Settings,
): Promise<Found> {
  const [known, tenant, leverage] = await Promise.all([
    keys.length > 0 ? selectJobsByKeys(tx, keys, settings.STALE_PENDING_SECONDS) : undefined,
    readBilledTenant(tx, settings),
    lookUp(tx, requests),
  ]);
  return { known, tenant, leverage };
}
