import { setTimeout as delay } from 'node:timers/promises';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { selectCommittedUsage } from '#server/billing/metering/committed-usage.ts';
import { checkEntitlement, readBilledTenant } from '#server/billing/metering/entitlement.ts';
import type { Services } from '#server/context.ts';
import { AppError, describeForLog } from '#server/errors.ts';
import { type LayoutKind, layoutKind, plainFileName } from '#server/formats/document-kind.ts';
import { FileError } from '#server/formats/file-error.ts';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import { clip } from '#server/formats/text.ts';
import { withRequestDeadline } from '#server/http/request-deadline.ts';
import {
  fingerprintOf,
  type KeyedResult,
  requestDiffers,
  withDifferingRequest,
} from '#server/http/request-fingerprint.ts';
import { requireLanguage } from '#server/http/supported-language.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { newId } from '#server/platform/ids.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import { type Destination, destinationIn } from '#server/storage/destination.ts';
import { expectRoom, requireRoom } from '#server/storage/usage.ts';
import { languageWarnings, unknownFieldWarnings } from '#server/translation/core/intake/request-warnings.ts';
import {
  asksForDetection,
  readSourceLanguage,
  type SourceDetection,
  undetected,
} from '#server/translation/core/intake/source-language.ts';
import type { UploadedFile } from '#server/trpc.ts';
import { insertArtifact, layoutTypes, removeFile, storeFile } from './artifacts.ts';
import type { RunServices } from './document-run.ts';
import { checkFile, sampleFile } from './file-work.ts';
import {
  type DocumentRow,
  getDocument,
  isInFlight,
  selectDocument,
  selectDocumentByKey,
  unknownDocument,
} from './jobs.ts';
import { queueDocument } from './queue.ts';
import { runDocument } from './run-document.ts';
import {
  type DocumentForm,
  type DocumentJob,
  type DocumentTranslationRequest,
  documentForm,
} from './schema.ts';
import { isWaiting } from './waiting.ts';

/** A submission's job: a new one, or that of an earlier submission. */
export interface SubmittedDocument extends KeyedResult {
  tenantId: string;
  documentId: string;
  inFlight: boolean;
}

/** The transport and form of a submission. */
export interface Origin {
  via: 'documents' | 'translations';
  signal: AbortSignal;
  /** Unknown fields of the form. */
  unknownFields: readonly string[];
}

interface CheckedForm {
  file: UploadedFile;
  format: LayoutKind;
  fileName: string;
  wait: boolean;
  request: Omit<DocumentTranslationRequest, 'metadata'>;
}

/**
 * Accepts a document: checks the form, the replay by key, payment and the file, then stores the file and queues the job.
 * With `wait` the job runs here, and its failure is thrown. If it is not completed at the request's deadline, it continues
 * in the queue.
 * @throws AppError 400, 401, 402, 409, 413, 415, 422, 429, 507 before a job exists; with `wait` also 429, 503 and 504
 */
export function submitDocument(
  services: RunServices,
  withTenant: WithTenant,
  form: DocumentForm,
  origin: Origin,
): Promise<SubmittedDocument> {
  return withRequestDeadline(services.settings, (deadline) =>
    submitUntil(deadline.signal, services, withTenant, form, {
      ...origin,
      signal: AbortSignal.any([origin.signal, deadline.signal]),
    }),
  );
}

