import type { Tx } from '#db/client.ts';
import { lockAdmissions } from '#server/billing/metering/committed-usage.ts';
import {
  type BilledTenant,
  checkEntitlement,
  readBilledTenant,
} from '#server/billing/metering/entitlement.ts';
import { weighCharacters } from '#server/billing/metering/weight.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { requestDiffers } from '#server/http/request-fingerprint.ts';
import type { Warning } from '#server/http/warnings.ts';
import { newId } from '#server/platform/ids.ts';
import type { Settings } from '#server/settings.ts';
import { storageRefusalIn } from '#server/storage/destination.ts';
import type { Prefetched } from '#server/translation/leverage/leverage.ts';
import { isReplayable, requestFingerprint, selectJobsByKeys, stateOfJobs } from './idempotency.ts';
import {
  type Admitted,
  admitJob,
  insertJob,
  type NewJob,
  type Restart,
  readmitJob,
  restartJob,
} from './insert-jobs.ts';
import { requireAllowedModels } from './intake/check-request.ts';
import type { StoredJob } from './jobs.ts';
import type { TranslationRequest } from './schema.ts';

/** The length of a source text, in Unicode code points and in billable characters. */
export interface Weight {
  sourceChars: number;
  billableChars: number;
}

/** An admitted run of one job. */
export interface Run {
  tenantId: string;
  /** Whether the job existed before: it failed or became stale in an earlier run. */
  isRepeated: boolean;
  request: TranslationRequest;
  warnings: Warning[];
  admitted: Admitted;
  weight: Weight;
  /** Whether the trial grant pays for the run. */
  onTrial: boolean;
  /** Whether the run's completion must charge the prepaid balance. */
  drawsTopUp: boolean;
  /** See `submitterOf`. */
  submittedBy: string;
}

/** The caller that submitted a series: the tenant, the kind of credential and the request. */
export interface SeriesCaller {
  id: string;
  name: string;
  credential: 'session' | 'api_key';
  /** See `submitterOf`. */
  submittedBy: string;
  /** ID of the request, for the log. */
  requestId: string;
}

/** A checked request, with the warnings for the caller. */
export interface Submitted {
  request: TranslationRequest;
  warnings: Warning[];
}

/** One request of a series, with the existing job of its idempotency key. */
export interface SeriesItem extends Submitted {
  /**
   * The fingerprint of the submitted request, even if the existing job runs again with its stored request; null without
   * a key.
   */
  fingerprint: Uint8Array | null;
  /** Whether the existing job was created by a different request with the same key. */
  differs: boolean;
  known: StoredJob | undefined;
  /** The weight of the text; null if the existing job is returned unchanged. */
  weight: Weight | null;
}

/** An item that has to run. */
export type WorkItem = SeriesItem & { weight: Weight };

/**
 * Combines the requests of a series with the existing jobs of their keys, and weighs the texts that have to run.
 * @throws AppError 422 if a stored request has to run again and its model is no longer allowed
 */
export function planItems(
  requests: readonly (Submitted & { fingerprint?: Uint8Array | null })[],
  known: ReadonlyMap<string, StoredJob> | undefined,
  settings: Settings,
): SeriesItem[] {
  return requests.map((submitted) => {
    const job = submitted.request.idempotency_key ? known?.get(submitted.request.idempotency_key) : undefined;
    const { fingerprint = requestFingerprint(submitted.request) } = submitted;
    const differs = requestDiffers(job?.requestFingerprint ?? null, fingerprint);
    if (job && isReplayable(job)) return { ...submitted, fingerprint, differs, known: job, weight: null };
    // If a job runs again, its run uses the request with which the job was created.
    const { request, warnings } = job?.job ?? submitted;
    if (job) requireAllowedModels(request.metadata, settings);
    const sourceChars = countCodePoints(request.source_text);
    const { source_lang: from, target_lang: to } = request;
    const weight = {
      sourceChars,
      billableChars: weighCharacters(sourceChars, from, to, settings.DENSE_SCRIPT_WEIGHT),
    };
    return { request, warnings, fingerprint, differs, known: job, weight };
  });
}

