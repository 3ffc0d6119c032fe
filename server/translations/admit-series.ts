import type { Tx } from '#db/client.ts';
import type { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import {
  type BilledTenant,
  checkEntitlement,
  countCharacters,
  lockAdmissions,
  weighCharacters,
} from '#server/metering/service.ts';
import type { Settings } from '#server/settings.ts';
import { isReplayable } from './idempotency.ts';
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

/** A source text's length: Unicode code points, and what they count as (A 8.1). */
export interface Weight {
  sourceChars: number;
  billableChars: number;
}

/** A run to do. */
export interface Run {
  tenantId: string;
  request: TranslationRequest;
  admitted: Admitted;
  weight: Weight;
  /** Whether the trial grant pays for it. */
  onTrial: boolean;
  /** Whether its end has to look if it took prepaid characters. */
  drawsTopUp: boolean;
}

/** Whose work it is, and by what it was asked for. */
export interface SeriesCaller {
  id: string;
  name: string;
  credential: 'session' | 'api_key';
}

/** One request of a series: the job that its key has already, or the work to do. */
export interface SeriesItem {
  request: TranslationRequest;
  known: StoredJob | undefined;
  /** Null where the known job answers by itself, and there is no work. */
  weight: Weight | null;
}

/** An item that has work to do. */
export type WorkItem = SeriesItem & { weight: Weight };

/**
 * Reads the items of a series against the jobs that their keys have.
 * @throws AppError 422 where a stored request is to run again whose model is not offered any more
 */
export function planItems(
  requests: readonly TranslationRequest[],
  known: ReadonlyMap<string, StoredJob> | undefined,
  settings: Settings,
): SeriesItem[] {
  return requests.map((submitted) => {
    const job = submitted.idempotency_key ? known?.get(submitted.idempotency_key) : undefined;
    if (job && isReplayable(job)) return { request: submitted, known: job, weight: null };
    // A re-run does the work that was asked for first, as its stored job says.
    const request = job?.job.request ?? submitted;
    if (job) requireAllowedModels(request.metadata, settings);
    const sourceChars = countCharacters(request.source_text);
    const { source_lang: from, target_lang: to } = request;
    const weight = {
      sourceChars,
      billableChars: weighCharacters(sourceChars, from, to, settings.DENSE_SCRIPT_WEIGHT),
    };
    return { request, known: job, weight };
  });
}

export function isWork(item: SeriesItem): item is WorkItem {
  return item.weight !== null;
}

/** What became of a series at its gates: neither a run nor a refusal where another submission came first. */
export interface Admittance {
  run: Run | undefined;
  /**
   * That the work does not fit what the tenant has left. Of keyed work it is to be believed after another look at the keys: a
   * twin that came between the look-up and the turn may have reserved what is missing, and answers this submission.
   */
  refusal: AppError | null;
}

/**
 * Admits a series whole, by the sum of its work (C 7): gates (5) to (7) of B 4.1, in their order, over all of it, then its
 * first job, which reserves that sum. `items` have work among them. It is the transaction's last statement. The unique key
 * decides between concurrent submissions, not the look-up.
 * @throws AppError 402, for what nothing has to be counted for
 */
export async function admitSeries(
  tx: Tx,
  settings: Settings,
  caller: SeriesCaller,
  tenant: BilledTenant | undefined,
  items: readonly SeriesItem[],
): Promise<Admittance> {
  const work = items.filter(isWork);
  const [first] = work as [WorkItem];
  const reserved = reservationOf(work);
  const keys = items.flatMap(({ request }) => request.idempotency_key ?? []);
  const chars = reserved.reservedChars + reserved.reservedRestChars;
  const asked = { kind: 'text', credential: caller.credential, chars } as const;
  const entitlement = checkEntitlement(settings, tenant, asked, keys);
  const locked = lockAdmissions(tx, caller.id);
  const { known } = first;
  const counting = known
    ? readmitJob(tx, restartOf(caller, known, reserved, settings), entitlement.limits)
    : admitJob(tx, newJob(caller, first, reserved), entitlement.limits);
  const [[counted]] = await Promise.all([tx.last(counting), locked]);
  if (!counted?.admitted)
    return { run: undefined, refusal: counted ? entitlement.refusal(counted.usage) : null };
  const { onTrial } = entitlement;
  const drawsTopUp = entitlement.drawsTopUp(counted.usage);
  return { run: runOf(caller, first, counted.admitted, { onTrial, drawsTopUp }), refusal: null };
}

/**
 * Makes the job of an item that follows in an admitted series, which takes the reservation over. Undefined where another
 * submission with its key came first. It leaves at once.
 */
export async function admitNext(
  tx: Tx,
  settings: Settings,
  caller: SeriesCaller,
  work: readonly WorkItem[],
  terms: Pick<Run, 'onTrial' | 'drawsTopUp'>,
): Promise<Run | undefined> {
  const [item] = work as [WorkItem];
  const { known } = item;
  const reserved = reservationOf(work);
  const [admitted] = await (known
    ? restartJob(tx, restartOf(caller, known, reserved, settings))
    : insertJob(tx, newJob(caller, item, reserved)));
  return admitted && runOf(caller, item, admitted, terms);
}

/** Of the first one's job: its own weight, and that of the rest. */
type Reservation = Pick<NewJob, 'reservedChars' | 'reservedRestChars'>;

function reservationOf(work: readonly WorkItem[]): Reservation {
  const [first, ...rest] = work.map(({ weight }) => weight.billableChars) as [number, ...number[]];
  return { reservedChars: first, reservedRestChars: rest.reduce((sum, chars) => sum + chars, 0) };
}

/** The row of a new job. */
function newJob(caller: SeriesCaller, { request }: WorkItem, reserved: Reservation): NewJob {
  return { tenantId: caller.id, jobId: newId(), request: namingTenant(request, caller), ...reserved };
}

/** The job of a known key, to be run again. */
function restartOf(
  { id }: SeriesCaller,
  { job }: StoredJob,
  reserved: Reservation,
  { STALE_PENDING_SECONDS: staleSeconds }: Settings,
): Restart {
  return { tenantId: id, jobId: job.id, staleSeconds, ...reserved };
}

function runOf(
  caller: SeriesCaller,
  { request, known, weight }: WorkItem,
  admitted: Admitted,
  { onTrial, drawsTopUp }: Pick<Run, 'onTrial' | 'drawsTopUp'>,
): Run {
  const named = known ? request : namingTenant(request, caller);
  return { tenantId: caller.id, request: named, admitted, weight, onTrial, drawsTopUp };
}

/** B 2.6: the server writes whose job it is. */
function namingTenant(request: TranslationRequest, { id, name }: SeriesCaller): TranslationRequest {
  return { ...request, metadata: { ...request.metadata, tenant: { id, name } } };
}
