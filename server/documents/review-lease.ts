import { setTimeout as delay } from 'node:timers/promises';
import { and, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { isDocument, unknownDocument } from './jobs.ts';

/**
 * Maximum duration of a review in seconds. If a process dies while it has a lease, the document stays locked for this
 * long.
 */
export const leaseSeconds = 120;
/** Milliseconds between two attempts, and for all attempts together. */
const pause = { each: 100, all: 60_000 };

/** The temporary exclusive right to write to a document. */
export interface ReviewLease {
  /**
   * Locks the lease until the transaction ends.
   * @throws AppError transient_error if the work took longer than the lease, because another review may have written in
   *   between; 404 if the document was deleted
   */
  confirm(tx: Tx): Promise<void>;
}

/**
 * Runs `work` under the document's lease; `work` reads a document, renders it and writes it again. No transaction is
 * open during this, because rendering takes seconds.
 * @throws AppError transient_error if the document is not free within a minute
 */
export async function withReviewLease<T>(
  { database }: Pick<Services, 'database'>,
  tenantId: string,
  documentId: string,
  work: (lease: ReviewLease) => Promise<T>,
): Promise<T> {
  const { until } = await untilFree(() =>
    database.inTenant(tenantId, (tx) => takeLease(tx, tenantId, documentId)),
  );
  const isOwn = sql`${documentJobs.reviewLeaseUntil} = ${until}::timestamptz`;
  const confirm = async (tx: Tx) => {
    const [row] = await tx
      .select({ isOwn: sql<boolean>`coalesce(${isOwn}, false)` })
      .from(documentJobs)
      .where(isDocument(tenantId, documentId))
      .for('update');
    if (!row) throw unknownDocument();
    if (!row.isOwn) throw new AppError('transient_error', 'the review took too long; send it again');
  };
  try {
    return await work({ confirm });
  } finally {
    await database.inTenant(tenantId, (tx) =>
      tx
        .update(documentJobs)
        .set({ reviewLeaseUntil: null })
        .where(and(isDocument(tenantId, documentId), isOwn)),
    );
  }
}

/** @returns the end of the lease in PostgreSQL's text form, which has microseconds */
async function takeLease(tx: Tx, tenantId: string, documentId: string): Promise<{ until: string } | 'busy'> {
  const [taken] = await tx
    .update(documentJobs)
    .set({ reviewLeaseUntil: sql`now() + make_interval(secs => ${leaseSeconds})` })
    .where(
      and(
        isDocument(tenantId, documentId),
        sql`(${documentJobs.reviewLeaseUntil} is null or ${documentJobs.reviewLeaseUntil} <= now())`,
      ),
    )
    .returning({ until: sql<string>`${documentJobs.reviewLeaseUntil}::text` });
  if (taken) return taken;
  const [row] = await tx
    .select({ documentId: documentJobs.documentId })
    .from(documentJobs)
    .where(isDocument(tenantId, documentId));
  if (!row) throw unknownDocument();
  return 'busy';
}

/**
 * Retries until the document is free.
 * @param attempt returns `busy` while a review holds the document
 * @throws AppError transient_error after a minute
 */
export async function untilFree<T>(attempt: () => Promise<T | 'busy'>): Promise<T> {
  const until = Date.now() + pause.all;
  for (;;) {
    const result = await attempt();
    if (result !== 'busy') return result;
    if (Date.now() > until)
      throw new AppError('transient_error', 'another review of the document is in progress; try again');
    await delay(pause.each);
  }
}