export function isWork(item: SeriesItem): item is WorkItem {
  return item.weight !== null;
}

/** Returns the billable characters of the items that have to run. */
export function billableCharsOf(items: readonly SeriesItem[]): number {
  return items.filter(isWork).reduce((sum, { weight }) => sum + weight.billableChars, 0);
}

/** Data about the tenant for the gates of payment, storage and allowance. */
export interface Gates {
  tenant: BilledTenant | undefined;
  /**
   * The reason why the tenant's own storage cannot be used; null if it can be used, or if the tenant uses platform
   * storage.
   */
  storageRefusal: AppError | null;
}

/**
 * Reads the state for the gates, for the tenant to which the transaction is limited. The statements are sent
 * immediately.
 */
export async function readGates(
  tx: Tx,
  services: Pick<Services, 'accountStores' | 'settings'>,
): Promise<Gates> {
  const [tenant, storageRefusal] = await Promise.all([
    readBilledTenant(tx, services.settings),
    storageRefusalIn(tx, services),
  ]);
  return { tenant, storageRefusal };
}

/** An admitted series. All its jobs exist, and each reserves its own characters. */
export interface AdmittedSeries {
  caller: SeriesCaller;
  items: readonly SeriesItem[];
  /** The run of each item; undefined if the item's existing job is returned. */
  runs: readonly (Run | undefined)[];
  /** The tenant's glossary revision and TM matches when the series was submitted. */
  prefetched: Prefetched;
}

/** Thrown to roll back an admission, because a concurrent submission has inserted or restarted the job of a key first. */
class JobTaken extends Error {}

/**
 * Admits a series as a whole: applies the gates for payment, storage and allowance to the sum of its work, then inserts
 * its jobs as pending. Each reserves its own characters. If two submissions with the same key are concurrent, the unique
 * index of keys decides which one inserts the job, not the look-up.
 * @param items at least one has work
 * @param queued whether workers will run the jobs. Otherwise no statement may follow in the transaction.
 * @returns `runs`: the runs of the items with work; undefined if a concurrent submission has the first job.
 *   `refusal`: the error if the work exceeds the tenant's allowance. With idempotency keys, look up the keys again before
 *   throwing it: a concurrent request with the same keys may have reserved the missing characters
 * @throws AppError 402 if the subscription does not pay for the work, before usage is counted; 409
 *   storage_binding_not_verified after usage was counted: the caller's transaction, with its inserts, is rolled back
 * @throws JobTaken if a concurrent submission has a later job
 */
export async function admitSeries(
  tx: Tx,
  settings: Settings,
  caller: SeriesCaller,
  { tenant, storageRefusal }: Gates,
  items: readonly SeriesItem[],
  { queued }: { queued: boolean },
): Promise<{ runs: Run[] | undefined; refusal: AppError | null }> {
  const work = items.filter(isWork);
  const [first, ...others] = work as [WorkItem, ...WorkItem[]];
  const keys = items.flatMap(({ request }) => request.idempotency_key ?? []);
  const chars = billableCharsOf(items);
  const asked = { kind: 'text', credential: caller.credential, chars } as const;
  const entitlement = checkEntitlement(settings, tenant, asked, keys);
  const [firstId, ...ids] = work.map(newId).sort() as [string, ...string[]];
  const again = ({ job }: StoredJob, { weight }: WorkItem): Restart => ({
    tenantId: caller.id,
    jobId: job.id,
    staleSeconds: settings.STALE_PENDING_SECONDS,
    queued,
    reservedChars: weight.billableChars,
  });
  const locked = lockAdmissions(tx, caller.id, { isDurable: queued });
  const counting = first.known
    ? readmitJob(tx, again(first.known, first), entitlement.limits)
    : admitJob(tx, newJob(caller, first, firstId, queued), entitlement.limits);
  // If neither an error nor a statement can follow, COMMIT is sent together with the statement.
  const isLast = others.length === 0 && !queued && !storageRefusal;
  const [[counted]] = await Promise.all([isLast ? tx.last(counting) : counting, locked]);
  if (!counted?.admitted)
    return { runs: undefined, refusal: counted ? entitlement.refusal(counted.usage) : null };
  if (storageRefusal) throw storageRefusal;
  const admitted = await Promise.all(
    others.map(async (item, index) => {
      const [job] = await (item.known
        ? restartJob(tx, again(item.known, item))
        : insertJob(tx, newJob(caller, item, ids[index] as string, queued)));
      if (!job) throw new JobTaken('a concurrent submission has the job of a later item');
      return job;
    }),
  );
  const terms = { onTrial: entitlement.onTrial, drawsTopUp: entitlement.drawsTopUp(counted.usage) };
  const runs = [counted.admitted, ...admitted].map((job, index) =>
    runOf(caller, work[index] as WorkItem, job, terms),
  );
  return { runs, refusal: null };
}

