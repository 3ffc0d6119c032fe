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

/** A worker that has the job. What it writes is refused once another worker has taken the job. */
export interface DocumentRun {
  services: RunServices;
  tenantId: string;
  documentId: string;
  attempt: number;
  row: DocumentRow;
  /** Aborts at the end of the stage's time budget, when the job is no longer this worker's, and when a stopping process waits no longer. */
  signal: AbortSignal;
  /** Milliseconds of work by stage so far, with those of the stage that runs and of the workers before. */
  timings(): Record<string, number>;
  /** Addresses of the translated file in the tenant's own account, once it has reached it: one for each try, the last is that of the job. */
  delivered?: string[];
  /** Tells the run that a model has responded. */
  modelResponded(): void;
  /** Whether the worker should stop between two pieces of work, to let others have their share. */
  isOver(): Promise<boolean>;
}

/** Another worker has the job, or it was deleted. */
export class RunReplaced extends Error {
  override name = 'RunReplaced';
}

/** The stage stopped at a boundary to let other documents run. */
export class Yielded extends Error {
  override name = 'Yielded';
}

/** Takes the job for this worker. Undefined if it has ended, or was deleted. */
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

/** The job while this worker has it. */
function isRun({ tenantId, documentId, attempt }: DocumentRun) {
  return and(
    isDocument(tenantId, documentId),
    eq(documentJobs.attempt, attempt),
    sql`${documentJobs.status} in ('queued', 'extracted')`,
  );
}

/**
 * Changes the job's row if this worker still has the job, and locks it until the transaction ends.
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

/** Milliseconds between two looks whether the job is still this worker's. */
const lookEvery = 5000;

/**
 * Touches the job while it runs, so that only jobs whose worker died look idle, and stores the time its stage has taken: if the
 * worker is killed, the next one has what is left of the budget. Calls `lost` once another worker has the job, or
 * it was deleted.
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
          'document not touched',
        ),
      ),
    Math.min((settings.STALE_PENDING_SECONDS * 1000) / 3, lookEvery),
  );
}
