import { setTimeout as delay } from 'node:timers/promises';
import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { type AppError, describeForLog } from '#server/errors.ts';
import { queueDocumentMail } from '#server/identity/mail/outbox.ts';
import { countEvent, observe, reportDocumentWait } from '#server/platform/telemetry.ts';
import {
  type DocumentRun,
  keepAlive,
  mailOf,
  RunReplaced,
  type RunServices,
  takeDocument,
  updateRun,
  Yielded,
} from './document-run.ts';
import {
  failureOf,
  failureResponse,
  interruption,
  isTransient,
  type Outage,
  outageOf,
  StageTimeout,
  waitForNextTry,
  wakeWaiting,
} from './failure.ts';
import { isDocument } from './jobs.ts';
import { comesAfterOthers, queueDocument } from './queue.ts';
import type { DocumentFailureDetail, DocumentStage } from './schema.ts';
import { admitDocument } from './stages/admit.ts';
import { extractSegments, ingestSource } from './stages/extract.ts';
import { failDelivered, reconstructDocument } from './stages/reconstruct.ts';
import { translateSegments } from './stages/translate.ts';
import { progressed } from './waiting.ts';

const stages: Record<DocumentStage, (run: DocumentRun) => Promise<void>> = {
  ingest: ingestSource,
  extract: extractSegments,
  admit: admitDocument,
  map_translate: translateSegments,
  reconstruct: reconstructDocument,
};

const order = Object.keys(stages) as DocumentStage[];

/** The maximum number of retries of a stage after transient failures. */
const maxRetries = 2;
/** Milliseconds before the first retry; each further pause is twice as long. Tests shorten it. */
export const stageRetry = { pause: 1000 };
/**
 * Maximum number of workers that may die with a job before it makes progress. The number is high: a job fails as
 * `interrupted` only as a last resort, and files are read in child processes, whose crash does not end the worker.
 */
const maxInterruptions = 20;
/** Milliseconds after which a worker yields: if documents with a higher priority wait, and in any case. */
const slice = { ifOthersWait: 1000, most: 10_000 };
/**
 * Seconds until a job may run again that a stopping process has returned to the queue. Without this pause, the same
 * process would take it again.
 */
const restAfterStop = 2;

/**
 * Runs a document from its current stage to its end. Every stage stores its progress, so that another worker can
 * continue after a crash. After some seconds, and when its process stops, a worker yields: it puts the job back in the
 * queue.
 *
 * @param options `inlineUntil`: a client waits for the job until this aborts, so the worker does not yield;
 *   `longestWait`: milliseconds that a stopping process waits for running model calls before it aborts them
 * @returns the error for the waiting client if the job failed; undefined otherwise
 */
export async function runDocument(
  services: RunServices,
  tenantId: string,
  documentId: string,
  { inlineUntil, longestWait = 60_000 }: { inlineUntil?: AbortSignal; longestWait?: number } = {},
): Promise<AppError | undefined> {
  const row = await services.database.inTenant(tenantId, (tx) => takeDocument(tx, tenantId, documentId));
  if (!row) return undefined;
  // Both times are of the database's clock.
  if (row.attempt === 1) reportDocumentWait((row.updatedAt.getTime() - row.createdAt.getTime()) / 1000);
  const { stopping } = services.backgroundWork;
  const isInline = () => inlineUntil !== undefined && !inlineUntil.aborted;
  const began = performance.now();
  let hasResponded = false;
  let nextLook = began + slice.ifOthersWait;
  /** Aborted with the reason that ends the run: RunReplaced or Yielded. */
  const ended = new AbortController();
  const run: DocumentRun = {
    services,
    tenantId,
    documentId,
    attempt: row.attempt,
    row,
    signal: AbortSignal.abort(),
    timings: () => row.stageTimings,
    modelResponded: () => {
      if (hasResponded) return;
      hasResponded = true;
      wakeWaiting(services).catch((error: unknown) =>
        services.log.warn(
          { error: describeForLog(error) },
          'could not start documents again that an outage had stopped',
        ),
      );
    },
    isOver: async () => {
      if (stopping.aborted) return true;
      const now = performance.now();
      if (isInline() || now < nextLook) return false;
      nextLook = now + slice.ifOthersWait;
      return (
        now - began > slice.most ||
        services.database.inTenant(tenantId, (tx) => comesAfterOthers(tx, tenantId, documentId))
      );
    },
  };
  const keeping = keepAlive(run, () => ended.abort(new RunReplaced()));
  let waiting: NodeJS.Timeout | undefined;
  const beginStop = () => {
    waiting = setTimeout(() => ended.abort(new Yielded()), longestWait);
  };
  stopping.addEventListener('abort', beginStop, { once: true });
  try {
    if (row.interruptions > maxInterruptions)
      return await endFailed(run, interruption(row.interruptions), row.stage);
    for (const stage of order.slice(order.indexOf(row.stage))) {
      if (stopping.aborted) throw new Yielded();
      const failed = await runStage(run, stage, ended.signal);
      if (failed) {
        const { failure, outage } = failed;
        const waits =
          outage && !isInline() && (await waitForNextTry(run, outage, failure.retry_attempts + 1));
        return waits
          ? undefined
          : await endFailed(run, withEarlierTries(run, failure), stage, outage?.retryAfter);
      }
      await services.database.inTenant(tenantId, (tx) => storeTimings(tx, run));
    }
    return undefined;
  } catch (error) {
    if (error instanceof RunReplaced) return undefined;
    if (error instanceof Yielded) {
      await services.database.inTenant(tenantId, async (tx) => {
        await updateRun(tx, run, { running: false, stageTimings: run.timings() });
        await queueDocument(tx, tenantId, documentId, { afterSeconds: stopping.aborted ? restAfterStop : 0 });
      });
      return undefined;
    }
    throw error;
  } finally {
    clearInterval(keeping);
    clearTimeout(waiting);
    stopping.removeEventListener('abort', beginStop);
  }
}

