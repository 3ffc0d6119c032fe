import type { Tx } from '#db/client.ts';
import { lockAdmissions } from '#server/billing/metering/committed-usage.ts';
import {
  type BilledTenant,
  checkEntitlement,
  readBilledTenant,
} from '#server/billing/metering/entitlement.ts';
import { weighCharacters } from '#server/billing/metering/weight.ts';
import type { Services } from '#server/context.ts';
import type { AppError } from '#server/errors.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { requestDiffers } from '#server/http/request-fingerprint.ts';
import type { Warning } from '#server/http/warnings.ts';
import { newId } from '#server/platform/ids.ts';
import type { Settings } from '#server/settings.ts';
import { storageRefusalIn } from '#server/storage/destination.ts';
import { isReplayable, requestFingerprint } from './idempotency.ts';
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
  /** The pending job of the item, if it was admitted before the series began. It reserves its own characters. */
  admitted?: Admitted;
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

/**
 * The result of admission. If it has neither a run nor an error, a concurrent submission inserted the job of the key
 * first.
 */
export interface Admittance {
  run: Run | undefined;
  /**
   * The error if the work exceeds the tenant's allowance. With idempotency keys, look up the keys again before throwing
   * it: a concurrent request with the same keys may have reserved the missing characters.
   */
  refusal: AppError | null;
}

/**
 * Admits a series as a whole: applies the gates for payment, storage and allowance to the sum of its work, then inserts
 * its first job, which reserves that sum. Sends the last statement of the transaction. If two submissions with the same
 * key are concurrent, the unique index of keys decides which one inserts the job, not the look-up.
 * @param items at least one has work
 * @throws AppError 402 if the subscription does not pay for the work, before usage is counted; 409
 *   storage_binding_not_verified after usage was counted: the caller's transaction, with its inserts, is rolled back
 */
export async function admitSeries(
  tx: Tx,
  settings: Settings,
  caller: SeriesCaller,
  { tenant, storageRefusal }: Gates,
  items: readonly SeriesItem[],
): Promise<Admittance> {
  const work = items.filter(isWork);
  const [first] = work as [WorkItem];
  const reserved = reservationOf(work);
  const keys = items.flatMap(({ request }) => request.idempotency_key ?? []);
  const chars = billableCharsOf(items);
  const asked = { kind: 'text', credential: caller.credential, chars } as const;
  const entitlement = checkEntitlement(settings, tenant, asked, keys);
  const locked = lockAdmissions(tx, caller.id);
  const { known } = first;
  const counting = known
    ? readmitJob(tx, restartOf(caller, known, reserved, settings), entitlement.limits)
    : admitJob(tx, newJob(caller, first, reserved), entitlement.limits);
  // If no error can follow, COMMIT is sent together with the statement.
  const [[counted]] = await Promise.all([storageRefusal ? counting : tx.last(counting), locked]);
  if (!counted?.admitted)
    return { run: undefined, refusal: counted ? entitlement.refusal(counted.usage) : null };
  if (storageRefusal) throw storageRefusal;
  const { onTrial } = entitlement;
  const drawsTopUp = entitlement.drawsTopUp(counted.usage);
  return { run: runOf(caller, first, counted.admitted, { onTrial, drawsTopUp }), refusal: null };
}

/** The jobs of a series that workers will run. */
export interface Queued {
  jobs: Admitted[];
  terms: Pick<Run, 'onTrial' | 'drawsTopUp'>;
}

/** Thrown to roll back an admission, because a concurrent submission has inserted the job of a key first. */
export class JobTaken extends Error {}

/**
 * Admits a series like `admitSeries`, for workers to run it: all its jobs are inserted as pending, and each reserves its
 * own characters. The statements of the caller may follow in the same transaction.
 * @returns the jobs of the items with work; undefined if a concurrent submission inserted the job of the first key
 * @throws JobTaken if one inserted the job of a later key; the errors of `admitSeries`
 */
export async function admitQueued(
  tx: Tx,
  settings: Settings,
  caller: SeriesCaller,
  { tenant, storageRefusal }: Gates,
  items: readonly SeriesItem[],
): Promise<{ queued: Queued | undefined; refusal: AppError | null }> {
  const [first, ...others] = items.filter(isWork) as [WorkItem, ...WorkItem[]];
  const keys = items.flatMap(({ request }) => request.idempotency_key ?? []);
  const chars = billableCharsOf(items);
  const entitlement = checkEntitlement(
    settings,
    tenant,
    { kind: 'text', credential: caller.credential, chars },
    keys,
  );
  const own = (item: WorkItem) => reservationOf([item]);
  const locked = lockAdmissions(tx, caller.id, { isDurable: true });
  const counting = first.known
    ? readmitJob(tx, restartOf(caller, first.known, own(first), settings, true), entitlement.limits)
    : admitJob(tx, newJob(caller, first, own(first), true), entitlement.limits);
  const [[counted]] = await Promise.all([counting, locked]);
  if (!counted?.admitted)
    return { queued: undefined, refusal: counted ? entitlement.refusal(counted.usage) : null };
  if (storageRefusal) throw storageRefusal;
  const rest = await Promise.all(
    others.map(async (item) => {
      const [job] = await (item.known
        ? restartJob(tx, restartOf(caller, item.known, own(item), settings, true))
        : insertJob(tx, newJob(caller, item, own(item), true)));
      if (!job) throw new JobTaken('the job of a later item already exists');
      return job;
    }),
  );
  const terms = { onTrial: entitlement.onTrial, drawsTopUp: entitlement.drawsTopUp(counted.usage) };
  return { queued: { jobs: [counted.admitted, ...rest], terms }, refusal: null };
}

