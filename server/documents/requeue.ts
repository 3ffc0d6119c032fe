import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database, Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import type { Administrator } from '#server/identity/access/guards/admin.ts';
import { type Origin, recordAdministration } from '#server/identity/audit/audit-log.ts';
import { isDocument, unknownDocument } from './jobs.ts';
import { queueDocument } from './queue.ts';
import type { DocumentFailureDetail, DocumentStage } from './schema.ts';
import { countWaiting } from './summary.ts';
import { progressed } from './waiting.ts';

/*
 * An operator can queue failed documents again after the cause of the failure is gone. If a client sends a request
 * again, this never queues a failed document. The job keeps its translated segments and its source file, and reserves
 * its characters again. Failed jobs that were billed are left out.
 */

/** Failure codes whose cause is not the document itself. */
const requeuedCodes = ['transient_error', 'interrupted', 'stage_timeout'] as const;

/** Maximum number of documents per call; a further call finds the next ones. */
const maxOfCall = 1000;

const codes = sql.raw(requeuedCodes.map((code) => `'${code}'`).join(', '));
const isRequeueable = sql`status = 'failed' and failure->>'code' in (${codes})
  and failure #> '{metadata,delivered_to}' is null`;

/** The documents that an operator selects: one, or all that failed since a given time. */
type RequeueSelection =
  | { documentId: string; tenantId?: string | undefined }
  | { since: Date; until?: Date | undefined; tenantId?: string | undefined };

interface RequeueResult {
  /** Number of selected documents, by failure code. */
  found: z.infer<typeof documentOutage>['failed'];
  requeued: number;
  /** Number of selected documents that remain for a further call. */
  left: number;
}

/**
 * Queues failed documents again, at most 1000, oldest first, each in one transaction with its audit event.
 * @throws AppError 404 for an unknown document; 409 for a document that did not fail, or would fail again
 */
export async function requeueDocuments(
  database: Database,
  admin: Administrator,
  origin: Origin,
  selection: RequeueSelection,
  { dryRun }: { dryRun: boolean },
): Promise<RequeueResult> {
  const which = conditionOf(selection);
  if ('documentId' in selection) await database.inPlatform((tx) => requireRequeueable(tx, which));
  const { found, first } = await database.inPlatform((tx) => selectFailed(tx, which));
  const total = found.reduce((sum, { documents }) => sum + documents, 0);
  if (dryRun) return { found, requeued: 0, left: total };
  let requeued = 0;
  for (const { tenantId, documentId } of first)
    if (await database.inTenant(tenantId, (tx) => requeue(tx, admin, origin, tenantId, documentId)))
      requeued += 1;
  return { found, requeued, left: Math.max(0, total - first.length) };
}

function conditionOf(selection: RequeueSelection) {
  const { tenantId } = selection;
  const selected =
    'documentId' in selection
      ? sql`document_id = ${selection.documentId}`
      : sql`updated_at >= ${selection.since.toISOString()}::timestamptz
    and updated_at <= coalesce(${selection.until?.toISOString() ?? null}::timestamptz, 'infinity')`;
  return tenantId === undefined ? selected : sql`tenant_id = ${tenantId} and ${selected}`;
}

/** @throws AppError 404, 409 */
async function requireRequeueable(tx: Tx, which: SQL): Promise<void> {
  const [row] = await tx
    .select({
      status: documentJobs.status,
      code: sql<string | null>`failure->>'code'`,
      can: sql<boolean>`coalesce(${isRequeueable}, false)`,
    })
    .from(documentJobs)
    .where(which);
  if (!row) throw unknownDocument();
  if (row.can) return;
  throw new AppError(
    'state_conflict',
    row.status === 'failed'
      ? `the document cannot be queued again, because it failed with ${row.code} or is already billed; only unbilled documents that failed with ${requeuedCodes.join(', ')} can`
      : `the document did not fail (status=${row.status})`,
  );
}

async function selectFailed(tx: Tx, which: SQL) {
  const found = await tx.execute<{ code: (typeof requeuedCodes)[number]; documents: number }>(sql`
    select failure->>'code' as code, count(*)::int as documents from document_jobs
    where ${isRequeueable} and ${which} group by 1 order by 1`);
  const first = await tx.execute<{ tenantId: string; documentId: string }>(sql`
    select tenant_id as "tenantId", document_id as "documentId" from document_jobs
    where ${isRequeueable} and ${which} order by updated_at, document_id limit ${maxOfCall}`);
  return { found: [...found], first: [...first] };
}

/**
 * Queues one document again. Its extracted and translated segments stay. The stage `admit` reserves its characters
 * again, and each stage has its full time budget.
 * @returns false if it is no longer a failed document of this kind
 */
async function requeue(
  tx: Tx,
  admin: Administrator,
  origin: Origin,
  tenantId: string,
  documentId: string,
): Promise<boolean> {
  const [job] = await tx
    .select({ stage: documentJobs.stage, failure: documentJobs.failure })
    .from(documentJobs)
    .where(sql`${isDocument(tenantId, documentId)} and ${isRequeueable}`)
    .for('no key update');
  if (!job) return false;
  const stage = stageAfter(job.stage);
  await tx
    .update(documentJobs)
    .set({
      ...progressed,
      status: stage === 'admit' ? 'extracted' : 'queued',
      stage,
      failure: null,
      stageTimings: {},
      running: false,
      updatedAt: sql`now()`,
    })
    .where(isDocument(tenantId, documentId));
  await queueDocument(tx, tenantId, documentId);
  const { code, stage: failedAt } = job.failure as DocumentFailureDetail;
  await recordAdministration(tx, origin, admin, {
    action: 'document_requeued',
    tenantId,
    target: documentId,
    details: { code, stage: failedAt },
  });
  return true;
}

/**
 * The stage at which a failed job continues. The stages after `admit` need the reservation, which was released by the
 * failure.
 */
function stageAfter(stage: DocumentStage): DocumentStage {
  return stage === 'ingest' || stage === 'extract' ? stage : 'admit';
}

const count = z.int();

/** Documents that an outage delays; for operators. */
export const documentOutage = z.object({
  waiting: z
    .array(
      z.object({
        reason: z.string().describe('The error code of the last attempt.'),
        documents: count.describe('The number of documents that are retried. At most 10000 are counted.'),
        longest_seconds: z.number().describe('The seconds since the first of these documents failed.'),
      }),
    )
    .describe('The documents that the service retries automatically.'),
  failed: z
    .array(
      z.object({
        code: z.enum(requeuedCodes).describe('The error code of the failure.'),
        documents: count.describe('The number of documents that failed with this code.'),
      }),
    )
    .describe('The documents that failed since `since` and can be queued again.'),
});

/**
 * Counts the documents that are delayed, and those that failed since a given time and can be queued again: of a tenant,
 * or of all tenants. Platform scope.
 */
export async function readOutage(
  tx: Tx,
  since: Date,
  tenantId: string | undefined,
): Promise<z.infer<typeof documentOutage>> {
  const waiting = await countWaiting(tx, tenantId);
  const { found } = await selectFailed(tx, conditionOf({ since, tenantId }));
  return {
    waiting: waiting.map(({ reason, documents, longestSeconds }) => ({
      reason,
      documents,
      longest_seconds: longestSeconds,
    })),
    failed: found,
  };
}
