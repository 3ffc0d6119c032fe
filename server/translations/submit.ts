import type { EnterTenant } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { admitRun, answersReplay } from './admit.ts';
import { selectJobsByKeys } from './queries/admission.ts';
import type { StoredJob } from './queries/rows.ts';
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
  enter: EnterTenant,
  requests: TranslationRequest[],
): Promise<Submission> {
  const stale = services.settings.STALE_PENDING_SECONDS;
  const keys = requests.flatMap(({ idempotency_key: key }) => key ?? []);
  const admitted = await enter(
    // The one transaction in which the caller was authenticated (gate 4).
    async (tx, principal, known: Map<string, StoredJob> | undefined): Promise<Series | Submission> => {
      const items = requests.map((request) => ({
        request,
        known: request.idempotency_key ? known?.get(request.idempotency_key) : undefined,
      }));
      const work = items.find((item) => !item.known || !answersReplay(item.known));
      // Gate (3): what starts no work is answered before every gate that could refuse it.
      if (!work) return { jobs: items.flatMap((item) => item.known?.job ?? []), replayed: true };
      // Gates (5) to (7), subscription, allowance and storage, belong here: over the whole series, before its first job.
      const first = await admitRun(tx, principal.tenant, work.request, work.known, stale, tx.last);
      return { tenant: principal.tenant, items, first };
    },
    // Gate (3)'s look-up travels before the caller is believed: a key belongs to a tenant, and only it sees the answer.
    async (tx) => (keys.length > 0 ? selectJobsByKeys(tx, keys, stale) : undefined),
  );
  if ('jobs' in admitted) return admitted;
  const { jobs, ran } = await services.underWay.track(runSeries(services, admitted));
  return { jobs, replayed: !ran };
}
