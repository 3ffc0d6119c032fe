import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { toAppError } from '#server/errors.ts';
import { addJob, type TaskPayloads } from '#server/platform/job-queue.ts';
import { prefetch } from '#server/translation/leverage/leverage.ts';
import { RunError } from '#server/translation/pipeline/text-run.ts';
import {
  admitInTransaction,
  planItems,
  type Run,
  runOf,
  type SeriesCaller,
  type SeriesItem,
  type WorkItem,
} from './admit-series.ts';
import { type JobRow, jobOfRow } from './jobs.ts';
import type { TranslationJob } from './schema.ts';
import { mayBeRetried, type RunServices, runSeries } from './series.ts';

/*
 * The series of an asynchronous request (`Prefer: respond-async`). Its jobs exist as soon as it is admitted. A task of the
 * workers runs them in order; the queue runs the task again if the worker dies.
 */

/** Seconds of one run of the task. */
const runSeconds = 600;
/** Maximum runs of a job whose runs fail by errors that may not occur again. The pauses between them grow. */
const maxRuns = 6;

/**
 * Admits a series for workers, and returns its jobs. Existing jobs of the keys are returned as they are.
 * @throws AppError 402, 409, 429; 503 transient_error if the jobs of the keys keep changing
 */
export async function queueSeries(
  services: RunServices,
  caller: SeriesCaller,
  submitted: readonly SeriesItem[],
): Promise<{ jobs: TranslationJob[]; items: readonly SeriesItem[]; isNew: boolean }> {
  const { items, completed } = await admitInTransaction(
    services,
    caller,
    submitted,
    { queued: true },
    async (tx, runs) => {
      const { credential, submittedBy, requestId } = caller;
      const { onTrial, drawsTopUp } = runs[0] as Run;
      const jobs = runs.map(({ admitted: { jobId: id, attempt } }) => ({ id, attempt }));
      const terms = { onTrial, drawsTopUp, credential, submittedBy, requestId };
      const pending = await countPending(tx, caller.id);
      await addJob(
        tx,
        'run_texts',
        { tenantId: caller.id, jobs, ...terms },
        { priority: Math.max(pending - jobs.length, 0) },
      );
      return selectRows(
        tx,
        caller.id,
        jobs.map(({ id }) => id),
      );
    },
  );
  const added = [...(completed ?? [])];
  const jobs = items.flatMap((item) => (item.weight === null ? item.known?.job : jobOf(added.shift())) ?? []);
  return { jobs, items, isNew: completed !== undefined };
}

/** The last priority. If a tenant has more pending jobs than this, its last series all have this priority. */
const lastPriority = 1000;

/**
 * Counts the tenant's pending jobs, up to `lastPriority`. A series runs after those of tenants that had fewer: the texts of
 * one tenant do not delay the first one of another.
 */
async function countPending(tx: Tx, tenantId: string): Promise<number> {
  const [row] = await tx.execute<{ pending: number }>(sql`
    select count(*)::int as pending from (select from ${translationJobs}
      where ${translationJobs.tenantId} = ${tenantId} and ${translationJobs.status} = 'pending'
      limit ${lastPriority}::int) counted`);
  return row?.pending ?? 0;
}

const jobOf = (row: JobRow | undefined) => row && jobOfRow(row);

/** Returns the rows of jobs in the order of their IDs, without those that do not exist. */
async function selectRows(tx: Tx, tenantId: string, ids: readonly string[]): Promise<JobRow[]> {
  return inOrder(await tx.select().from(translationJobs).where(among(tenantId, ids)), ids);
}

function inOrder(rows: readonly JobRow[], ids: readonly string[]): JobRow[] {
  return ids.flatMap((id) => rows.find(({ jobId }) => jobId === id) ?? []);
}

const among = (tenantId: string, ids: readonly string[]) =>
  and(
    eq(translationJobs.tenantId, tenantId),
    sql`${translationJobs.jobId} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`,
  );

/**
 * Runs the jobs of a queued series that are still pending. A failed job does not end the series. If a run fails by an
 * error that may not occur again, the job stays pending, and the error is thrown, so that the queue runs the task again.
 */
export async function runQueued(
  services: RunServices,
  { tenantId, jobs, credential, submittedBy, requestId, ...terms }: TaskPayloads['run_texts'],
): Promise<void> {
  const { database, settings } = services;
  const queuedAttempts = new Map(jobs.map(({ id, attempt }) => [id, attempt]));
  const ids = [...queuedAttempts.keys()];
  let rows = await database.inTenant(tenantId, (tx) => begin(tx, tenantId, ids));
  // A series ends at a failed job. The next one continues after it.
  while (rows.length > 0) {
    const items = rows.map((row) => itemOf(row, settings));
    const [first] = items as [WorkItem];
    const { name } = first.request.metadata['tenant'] as { name: string };
    const caller: SeriesCaller = { id: tenantId, name, credential, submittedBy, requestId };
    const requests = items.map(({ request }) => request);
    const prefetched = await database.inTenant(tenantId, (tx) => prefetch(tx, requests));
    const runs = items.map((item, index) => runOf(caller, item, rows[index] as JobRow, terms));
    const { jobId, attempt } = rows[0] as JobRow;
    const keepsPending = attempt - (queuedAttempts.get(jobId) ?? 0) < maxRuns;
    const ends = { endsAtFailure: false, keepsPending, seconds: runSeconds };
    try {
      await runSeries(services, { caller, items, runs, prefetched, ...ends });
      return;
    } catch (error) {
      const { code } = toAppError(error instanceof RunError ? error.cause : error);
      if (keepsPending && mayBeRetried.includes(code)) throw error;
      const left = await database.inTenant(tenantId, (tx) => selectBegun(tx, tenantId, rows));
      // If the failure could not be stored, the queue runs the task again.
      if (left.length === rows.length) throw error;
      rows = left;
    }
  }
}

/**
 * Begins the next attempt of the jobs that are still pending: a worker that is thought dead then writes nothing.
 * @returns their rows, in the order of the IDs
 */
async function begin(tx: Tx, tenantId: string, ids: readonly string[]): Promise<JobRow[]> {
  const rows = await tx
    .update(translationJobs)
    .set({ attempt: sql`${translationJobs.attempt} + 1`, updatedAt: sql`now()` })
    .where(and(among(tenantId, ids), eq(translationJobs.status, 'pending'), eq(translationJobs.queued, true)))
    .returning();
  return inOrder(rows, ids);
}

/** Returns those of some rows that are still pending with the same attempt. */
async function selectBegun(tx: Tx, tenantId: string, begun: readonly JobRow[]): Promise<JobRow[]> {
  const ids = begun.map(({ jobId }) => jobId);
  const rows = await selectRows(tx, tenantId, ids);
  return rows.filter(
    ({ jobId, status, attempt }) =>
      status === 'pending' && begun.some((row) => row.jobId === jobId && row.attempt === attempt),
  );
}

function itemOf(row: JobRow, settings: RunServices['settings']): WorkItem {
  const { request, warnings } = jobOfRow(row);
  const submitted = [{ request, warnings, fingerprint: row.requestFingerprint }];
  const [item] = planItems(submitted, undefined, settings) as [WorkItem];
  return item;
}
