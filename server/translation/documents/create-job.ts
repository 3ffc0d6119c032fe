import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { FileError } from '#server/formats/file-error.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { clip } from '#server/formats/text.ts';
import type { Warning } from '#server/http/warnings.ts';
import { newId } from '#server/platform/ids.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import type { DocumentPayload } from '#server/platform/sandbox/tasks/layout-document.ts';
import type { Destination } from '#server/storage/destination.ts';
import { requireRoom } from '#server/storage/usage.ts';
import { languageWarnings, unknownFieldWarnings } from '#server/translation/core/intake/request-warnings.ts';
import {
  asksForDetection,
  readSourceLanguage,
  type SourceDetection,
  undetected,
} from '#server/translation/core/intake/source-language.ts';
import { insertArtifact, removeFile, storeFile } from './artifacts.ts';
import type { RunServices } from './document-run.ts';
import { requireEarlier } from './earlier-document.ts';
import { readKept } from './existing-target.ts';
import { checkFile, fileRefusal, sampleFile } from './file-work.ts';
import { type DocumentRow, selectDocumentByKey } from './jobs.ts';
import { encodeKept } from './kept-texts.ts';
import { queueDocument } from './queue.ts';
import { type DocumentTranslationRequest, documentForm } from './schema.ts';
import { selectionOf } from './selection-fields.ts';
import type { CheckedForm } from './submission-form.ts';

/** How a submission arrived: the transport, and the fields of its form. */
export interface Origin {
  via: 'documents' | 'translations';
  signal: AbortSignal;
  /** Fields of the form that the API does not have. */
  unknownFields: readonly string[];
}

/** A submission whose form and sender have been checked. */
interface NewDocument {
  tenant: { id: string; name: string };
  /** See `submitterOf`. */
  submittedBy: string;
  form: CheckedForm;
  /** Fingerprint of the form; null without an idempotency key. */
  fingerprint: Uint8Array | null;
  destination: Destination;
  origin: Origin;
}

/**
 * Checks the file, stores it, and inserts its job. With `wait`, the job is not queued.
 * @returns the job with the idempotency key; if another process was faster, this is the existing job
 */
export async function createJob(
  services: RunServices,
  { tenant, submittedBy, form, fingerprint, destination, origin }: NewDocument,
): Promise<{ row: DocumentRow; isNew: boolean }> {
  const { file, format, fileName, wait, request: checkedRequest } = form;
  const { via, signal, unknownFields } = origin;
  const { bytes } = file;
  const scope = { tenantId: tenant.id, signal };
  const payload = { format, bytes, selection: selectionOf(checkedRequest) };
  const { source_lang, detection } = await checkSource(services, payload, checkedRequest, scope);
  if (checkedRequest.update_of !== undefined)
    await services.database.inTenant(tenant.id, (tx) =>
      requireEarlier(tx, tenant.id, { ...checkedRequest, source_lang }),
    );
  const languages = { sourceLanguage: source_lang, targetLanguage: checkedRequest.target_lang };
  const existing = await readKept(services, form, languages, scope);

  const documentId = newId();
  const { mediaType: contentType } = layoutKinds[format];
  const source = await storeFile(
    services,
    destination,
    { tenantId: tenant.id, documentId, kind: 'source', contentType },
    bytes,
  );
  const files = [source];
  if (existing && existing.kept.size > 0) {
    const file = {
      tenantId: tenant.id,
      documentId,
      kind: 'existing',
      contentType: 'application/json',
    } as const;
    const storing = storeFile(services, destination, file, encodeKept(existing.kept));
    files.push(
      await storing.catch(async (error: unknown) => {
        await removeFile(services, source).catch(() => {});
        throw error;
      }),
    );
  }
  const request: DocumentTranslationRequest = {
    ...checkedRequest,
    source_lang,
    metadata: {
      content_type: clip(file.contentType, 255) || contentType,
      size_bytes: bytes.length,
      idempotency_key: checkedRequest.idempotency_key,
      tenant: { id: tenant.id, name: tenant.name },
      ...(via === 'translations' && { submitted_via: 'translations_upload' }),
      ...(detection && { source_lang_detection: detection }),
    },
  };
  const { target_lang } = request;
  const warnings = [
    ...formWarnings(unknownFields, { source_lang, target_lang, isDetected: detection !== null }),
    ...(existing?.warnings ?? []),
  ];
  const insert = async (tx: Tx) => {
    if (destination.provider === 'platform')
      await requireRoom(
        tx,
        services.settings,
        tenant.id,
        files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      );
    const [row] = await tx
      .insert(documentJobs)
      .values({
        tenantId: tenant.id,
        documentId,
        status: 'queued',
        idempotencyKey: request.idempotency_key,
        request,
        requestFingerprint: fingerprint,
        submittedBy,
        warnings: warnings.length > 0 ? warnings : null,
        sourceFileName: fileName,
        sourceFormat: format,
      })
      .onConflictDoNothing()
      .returning();
    if (!row) return selectDocumentByKey(tx, tenant.id, request.idempotency_key ?? '');
    for (const one of files) await insertArtifact(tx, one);
    // With `wait`, the job runs in this process and is not queued. If the process dies, the sweep finds the job and
    // queues it.
    if (!wait) await queueDocument(tx, tenant.id, documentId);
    return row;
  };
  const removeAll = async () => {
    for (const one of files) await removeFile(services, one).catch(() => {});
  };
  const inserted = await services.database.inTenant(tenant.id, insert).catch(async (error: unknown) => {
    // After any other error, the files must stay: the COMMIT may have succeeded without being acknowledged.
    if (error instanceof AppError) await removeAll();
    throw error;
  });
  if (inserted?.documentId === documentId) return { row: inserted, isNew: true };
  await removeAll();
  if (!inserted)
    throw new AppError(
      'transient_error',
      'the job of this Idempotency-Key was deleted during the request; send the request again',
    );
  return { row: inserted, isNew: false };
}

/** The fields that the form may have. */
const formFields = Object.keys(documentForm.shape);

/** Returns the warnings about a form. The text's language is compared with the stated one in the extracted text. */
export function formWarnings(
  unknownFields: readonly string[],
  languages: Parameters<typeof languageWarnings>[0],
): Warning[] {
  return [...unknownFieldWarnings(unknownFields, formFields), ...languageWarnings(languages)];
}

/**
 * Checks the file, and detects its language if the request asks for that.
 * @throws AppError 400 for an invalid file, or for one without a selected page or sheet; 422 if the language cannot be
 *   detected, or if the text of a PDF cannot be read to detect it
 */
export async function checkSource(
  services: Pick<Services, 'fileWork'>,
  payload: DocumentPayload,
  { source_lang }: Pick<DocumentTranslationRequest, 'source_lang'>,
  scope: TaskScope,
): Promise<{ source_lang: string; detection: SourceDetection | null }> {
  const names = { field: 'source_lang', text: 'the text of source_document' };
  try {
    if (!asksForDetection(source_lang)) {
      await checkFile(services, payload, scope);
      return { source_lang, detection: null };
    }
    const text = await sampleFile(services, payload, scope);
    const { language, detection } = readSourceLanguage(names, source_lang, text);
    return { source_lang: language, detection };
  } catch (error) {
    if (error instanceof FileError && error.reason !== 'selection' && layoutKinds[payload.format].readLater)
      throw undetected(names.field, `${error.message}; send the language of the file in ${names.field}`);
    throw fileRefusal(error);
  }
}