async function submitUntil(
  deadline: AbortSignal,
  services: RunServices,
  withTenant: WithTenant,
  form: DocumentForm,
  origin: Origin,
): Promise<SubmittedDocument> {
  const { via, signal } = origin;
  // POST /api/translations checks a submission before it authenticates the caller.
  const checkedFirst = via === 'translations' ? checkForm(form) : undefined;
  // Authenticate before returning validation errors. Make all possible checks before reading the file, which is expensive.
  const { tenant, checked, known, destination } = await withTenant(async (tx, principal) => {
    const checked = checkedFirst ?? checkForm(form);
    const { tenant } = principal;
    const key = checked.request.idempotency_key;
    const known = key === null ? undefined : await selectDocumentByKey(tx, tenant.id, key);
    if (known) return { tenant, checked, known };
    await requireEntitlement(tx, services, principal);
    const destination = await destinationIn(tx, services, tenant.id);
    if (destination.provider === 'platform')
      await expectRoom(tx, services.settings, tenant.id, checked.file.bytes.length);
    return { tenant, checked, destination };
  });
  const key = checked.request.idempotency_key;
  const fingerprint = key === null ? null : await requestFingerprint(checked);
  const { wait } = checked;
  if (known) return replay(services, known, { wait, fingerprint, signal, deadline });

  const make = () => makeJob(services, tenant, checked, fingerprint, destination, origin);
  const made =
    key === null
      ? await make()
      : await oneAtATime(`${tenant.id} ${key}`, async (waited) => {
          const known = waited && (await findByKey(services, tenant.id, key));
          return known ? { row: known, isNew: false } : make();
        });
  if (!made.isNew) return replay(services, made.row, { wait, fingerprint, signal, deadline });
  const { documentId } = made.row;
  const submitted = { tenantId: tenant.id, documentId, replayed: false, differs: false };
  if (!wait) return { ...submitted, inFlight: true };
  const run = services.backgroundWork.track(
    runDocument(services, tenant.id, documentId, { inlineUntil: deadline }),
  );
  const failure = await Promise.race([run, aborted(deadline)]);
  if (failure) throw failure;
  if (deadline.aborted)
    run.catch((error: unknown) =>
      services.log.error(
        { document_id: documentId, error: describeForLog(error) },
        'a document could not be run',
      ),
    );
  // When a process stops, and at the deadline, the rest of the job is left to another process.
  const row = await services.database.inTenant(tenant.id, (tx) => selectDocument(tx, tenant.id, documentId));
  return { ...submitted, inFlight: row !== undefined && isInFlight(row) };
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** Submissions by key for which this process is creating a job. */
const making = new Map<string, Promise<unknown>>();

/**
 * Runs work with the same name one after the other: otherwise simultaneous resends would each have their file checked, and
 * most would be rejected for capacity. Between processes, the unique key decides.
 * @param work receives whether it had to wait
 */
async function oneAtATime<T>(name: string, work: (waited: boolean) => Promise<T>): Promise<T> {
  let waited = false;
  for (let other = making.get(name); other; other = making.get(name)) {
    waited = true;
    await other;
  }
  const mine = work(waited);
  making.set(
    name,
    mine.catch(() => {}),
  );
  try {
    return await mine;
  } finally {
    making.delete(name);
  }
}

function findByKey({ database }: Pick<Services, 'database'>, tenantId: string, key: string) {
  return database.inTenant(tenantId, (tx) => selectDocumentByKey(tx, tenantId, key));
}

/**
 * Checks the file, stores it, and inserts its job. With `wait` the job is not queued.
 * @returns the job with the key; an existing one if another process was faster
 */
async function makeJob(
  services: RunServices,
  tenant: { id: string; name: string },
  { file, format, fileName, wait, request: checkedRequest }: CheckedForm,
  requestFingerprint: Uint8Array | null,
  destination: Destination,
  { via, signal, unknownFields }: Origin,
): Promise<{ row: DocumentRow; isNew: boolean }> {
  const { bytes } = file;
  const scope = { tenantId: tenant.id, signal };
  const { source_lang, detection } = await checkSource(services, { format, bytes }, checkedRequest, scope);

  const documentId = newId();
  const contentType = layoutTypes[format];
  const source = await storeFile(
    services,
    destination,
    { tenantId: tenant.id, documentId, kind: 'source', contentType },
    bytes,
  );
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
    ...unknownFieldWarnings(unknownFields, formFields),
    // The text's language is compared with the stated one when it is extracted.
    ...languageWarnings({ source_lang, target_lang, isDetected: detection !== null }),
  ];
  const insert = async (tx: Tx) => {
    if (destination.provider === 'platform')
      await requireRoom(tx, services.settings, tenant.id, bytes.length);
    const [row] = await tx
      .insert(documentJobs)
      .values({
        tenantId: tenant.id,
        documentId,
        status: 'queued',
        idempotencyKey: request.idempotency_key,
        request,
        requestFingerprint,
        warnings: warnings.length > 0 ? warnings : null,
        sourceFileName: fileName,
        sourceFormat: format,
      })
      .onConflictDoNothing()
      .returning();
    if (!row) return selectDocumentByKey(tx, tenant.id, request.idempotency_key ?? '');
    await insertArtifact(tx, source);
    // A job that runs here is queued only if this process dies: the sweep finds it.
    if (!wait) await queueDocument(tx, tenant.id, documentId);
    return row;
  };
  const inserted = await services.database.inTenant(tenant.id, insert).catch(async (error: unknown) => {
    // Any other error may come after a COMMIT that was not acknowledged.
    if (error instanceof AppError) await removeFile(services, source).catch(() => {});
    throw error;
  });
  if (inserted?.documentId === documentId) return { row: inserted, isNew: true };
  await removeFile(services, source).catch(() => {});
  if (!inserted)
    throw new AppError('transient_error', 'the job for this Idempotency-Key was deleted; resend');
  return { row: inserted, isNew: false };
}

/** Allowed fields of the form. */
const formFields = Object.keys(documentForm.shape);

/**
 * Checks the file, and detects its language if requested.
 * @throws AppError 400 for an invalid file; 422 if its language cannot be detected, or a PDF's text cannot be read to do so
 */
async function checkSource(
  services: Pick<Services, 'fileWork'>,
  payload: { format: LayoutKind; bytes: Uint8Array },
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
    if (!(error instanceof FileError)) throw error;
    if (payload.format === 'pdf')
      throw undetected(names.field, `${error.message}; send the language of the file in ${names.field}`);
    throw new AppError('validation_error', `source_document: ${error.message}`, { cause: error });
  }
}

/** Milliseconds between two reads of a job that runs elsewhere. */
const lookEvery = 500;

