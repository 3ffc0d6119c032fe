import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import type { Administrator } from '#server/identity/access/guards/admin.ts';
import { type Origin, recordAdministration } from '#server/identity/audit/audit-log.ts';
import { isDocument, unknownDocument } from './jobs.ts';
import type { DocumentFailureDetail, DocumentStage } from './schema.ts';
import { progressed } from './waiting.ts';

/**
 * Ends a document that is queued or running, for an operator. It fails with `interrupted` and is not billed. A worker that
 * runs it stores nothing more, because its attempt is outdated. An operator can queue it again: the job keeps its
 * translated segments.
 * @returns the ID of its tenant, and the stage at which it ended
 * @throws AppError 404 for an unknown document, 409 for one that is not in progress
 */
export async function cancelDocument(
  database: Database,
  admin: Administrator,
  origin: Origin,
  documentId: string,
): Promise<{ tenantId: string; stage: DocumentStage }> {
  const [found] = await database.inPlatform((tx) =>
    tx.select({ tenantId: documentJobs.tenantId }).from(documentJobs).where(sql`document_id = ${documentId}`),
  );
  if (!found) throw unknownDocument();
  const { tenantId } = found;
  return database.inTenant(tenantId, async (tx) => {
    const [job] = await tx
      .select({ status: documentJobs.status, stage: documentJobs.stage })
      .from(documentJobs)
      .where(isDocument(tenantId, documentId))
      .for('no key update');
    if (!job) throw unknownDocument();
    const { status, stage } = job;
    if (status !== 'queued' && status !== 'extracted')
      throw new AppError('state_conflict', `the document is not in progress (status=${status})`);
    const failure: DocumentFailureDetail = {
      code: 'interrupted',
      stage,
      message: 'an operator canceled the document',
      error_type: null,
      retry_attempts: 0,
      transient: false,
      timeout: false,
      metadata: {},
    };
    await tx
      .update(documentJobs)
      .set({
        ...progressed,
        status: 'failed',
        failure,
        attempt: sql`${documentJobs.attempt} + 1`,
        running: false,
        reservedChars: 0,
        updatedAt: sql`now()`,
      })
      .where(isDocument(tenantId, documentId));
    await recordAdministration(tx, origin, admin, {
      action: 'document_canceled',
      tenantId,
      target: documentId,
      details: { stage },
    });
    return { tenantId, stage };
  });
}