/**
 * Looks up the keys of items and admits them through all gates, in a separate transaction. Repeats this while concurrent
 * submissions change the jobs of the keys.
 * @param complete sends further statements of the transaction
 * @returns the items as they are now, their runs (none if no item has work any longer), and the result of `complete`
 * @throws AppError 402, 409, 429; 503 transient_error if the jobs of the keys keep changing
 */
export async function admitInTransaction<T>(
  services: Pick<Services, 'accountStores' | 'database' | 'settings'>,
  caller: SeriesCaller,
  submitted: readonly SeriesItem[],
  { queued }: { queued: boolean },
  complete?: (tx: Tx, runs: readonly Run[]) => Promise<T>,
): Promise<{ items: readonly SeriesItem[]; runs: Run[]; completed?: T | undefined }> {
  const { database, settings } = services;
  const keys = submitted.flatMap(({ request }) => request.idempotency_key ?? []);
  let refusedAt: string | undefined;
  for (let attempt = 0; attempt < 8; attempt++) {
    const deciding = database.inTenant(caller.id, async (tx) => {
      const [known, gates] = await Promise.all([
        keys.length > 0 ? selectJobsByKeys(tx, keys, settings.STALE_PENDING_SECONDS) : undefined,
        readGates(tx, services),
      ]);
      const items = planItems(submitted, known, settings);
      if (!items.some(isWork)) return { items, runs: [] };
      const { runs, refusal } = await admitSeries(tx, settings, caller, gates, items, { queued });
      if (refusal) return { refusal, jobs: stateOfJobs(known) };
      return runs && { items, runs, completed: await complete?.(tx, runs) };
    });
    const result = await deciding.catch((error: unknown) => {
      if (!(error instanceof JobTaken)) throw error;
    });
    if (!result) continue;
    if (!('refusal' in result)) return result;
    // Throw the error only if the jobs were the same in both reads; otherwise a concurrent request with the same keys
    // may have caused the usage.
    if (keys.length === 0 || result.jobs === refusedAt) throw result.refusal;
    refusedAt = result.jobs;
  }
  throw new AppError(
    'transient_error',
    'the job of this Idempotency-Key was changed by other requests at the same time; try again',
  );
}

function newJob(
  caller: SeriesCaller,
  { request, fingerprint, warnings, weight }: WorkItem,
  jobId: string,
  queued: boolean,
): NewJob {
  return {
    tenantId: caller.id,
    jobId,
    request: namingTenant(request, caller),
    requestFingerprint: fingerprint,
    warnings,
    queued,
    reservedChars: weight.billableChars,
  };
}

export function runOf(
  caller: SeriesCaller,
  { request, warnings, known, weight }: WorkItem,
  admitted: Admitted,
  { onTrial, drawsTopUp }: Pick<Run, 'onTrial' | 'drawsTopUp'>,
): Run {
  const { id: tenantId, submittedBy } = caller;
  const named = known ? request : namingTenant(request, caller);
  const isRepeated = known !== undefined;
  return {
    tenantId,
    isRepeated,
    request: named,
    warnings,
    admitted,
    weight,
    onTrial,
    drawsTopUp,
    submittedBy,
  };
}

/** Adds the tenant's id and name to the request's metadata. A caller cannot set them. */
function namingTenant(request: TranslationRequest, { id, name }: SeriesCaller): TranslationRequest {
  return { ...request, metadata: { ...request.metadata, tenant: { id, name } } };
}