/**
 * A resend returns the job with its key, in any status. With `wait` it returns when the job has ended or waits for an outage
 * to pass, at the deadline, or when this process stops.
 */
async function replay(
  { database, backgroundWork }: Pick<Services, 'backgroundWork' | 'database'>,
  known: DocumentRow,
  {
    wait,
    fingerprint,
    signal,
    deadline,
  }: { wait: boolean; fingerprint: Uint8Array | null; signal: AbortSignal; deadline: AbortSignal },
): Promise<SubmittedDocument> {
  const { tenantId, documentId } = known;
  const differs = requestDiffers(known.requestFingerprint, fingerprint);
  let row: DocumentRow | undefined = known;
  while (wait && row && isInFlight(row) && !isWaiting(row) && !backgroundWork.stopping.aborted) {
    await delay(lookEvery, undefined, { signal }).catch((error: unknown) => {
      if (!deadline.aborted) throw error;
    });
    if (deadline.aborted) break;
    row = await database.inTenant(tenantId, (tx) => selectDocument(tx, tenantId, documentId));
  }
  if (!row) throw unknownDocument();
  return { tenantId, documentId, replayed: true, differs, inFlight: isInFlight(row) };
}

/** The job of a submission as its sender may see it. */
export async function readSubmittedDocument(
  { database }: Pick<Services, 'database'>,
  { tenantId, documentId, differs }: SubmittedDocument,
  audience: { operator: boolean },
): Promise<DocumentJob> {
  const job = await database.inTenant(tenantId, (tx) => getDocument(tx, tenantId, documentId, audience));
  return differs ? withDifferingRequest(job) : job;
}

/**
 * The fingerprint of everything that affects the translated file, stored with the key: the bytes, and the fields except the
 * text type, which a document job ignores. Of the file's name, only the format counts.
 */
async function requestFingerprint({ file, format, request }: CheckedForm): Promise<Uint8Array> {
  const { idempotency_key: _, text_type: __, ...fields } = request;
  // Runs on another thread, because a file may have 50 MB.
  const bytes = await crypto.subtle.digest('SHA-256', file.bytes as Uint8Array<ArrayBuffer>);
  // `auto` may be in any letter case.
  const source_lang = fields.source_lang.toLowerCase();
  return fingerprintOf({ ...fields, source_lang, format, bytes: Buffer.from(bytes).toString('hex') });
}

/**
 * A subscription is required if billing is enabled, because the trial does not cover layout jobs; and some allowance must be
 * left. The number of characters is known later, when the stage `admit` checks again.
 * @throws AppError 402, 429
 */
async function requireEntitlement(
  tx: Tx,
  { settings }: Pick<Services, 'settings'>,
  principal: Principal,
): Promise<void> {
  const tenant = await readBilledTenant(tx, settings);
  const request = { kind: 'document', credential: principal.kind, chars: 1 } as const;
  const { limits, refusal } = checkEntitlement(settings, tenant, request, []);
  const [usage] = await selectCommittedUsage(tx, { ...limits, tenantId: principal.tenant.id });
  const refused = usage && refusal(usage);
  if (refused) throw refused;
}

function checkForm(form: DocumentForm): CheckedForm {
  const file = form.source_document;
  if (!file) throw new AppError('validation_error', 'source_document upload is required');
  if (file.bytes.length === 0) throw new AppError('validation_error', 'source_document is empty');
  const format = layoutKind(file.name, file.contentType);
  if (!format)
    throw new AppError(
      'unsupported_media_type',
      `unsupported source_document type; accepted: ${Object.keys(layoutFormats)
        .map((kind) => `.${kind}`)
        .join(', ')}`,
    );
  if (!form.target_lang?.trim()) throw new AppError('validation_error', 'target_lang is required');
  const textType = form.text_type?.trim() ?? '';
  if (textType !== '' && textType !== 'Plain' && textType !== 'Html')
    throw new AppError(
      'validation_error',
      `unsupported text_type ${JSON.stringify(textType.slice(0, 40))}; send Plain or Html`,
    );
  const source_lang = form.source_lang?.trim() || 'en';
  return {
    file,
    format,
    fileName: fileNameOf(file, format),
    wait: ['1', 'true', 'yes'].includes(form.wait?.trim().toLowerCase() ?? ''),
    request: {
      source_lang: asksForDetection(source_lang) ? source_lang : requireLanguage('source_lang', source_lang),
      target_lang: requireLanguage('target_lang', form.target_lang.trim()),
      domain: form.domain?.trim() || null,
      idempotency_key: form.idempotency_key,
      text_type: textType || null,
      tone: form.tone?.trim() || null,
      gender: form.gender?.trim() || null,
    },
  };
}

/** A name without the format's extension gets it. */
function fileNameOf({ name }: UploadedFile, format: LayoutKind): string {
  const stem = clip(plainFileName(name).trim(), 250) || 'document';
  return stem.toLowerCase().endsWith(`.${format}`) ? stem : `${stem}.${format}`;
}
