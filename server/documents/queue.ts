import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { addJob } from '#server/platform/job-queue.ts';

const isUnfinished = inArray(documentJobs.status, ['queued', 'extracted']);

/** The lowest priority. If a tenant has more documents than this, the last ones all have this priority. */
const lastPriority = 1000;

/**
 * Queues a document in the caller's transaction. Its priority is its rank among the tenant's unfinished documents,
 * oldest first. So the hundred documents of one tenant do not delay the first document of another tenant, and a
 * tenant's documents are completed one after another.
 */
export async function queueDocument(
  tx: Tx,
  tenantId: string,
  documentId: string,
  { afterSeconds = 0 } = {},
): Promise<void> {
  await addJob(
    tx,
    'run_document',
    { tenantId, documentId },
    {
      key: `run_document:${documentId}`,
      priority: await priorityOf(tx, tenantId, documentId),
      afterSeconds,
    },
  );
}

async function priorityOf(tx: Tx, tenantId: string, documentId: string): Promise<number> {
  const [row] = await tx
    .select({ place: sql<number>`count(*)::int` })
    .from(documentJobs)
    .where(
      and(
        eq(documentJobs.tenantId, tenantId),
        isUnfinished,
        sql`(${documentJobs.createdAt}, ${documentJobs.documentId}) <= (select d.created_at, d.document_id
          from document_jobs d where d.tenant_id = ${tenantId} and d.document_id = ${documentId})`,
      ),
    );
  return Math.min(row?.place ?? 0, lastPriority);
}

/** Whether another queued document would be taken before this one, if this one were queued now. */
export async function comesAfterOthers(tx: Tx, tenantId: string, documentId: string): Promise<boolean> {
  const priority = await priorityOf(tx, tenantId, documentId);
  const [row] = await tx.execute<{ waits: boolean }>(sql`
    select exists (select from graphile_worker.jobs where task_identifier = 'run_document' and locked_at is null
      and run_at <= now() and attempts < max_attempts and priority <= ${priority}) as waits`);
  return row?.waits ?? false;
}

/**
 * Queues unfinished documents that no worker has updated for a while: their queue jobs may have been lost with a
 * worker.
 */
export async function resumeDocuments({ database }: Pick<Services, 'database'>, idleSeconds: number) {
  const idle = await database.inPlatform((tx) =>
    tx
      .select({ tenantId: documentJobs.tenantId, documentId: documentJobs.documentId })
      .from(documentJobs)
      .where(
        and(
          isUnfinished,
          sql`${documentJobs.updatedAt} < now() - make_interval(secs => ${idleSeconds})`,
          // The pause of a waiting document may be longer than that. Such a document still has its job in the queue.
          sql`coalesce(${documentJobs.nextAttemptAt} < now() - make_interval(secs => ${idleSeconds}), true)`,
        ),
      )
      .limit(1000),
  );
  for (const { tenantId, documentId } of idle)
    await database.inTenant(tenantId, (tx) => queueDocument(tx, tenantId, documentId));
}
