import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { type AppError, toAppError } from '#server/errors.ts';
import { StoreError } from '#server/platform/stores/store-error.ts';
import { type DocumentRun, updateRun } from './document-run.ts';
import { isTransient } from './failure.ts';
import { queueDocument } from './queue.ts';
import { pauseAfter } from './waiting.ts';

/** Seconds within which documents begin again when the model responds, at random moments. */
const spread = 5;
/** Seconds that a document must have waited to be woken: one that failed just now has met what is left of the outage. */
const leastWait = 10;

/** A failure that is likely to pass, as it concerns a waiting document. */
export interface Outage {
  /** The error's code (A 7.3). */
  reason: AppError['code'];
  /** Seconds that the failing service asked to wait. */
  retryAfter: number | undefined;
}

/**
 * The outage that a stage failed with; null if waiting does not help, and if the workspace's own storage failed: such a document is marked
 * failed, so that its owner knows.
 */
export function outageOf(error: unknown): Outage | null {
  if (!isTransient(error)) return null;
  const { code, retryAfter, answered, cause } = toAppError(error);
  return answered || cause instanceof StoreError ? null : { reason: code, retryAfter };
}

/**
 * Puts the job back into the queue for its next try, in one transaction: it holds no worker until then.
 * @param tries of the stage that have failed now
 * @returns false if it has waited for OUTAGE_HOURS, and nothing was changed
 */
export async function waitForNextTry(run: DocumentRun, outage: Outage, tries: number): Promise<boolean> {
  const { services, tenantId, documentId, row } = run;
  const longest = services.settings.OUTAGE_HOURS * 3_600_000;
  const since = row.waitingSince ?? new Date();
  const left = since.getTime() + longest - Date.now();
  if (left <= 0) return false;
  const attempts = row.waitingAttempts + tries;
  // The last try comes when the time is over, not at the end of a pause that goes beyond it.
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
 * Lets the documents of all tenants that wait for a model begin within seconds, since one has responded. The workers and the fair share of
 * model calls limit how many run at a time. A document that waits for capacity keeps its pause.
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
              and updated_at < now() - make_interval(secs => ${leastWait})
            order by tenant_id, document_id limit 1000 for update skip locked) w
          where d.tenant_id = w.tenant_id and d.document_id = w.document_id
          returning 'run_document:' || d.document_id as key)
        select graphile_worker.reschedule_jobs(array[j.id], run_at => now() + random() * make_interval(secs => ${spread}))
        from woken join graphile_worker.jobs j using (key) where j.locked_at is null`),
    ),
  );
}