/**
 * Inserts the next job of an admitted series, which takes over the series' reservation. The statement is sent
 * immediately.
 * @returns undefined if a concurrent submission inserted the job of this key first
 */
export async function admitNext(
  tx: Tx,
  settings: Settings,
  caller: SeriesCaller,
  work: readonly WorkItem[],
  terms: Pick<Run, 'onTrial' | 'drawsTopUp'>,
): Promise<Run | undefined> {
  const [item] = work as [WorkItem];
  if (item.admitted) return runOf(caller, item, item.admitted, terms);
  const { known } = item;
  const reserved = reservationOf(work);
  const [admitted] = await (known
    ? restartJob(tx, restartOf(caller, known, reserved, settings))
    : insertJob(tx, newJob(caller, item, reserved)));
  return admitted && runOf(caller, item, admitted, terms);
}

/**
 * Returns the runs of items that already have results. If their jobs do not exist yet, `insertFinished` inserts them in the
 * transaction that stores the results. They have the creation time of the series' current job, and ids in their order.
 */
export function runsAfter(caller: SeriesCaller, current: Run, items: readonly WorkItem[]): Run[] {
  const ids = items.map(newId).sort();
  const { createdAt } = current.admitted;
  return items.map((item, index) =>
    runOf(caller, item, item.admitted ?? { jobId: ids[index] as string, attempt: 1, createdAt }, current),
  );
}

/**
 * Inserts the job of a run from `runsAfter`. The statement is sent immediately.
 * @returns false if a concurrent submission inserted the job of this key first
 */
export async function insertFinished(
  tx: Tx,
  caller: SeriesCaller,
  item: WorkItem,
  { admitted: { jobId, createdAt } }: Run,
): Promise<boolean> {
  if (item.admitted) return true;
  const inserted = await insertJob(tx, { ...newJob(caller, item, reservationOf([item])), jobId, createdAt });
  return inserted.length > 0;
}

/** The reservation of the first job: its own weight, and the weight of the rest of the series. */
type Reservation = Pick<NewJob, 'reservedChars' | 'reservedRestChars' | 'reservedRestJobs'>;

function reservationOf(work: readonly WorkItem[]): Reservation {
  const [first, ...rest] = work.map(({ weight }) => weight.billableChars) as [number, ...number[]];
  const reservedRestChars = rest.reduce((sum, chars) => sum + chars, 0);
  return { reservedChars: first, reservedRestChars, reservedRestJobs: rest.length };
}

function newJob(
  caller: SeriesCaller,
  { request, fingerprint, warnings }: WorkItem,
  reserved: Reservation,
  queued = false,
): NewJob {
  return {
    tenantId: caller.id,
    jobId: newId(),
    request: namingTenant(request, caller),
    requestFingerprint: fingerprint,
    warnings,
    queued,
    ...reserved,
  };
}

/** Returns the input for running the stored job of a key again. */
function restartOf(
  { id }: SeriesCaller,
  { job }: StoredJob,
  reserved: Reservation,
  { STALE_PENDING_SECONDS: staleSeconds }: Settings,
  queued = false,
): Restart {
  return { tenantId: id, jobId: job.id, staleSeconds, queued, ...reserved };
}

export function runOf(
  caller: SeriesCaller,
  { request, warnings, known, weight }: WorkItem,
  admitted: Admitted,
  { onTrial, drawsTopUp }: Pick<Run, 'onTrial' | 'drawsTopUp'>,
): Run {
  const { id: tenantId, submittedBy } = caller;
  const named = known ? request : namingTenant(request, caller);
  return { tenantId, request: named, warnings, admitted, weight, onTrial, drawsTopUp, submittedBy };
}

/** Adds the tenant's id and name to the request's metadata. A caller cannot set them. */
function namingTenant(request: TranslationRequest, { id, name }: SeriesCaller): TranslationRequest {
  return { ...request, metadata: { ...request.metadata, tenant: { id, name } } };
}
