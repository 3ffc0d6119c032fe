import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError, toAppError } from '#server/errors.ts';
import { FileError } from '#server/formats/file-error.ts';
import { StoreError } from '#server/platform/stores/blob-store.ts';
import { type DocumentRun, updateRun } from './document-run.ts';
import { queueDocument } from './queue.ts';
import type { DocumentFailureDetail, DocumentStage } from './schema.ts';
import { pauseAfter } from './waiting.ts';

/** Codes of errors of a model, the database or a busy service, which may not occur again in a later attempt. */
const transientCodes: ReadonlySet<string> = new Set([
  'transient_error',
  'rate_limit',
  'service_unavailable',
  'disk_full',
]);

/** Whether the stage may be retried after this error. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof FileError) && transientCodes.has(toAppError(error).code);
}

/** Thrown if the stage has used up its time budget. */
export class StageTimeout extends Error {
  override name = 'StageTimeout';
}

/**
 * Returns the failure of a job after an error of a stage.
 * @param retries number of retries of the stage, without the first attempt
 */
export function failureOf(
  error: unknown,
  stage: DocumentStage | 'worker',
  retries: number,
): DocumentFailureDetail {
  const failure = (
    code: DocumentFailureDetail['code'],
    message: string,
    type: string | null,
  ): DocumentFailureDetail => ({
    code,
    stage,
    message,
    error_type: type,
    retry_attempts: retries,
    transient: code === 'transient_error',
    timeout: code === 'stage_timeout',
    metadata: {},
  });
  if (error instanceof StageTimeout)
    return failure(
      'stage_timeout',
      `the stage ${stage} took longer than its time limit; split the file`,
      null,
    );
  if (error instanceof FileError)
    return failure(
      'unexpected_error',
      error.reason === 'selection' ? error.message : `source_document: ${error.message}`,
      `file_${error.reason}`,
    );
  const { code, message } = toAppError(error);
  if (code === 'quota_exceeded' || code === 'payment_required')
    return failure('quota_exceeded', message, code);
  if (isTransient(error)) return failure('transient_error', message, code);
  return failure('unexpected_error', message, code);
}

/** Returns the failure `interrupted`: too many workers died while they ran the job. */
export function interruption(workers: number): DocumentFailureDetail {
  return {
    code: 'interrupted',
    stage: 'worker',
    message: `${workers} worker processes stopped while they ran this job, and it made no progress; send the file again`,
    error_type: null,
    retry_attempts: 0,
    transient: false,
    timeout: false,
    metadata: {},
  };
}

/**
 * Returns the error response to `wait=true` for a failed job.
 * @param retryAfter seconds that the failing service asked to wait
 */
export function failureResponse(failure: DocumentFailureDetail, retryAfter = 5): AppError {
  const { code, message, error_type } = failure;
  if (code === 'quota_exceeded') return new AppError('quota_exceeded', message);
  if (code === 'stage_timeout') return new AppError('stage_timeout', message);
  if (code === 'transient_error' || code === 'interrupted')
    return new AppError('transient_error', message, { retryAfter });
  if (error_type?.startsWith('file_') || error_type === 'validation_error')
    return new AppError('validation_error', message);
  if (error_type === 'storage_binding_not_verified') return new AppError(error_type, message);
  if (error_type === 'content_filtered') return new AppError('content_filtered', message);
  return new AppError('internal_error', message);
}

/** When a model responds, waiting documents start again at random times within this many seconds. */
const spread = 5;
/**
 * Minimum seconds between a document's failure and its wake-up: if the failure is more recent, the response may belong
 * to the time before it.
 */
const minWait = 10;

/** A failure that is likely to pass, so that the document waits. */
export interface Outage {
  reason: AppError['code'];
  /** Seconds that the failing service asked to wait. */
  retryAfter: number | undefined;
}

/**
 * Returns the outage that made a stage fail. Null if waiting does not help, or if the tenant's own storage failed: then
 * the document fails, so that its owner notices.
 */
export function outageOf(error: unknown): Outage | null {
  if (!isTransient(error)) return null;
  const { code, retryAfter, answered, cause } = toAppError(error);
  return answered || cause instanceof StoreError ? null : { reason: code, retryAfter };
}

/**
 * Returns the job to the queue for its next try, in one transaction; no worker holds it until then.
 * @param tries failed tries of the stage in this run
 * @returns false if the job has already waited for OUTAGE_HOURS; then nothing is changed
 */
export async function waitForNextTry(run: DocumentRun, outage: Outage, tries: number): Promise<boolean> {
  const { services, tenantId, documentId, row } = run;
  const longest = services.settings.OUTAGE_HOURS * 3_600_000;
  const since = row.waitingSince ?? new Date();
  const left = since.getTime() + longest - Date.now();
  if (left <= 0) return false;
  const attempts = row.waitingAttempts + tries;
  // The last try comes at the end of OUTAGE_HOURS, even if a pause would last longer.
  const pause = Math.min(pauseAfter(attempts, outage.retryAfter), left + 1);
  await services.database.inTenant(tenantId, async (tx) => {
    await updateRun(tx, run, {
      running: false,
      stageTimings: run.timings(),
      waitingSince: since,
      waitingReason: outage.reason,
      waitingAttempts: attempts,
      nextAttemptAt: new Date(Date.now() + pause),
    });
    await queueDocument(tx, tenantId, documentId, { afterSeconds: pause / 1000 });
  });
  return true;
}

/**
 * Call this when a model has responded: the documents of all tenants that wait for a model start within seconds. The
 * number of workers and the fair share of model calls limit how many run at a time. Documents that wait for capacity
 * keep their pause.
 */
export async function wakeWaiting({ database }: Pick<Services, 'database'>): Promise<void> {
  await database.inPlatform((tx: Tx) =>
    tx.last(
      tx.execute(sql`
        with woken as (
          update document_jobs d set next_attempt_at = now()
          from (
            select tenant_id, document_id from document_jobs
            where status in ('queued', 'extracted') and waiting_since is not null and not running
              and stage = 'map_translate' and waiting_reason <> 'rate_limit'
              and next_attempt_at > now() + make_interval(secs => ${spread})
              and updated_at < now() - make_interval(secs => ${minWait})
            order by tenant_id, document_id limit 1000 for update skip locked) w
          where d.tenant_id = w.tenant_id and d.document_id = w.document_id
          returning 'run_document:' || d.document_id as key)
        select graphile_worker.reschedule_jobs(array[j.id], run_at => now() + random() * make_interval(secs => ${spread}))
        from woken join graphile_worker.jobs j using (key) where j.locked_at is null`),
    ),
  );
}
