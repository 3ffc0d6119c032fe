import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentArtifacts, documentJobs, documentSegments } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import type { WithOwningTenant } from '#server/identity/access/guards/admin.ts';
import { unlearnJob } from '#server/language/translation-memory/learning.ts';
import { removeGoldenLater, removeGoldenNow } from '#server/records/golden-deletion.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { type FilePlace, removeFile } from './artifacts.ts';
import { isDocument, selectTenantOfDocument, unknownDocument } from './jobs.ts';
import { untilFree } from './review-lease.ts';
import type { DocumentDeletion } from './schema.ts';
import { ofDocument } from './segments.ts';

/**
 * Deletes a document with its segments, files, audit record and TM segments. The rows are deleted first: then a worker
 * that runs the job notices, and stores nothing more. Usage records stay.
 * @param deleteAttached deletes what other modules store about the document, in the same transaction
 * @param options `keepsMemory`: the TM segments stay
 * @throws AppError 404
 */
export async function removeDocument(
  services: LocatingServices & Pick<Services, 'log'>,
  withOwningTenant: WithOwningTenant,
  documentId: string,
  deleteAttached: (tx: Tx, tenantId: string) => Promise<void>,
  { keepsMemory = false }: { keepsMemory?: boolean } = {},
): Promise<DocumentDeletion> {
  const removed = await untilFree(() =>
    withOwningTenant(
      async (tx, tenantId) => {
        const deleted = await deleteRows(tx, tenantId, documentId, keepsMemory);
        if (typeof deleted === 'object') await deleteAttached(tx, tenantId);
        return deleted;
      },
      (tx) => selectTenantOfDocument(tx, documentId),
    ),
  );
  if (!removed) throw unknownDocument();
  return {
    deleted: true,
    document_id: documentId,
    artifacts_removed: await removeFiles(services, removed.files),
    segments_removed: removed.segments,
    golden_records_deleted: await removeGoldenNow(services, removed.deleted),
    tm_pairs_removed: removed.pairs,
    learning_rows_removed: removed.pairs,
  };
}

/**
 * Removes the files. Best effort: in platform storage, the sweep removes what is left. If an account has failed, its
 * other files are not tried, because that would delay the caller.
 * @returns the number of removed files
 */
async function removeFiles(
  services: LocatingServices & Pick<Services, 'log'>,
  files: readonly FilePlace[],
): Promise<number> {
  let count = 0;
  let accountFails = false;
  for (const file of files) {
    if (accountFails && file.address !== null) continue;
    try {
      if (await removeFile(services, file)) count += 1;
    } catch (error) {
      accountFails ||= file.address !== null;
      services.log.warn(
        { document_id: file.documentId, error: describeForLog(error) },
        'a file of a deleted document was not removed yet',
      );
    }
  }
  return count;
}

/** @returns `busy` while a review or an approval holds the document; undefined if the document does not exist */
async function deleteRows(tx: Tx, tenantId: string, documentId: string, keepsMemory: boolean) {
  // Taking the lock lets a worker that is writing finish first.
  const [job] = await tx
    .select({
      goldenUri: documentJobs.goldenUri,
      isReviewed: sql<boolean>`coalesce(${documentJobs.reviewLeaseUntil} > now(), false)`,
      // URL of the output, if the job failed after delivery to the tenant's account. This file is not an artifact of
      // the job.
      delivered: sql<string | null>`${documentJobs.failure} #>> '{metadata,delivered_to}'`,
    })
    .from(documentJobs)
    .where(isDocument(tenantId, documentId))
    .for('update');
  if (!job) return undefined;
  if (job.isReviewed) return 'busy';
  const artifacts = await tx
    .delete(documentArtifacts)
    .where(and(eq(documentArtifacts.tenantId, tenantId), eq(documentArtifacts.documentId, documentId)))
    .returning({
      tenantId: documentArtifacts.tenantId,
      documentId: documentArtifacts.documentId,
      artifactId: documentArtifacts.artifactId,
      address: documentArtifacts.address,
    });
  const segments = await tx.delete(documentSegments).where(ofDocument(tenantId, documentId));
  const pairs = keepsMemory ? 0 : await unlearnJob(tx, tenantId, documentId);
  await tx.delete(documentJobs).where(isDocument(tenantId, documentId));
  const deleted = { tenantId, jobId: documentId, goldenUri: job.goldenUri };
  await removeGoldenLater(tx, deleted);
  const delivered = job.delivered && { tenantId, documentId, artifactId: '', address: job.delivered };
  const files: FilePlace[] = delivered ? [...artifacts, delivered] : artifacts;
  return { files, segments: segments.count, pairs, deleted };
}
