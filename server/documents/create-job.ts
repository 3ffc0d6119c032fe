import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { clip } from '#server/formats/text.ts';
import { newId } from '#server/platform/ids.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { requireRoom } from '#server/storage/usage.ts';
import type { SourceDetection } from '#server/translation/intake/source-language.ts';
import { refuseByMaximum } from '#server/translation/intake/submission-limits.ts';
import { insertArtifact, removeFile, type StoredFile, storeFile } from './artifacts.ts';
import type { RunServices } from './document-run.ts';
import { requireEarlier } from './earlier-document.ts';
import { readKept } from './existing-target.ts';
import { type DocumentRow, selectDocument, selectDocumentByKey } from './jobs.ts';
import { encodeKept } from './kept-texts.ts';
import { queueDocument } from './queue.ts';
import type { DocumentTranslationRequest } from './schema.ts';
import { billableOf, checkSource, readTexts, withoutKept } from './source-file.ts';
import type { Submission } from './submission.ts';
import { type CheckedForm, formWarnings } from './submission-form.ts';

/**
 * Checks the file, stores it, and inserts its job. With `wait`, the job is not queued.
 * @returns the job with the idempotency key; if another process was faster, this is the existing job
 * @throws AppError like `checkSource`; 413 if the file exceeds the caller's maximum; 507
 */
export async function createJob(
  services: RunServices,
  submission: Submission,
): Promise<{ row: DocumentRow; isNew: boolean }> {
  const { tenant, destination, signal } = submission;
  const scope = { tenantId: tenant.id, signal };
  const { form, detection } = await checkSource(services, submission, scope);
  const existing = await readKept(services, form, scope);
  if (form.limits.maxCharacters !== null) {
    const all = (await readTexts(services, form, existing.kept, scope)).texts;
    const { texts } = await withoutKept(services, scope, all, form.request.update_of);
    const tooMuch = refuseByMaximum(form.limits, billableOf(services, texts));
    if (tooMuch) throw tooMuch;
  }

  const documentId = newId();
  const files: StoredFile[] = [];
  const store = async (kind: StoredFile['kind'], contentType: string, content: Uint8Array) => {
    const file = { tenantId: tenant.id, documentId, kind, contentType };
    files.push(await storeFile(services, destination, file, content));
  };
  const warnings = [...formWarnings(form.request, detection, submission.unknownFields), ...existing.warnings];
  const job: NewJob = {
    tenantId: tenant.id,
    documentId,
    status: 'queued',
    idempotencyKey: form.request.idempotency_key,
    request: requestWithMetadata(tenant, form, detection),
    requestFingerprint: submission.fingerprint,
    submittedBy: submission.submittedBy,
    warnings: warnings.length > 0 ? warnings : null,
    sourceFileName: form.fileName,
    sourceFormat: form.format,
  };
  let row: DocumentRow | undefined;
  let isInserting = false;
  try {
    await store('source', layoutKinds[form.format].mediaType, form.file.bytes);
    if (existing.kept?.size) await store('existing', 'application/json', encodeKept(existing.kept));
    isInserting = true;
    row = await services.database.inTenant(tenant.id, (tx) =>
      insertJob(tx, services, submission, job, files),
    );
  } catch (error) {
    // After other errors of the transaction, the files must stay: the COMMIT may have succeeded without being
    // acknowledged. If the files have no row, the sweep removes them.
    if (!isInserting || error instanceof AppError) await removeFiles(services, files);
    throw error;
  }
  if (row?.documentId === documentId) return { row, isNew: true };
  await removeFiles(services, files);
  if (row) return { row, isNew: false };
  throw new AppError(
    'transient_error',
    'the job of this Idempotency-Key was deleted during the request; send the request again',
  );
}

/** The row of a new job. */
type NewJob = typeof documentJobs.$inferInsert & { request: DocumentTranslationRequest };

/** Returns the request of a job, with the data that the service adds. */
function requestWithMetadata(
  { id, name }: Submission['tenant'],
  { file, format, request, submittedVia }: CheckedForm,
  detection: SourceDetection | null,
): DocumentTranslationRequest {
  return {
    ...request,
    metadata: {
      content_type: clip(file.contentType, 255) || layoutKinds[format].mediaType,
      size_bytes: file.bytes.length,
      idempotency_key: request.idempotency_key,
      tenant: { id, name },
      ...(submittedVia && { submitted_via: submittedVia }),
      ...(detection && { source_lang_detection: detection }),
    },
  };
}

/** @returns the new job; if there is one with the idempotency key, that one; undefined if it was deleted in between */
async function insertJob(
  tx: Tx,
  { settings }: Pick<RunServices, 'settings'>,
  { destination, form }: Submission,
  job: NewJob,
  files: readonly StoredFile[],
): Promise<DocumentRow | undefined> {
  const { tenantId, documentId } = job;
  const [row] = await tx.insert(documentJobs).values(job).onConflictDoNothing().returning();
  if (!row) return selectDocumentByKey(tx, tenantId, job.idempotencyKey ?? '');
  // Only now: the storage may be full because of the job that another request made with the same key.
  if (destination.provider === 'platform') {
    const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    await requireRoom(tx, settings, tenantId, bytes);
  }
  // The earlier document may have been deleted while the file was read. Then all its texts would be billed again.
  if (job.request.update_of !== undefined)
    requireEarlier(await selectDocument(tx, tenantId, job.request.update_of), job.request);
  for (const file of files) await insertArtifact(tx, file);
  // With `wait`, the job runs in this process and is not queued. If the process dies, the sweep finds the job and queues
  // it.
  if (!form.wait) await queueDocument(tx, tenantId, documentId);
  return row;
}

async function removeFiles(services: LocatingServices, files: readonly StoredFile[]): Promise<void> {
  for (const file of files) await removeFile(services, file).catch(() => {});
}
