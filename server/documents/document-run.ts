import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { type DocumentRow, isDocument } from './jobs.ts';

export type RunServices = Pick<
  Services,
  | 'accountStores'
  | 'backgroundWork'
  | 'database'
  | 'embedder'
  | 'engine'
  | 'fileWork'
  | 'glossaries'
  | 'log'
  | 'settings'
  | 'storage'
>;

/** A worker's run of a job. The worker's writes are rejected once another worker has taken the job. */
export interface DocumentRun {
  services: RunServices;
  tenantId: string;
  documentId: string;
  attempt: number;
  row: DocumentRow;
  /**
   * Aborts at the end of the stage's time budget, when another worker takes the job, and when the process stops and
   * ends its runs.
   */
  signal: AbortSignal;
  /** Milliseconds of work on each stage so far, including the current stage and the work of earlier workers. */
  timings(): Record<string, number>;
  /**
   * URLs of the translated file in the tenant's own account, after delivery. There is one for each attempt; the last
   * one is the file of the job.
   */
  delivered?: string[];
  /** Must be called when a model has responded. */
  modelResponded(): void;
  /** Whether the worker should stop between two units of work, so that other documents get their share. */
  isOver(): Promise<boolean>;
}

/** Returns the document of a run and its submitter, for the mail at its end. */
export function mailOf({ tenantId, documentId, row: { submittedBy } }: DocumentRun) {
  return { tenantId, documentId, submittedBy: submittedBy === 'api_key' ? null : submittedBy };
}

/** Thrown if another worker has taken the job, or if the job was deleted. */
export class RunReplaced extends Error {
  override name = 'RunReplaced';
}

/** Thrown if the stage stopped between two units of work to let other documents run. */
export class Yielded extends Error {
  override name = 'Yielded';
}

/** Takes the job for this worker. Returns undefined if the job has ended or was deleted. */
export async function takeDocument(
  tx: Tx,
  tenantId: string,
  documentId: string,
): Promise<DocumentRow | undefined> {
  const [row] = await tx
    .update(documentJobs)
    .set({
      attempt: sql`${documentJobs.attempt} + 1`,
      interruptions: sql`${documentJobs.interruptions} + ${documentJobs.running}::int`,
      running: true,
      updatedAt: sql`now()`,
    })
    .where(and(isDocument(tenantId, documentId), sql`${documentJobs.status} in ('queued', 'extracted')`))
    .returning();
  return row;
}

/** Matches the job as long as this worker has it. */
function isRun({ tenantId, documentId, attempt }: DocumentRun) {
  return and(
    isDocument(tenantId, documentId),
    eq(documentJobs.attempt, attempt),
    sql`${documentJobs.status} in ('queued', 'extracted')`,
  );
}

/**
 * Updates the job's row if this worker still has the job, and locks the row until the transaction ends.
 * @throws RunReplaced
 */
export async function updateRun(
  tx: Tx,
  run: DocumentRun,
  change: Partial<Record<keyof DocumentRow, unknown>>,
): Promise<DocumentRow> {
  const [row] = await tx
    .update(documentJobs)
    .set({ ...(change as Partial<DocumentRow>), updatedAt: sql`now()` })
    .where(isRun(run))
    .returning();
  if (!row) throw new RunReplaced();
  run.row = row;
  return row;
}

/** Milliseconds between two checks that the worker still has the job. */
const lookEvery = 5000;

/**
 * Updates the job's timestamp while it runs, so that only jobs of dead workers look idle. Also stores the time spent on
 * the stage: if the worker is killed, the next one has only the rest of the time budget. Calls `lost` if another worker
 * has taken the job, or if the job was deleted.
 */
export function keepAlive(run: DocumentRun, lost: () => void): NodeJS.Timeout {
  const { database, settings, log } = run.services;
  const touch = async () => {
    const touched = await database.inTenant(run.tenantId, (tx) =>
      tx.last(
        tx
          .update(documentJobs)
          .set({ stageTimings: run.timings(), updatedAt: sql`now()` })
          .where(isRun(run))
          .returning({ attempt: documentJobs.attempt }),
      ),
    );
    if (touched.length === 0) lost();
  };
  return setInterval(
    () =>
      void touch().catch((error: unknown) =>
        log.warn(
          { document_id: run.documentId, tenant_id: run.tenantId, error: describeForLog(error) },
          'could not record that the document is in progress',
        ),
      ),
    Math.min((settings.STALE_PENDING_SECONDS * 1000) / 3, lookEvery),
  );
}