interface StageFailure {
  failure: DocumentFailureDetail;
  /** The outage that the job may wait for; null if the job fails. */
  outage: Outage | null;
}

/**
 * Runs one stage within its time budget, and again after transient failures. If an outage ends a try, its time does not
 * count towards the budget: the job waits, and the next try has the full budget.
 * @returns undefined if the stage is completed
 */
async function runStage(
  run: DocumentRun,
  stage: DocumentStage,
  ended: AbortSignal,
): Promise<StageFailure | undefined> {
  const { settings, log } = run.services;
  const before = run.timings();
  const spent = before[stage] ?? 0;
  const budget = settings.DOCUMENT_STAGE_TIMEOUT_SECONDS * 1000 - spent;
  const began = performance.now();
  run.timings = () => ({ ...before, [stage]: Math.round(spent + performance.now() - began) });
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new StageTimeout()),
    Math.min(Math.max(budget, 0), 2 ** 31 - 1),
  );
  run.signal = AbortSignal.any([deadline.signal, ended]);
  try {
    for (let retries = 0; ; retries++) {
      try {
        await observe('step', `document_${stage}`, () => stages[stage](run));
        return undefined;
      } catch (error) {
        if (error instanceof RunReplaced || error instanceof Yielded) throw error;
        ended.throwIfAborted();
        if (deadline.signal.aborted)
          return { failure: failureOf(new StageTimeout(), stage, retries), outage: null };
        log.warn(
          {
            document_id: run.documentId,
            tenant_id: run.tenantId,
            stage,
            retries,
            error: describeForLog(error),
          },
          'a stage of a document failed',
        );
        const outage = outageOf(error);
        if (!isTransient(error) || retries === maxRetries || (outage && run.row.waitingSince)) {
          if (outage) run.timings = () => before;
          return { failure: failureOf(error, stage, retries), outage };
        }
        await delay(stageRetry.pause * 2 ** retries, undefined, { signal: run.signal }).catch(() => {});
      }
    }
  } finally {
    clearTimeout(timer);
    const timings = run.timings();
    run.timings = () => timings;
  }
}

/** Adds the tries of earlier workers during the outage to the failure. */
function withEarlierTries({ row }: DocumentRun, failure: DocumentFailureDetail): DocumentFailureDetail {
  return { ...failure, retry_attempts: row.waitingAttempts + failure.retry_attempts };
}

/** Stores the durations of the stages, even if the job has just ended. */
function storeTimings(tx: Tx, { tenantId, documentId, attempt, timings }: DocumentRun): Promise<unknown> {
  return tx.last(
    tx
      .update(documentJobs)
      .set({ stageTimings: timings() })
      .where(and(isDocument(tenantId, documentId), eq(documentJobs.attempt, attempt))),
  );
}

/**
 * Ends the job as failed. The job is not billed, unless its output was already delivered to the tenant's own account.
 */
async function endFailed(
  run: DocumentRun,
  failure: DocumentFailureDetail,
  stage: DocumentStage,
  retryAfter?: number,
): Promise<AppError> {
  if (run.delivered !== undefined) return failureResponse(await failDelivered(run, stage, failure));
  const stageTimings = run.timings();
  await run.services.database.inTenant(run.tenantId, async (tx) => {
    await updateRun(tx, run, {
      status: 'failed',
      failure,
      stage,
      stageTimings,
      running: false,
      reservedChars: 0,
      ...progressed,
    });
    await queueDocumentMail(tx, run.services.settings, { ...mailOf(run), hasFailed: true });
  });
  countEvent('jobs', 'document failed');
  return failureResponse(failure, retryAfter);
}
