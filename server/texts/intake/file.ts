import { setImmediate } from 'node:timers/promises';
import type { Services } from '#server/context.ts';
import { AppError, tooLarge } from '#server/errors.ts';
import { documentKind, type FlattenKind, layoutKind, plainFileName } from '#server/formats/document-kind.ts';
import { FileError } from '#server/formats/file-error.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { clip } from '#server/formats/text.ts';
import { pagesOf } from '#server/formats/text-pages.ts';
import { requireLanguage } from '#server/http/supported-language.ts';
import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import { findUnstorable } from '#server/platform/input-limits.ts';
import { flattenUpload } from '#server/platform/sandbox/file-work.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import { sandboxRefusal } from '#server/platform/sandbox-errors.ts';
import type { Settings } from '#server/settings.ts';
import {
  asksForDetection,
  readSourceLanguage,
  withDetection,
} from '#server/translation/intake/source-language.ts';
import { type Manner, readManner } from '#server/translation/request.ts';
import type { UploadedFile } from '#server/trpc.ts';
import { itemKey } from '../idempotency.ts';
import type { TranslationRequest } from '../schema.ts';
import { callersMetadata, checkRequest, requireAllowedModels } from './check-request.ts';
import type { DocumentTextRequest, FileRequest } from './schema.ts';

/** Fields of a form or query whose values are converted to numbers in the request's metadata. */
const numberFields = ['debate_rounds', 'min_quality_score', 'max_quality_loop_retries'] as const;

/**
 * Returns the requests for the pages of a text file. First makes the cheap checks, then authenticates the caller, then
 * reads the file, which is expensive.
 * @throws AppError 400, 413, 415 or 422
 */
export async function readFileRequest(
  services: Pick<Services, 'fileWork' | 'settings'>,
  input: FileRequest,
  authenticate: () => Promise<SlotScope>,
): Promise<TranslationRequest[]> {
  const file = input.source_document;
  if (!file) throw new AppError('validation_error', 'source_document upload is required');
  if (file.bytes.length === 0) throw new AppError('validation_error', 'source_document is empty');
  const kind = requireTextKind(file);
  if (!input.target_lang?.trim()) throw new AppError('validation_error', 'target_lang is required');
  const request = requestOf(input, input.target_lang);
  requireAllowedModels(request.metadata, services.settings);

  const scope = await authenticate();
  const source_text = await flattenFile(services, scope, kind, file.bytes);
  const { language, detection } = readSourceLanguage(
    { field: 'source_lang', text: 'the text of source_document' },
    request.source_lang,
    source_text,
  );
  const document: SourceDocument = {
    name: clip(plainFileName(file.name), 255) || defaultName,
    content_type: clip(file.contentType, 255) || null,
    size_bytes: file.bytes.length,
  };
  const metadata = withDetection(request.metadata, detection);
  return requestPages(
    { ...request, source_text, source_lang: language, metadata },
    document,
    services.settings,
  );
}

/**
 * Whether a file in a form is to be translated with its layout. A known file name extension takes precedence over the
 * declared content type.
 */
export function isLayoutFile({ name, contentType }: Pick<UploadedFile, 'name' | 'contentType'>): boolean {
  const byExtension = documentKind(name, undefined);
  const isText = byExtension !== undefined && byExtension !== 'pdf' && byExtension !== 'docx';
  const kind = layoutKind(name, contentType);
  return !isText && kind !== undefined && layoutKinds[kind].inTranslations === true;
}

/** The default file name of a raw body. Its extension determines the format if the content type does not. */
const defaultName = 'source_document.txt';

function requireTextKind({ name, contentType }: UploadedFile): FlattenKind {
  const kind = documentKind(name, contentType) ?? (name === '' ? documentKind(defaultName, '') : undefined);
  if (!kind) throw new AppError('unsupported_media_type', 'unsupported source_document type');
  return kind;
}

/** Returns the request of a file, without its text. A source language that has to be detected is still `auto`. */
function requestOf(input: FileRequest, targetLang: string): TranslationRequest {
  const source_lang = input.source_lang || 'en';
  const { text_type } = input;
  if (text_type !== undefined && text_type !== '' && text_type !== 'Plain' && text_type !== 'Html')
    throw new AppError(
      'validation_error',
      `unsupported text_type ${JSON.stringify(text_type.slice(0, 40))}; send Plain or Html`,
    );
  const metadata = callersMetadata(readMetadata(input.metadata));
  if (input.candidate_models) metadata['candidate_models'] = input.candidate_models;
  for (const name of numberFields) if (input[name]?.trim()) metadata[name] = readNumber(name, input[name]);
  if (input.model) metadata['primary_model'] = input.model;
  return {
    source_text: '',
    source_lang: asksForDetection(source_lang) ? source_lang : requireLanguage('source_lang', source_lang),
    target_lang: requireLanguage('target_lang', targetLang.trim()),
    idempotency_key: input.idempotency_key,
    domain: input.domain?.trim() || null,
    ...mannerOf(input),
    // The extracted text is plain text, even if the file was HTML.
    text_type: 'Plain',
    metadata,
    deployment_name: null,
    adaptive_dataset_id: null,
    allow_fallback: null,
  };
}

/** Returns the manner of a form, in which an empty field is not set. */
function mannerOf(input: FileRequest): Manner {
  const stated = Object.entries<string | null>(readManner(input));
  return Object.fromEntries(stated.map(([name, value]) => [name, value?.trim() || null])) as Manner;
}

function readNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number)) throw new AppError('validation_error', `${name} must be a number`);
  return number;
}

function readMetadata(text: string | undefined): Record<string, unknown> {
  if (!text?.trim()) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('malformed_request', 'metadata is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('malformed_request', 'metadata must be a JSON object');
  if (findUnstorable(value))
    throw new AppError('malformed_request', 'metadata has values that cannot be stored');
  return value as Record<string, unknown>;
}

/**
 * Reads the text of a file in a child process. Tenants get the processes in turn.
 * @throws AppError 400 for a file without text, 429 or 503 if too many files are queued
 */
async function flattenFile(
  { fileWork }: Pick<Services, 'fileWork'>,
  scope: TaskScope,
  kind: FlattenKind,
  bytes: Uint8Array,
): Promise<string> {
  try {
    return await flattenUpload(fileWork, kind, bytes, scope);
  } catch (error) {
    if (error instanceof FileError)
      throw new AppError('validation_error', `source_document: ${error.message}`, { cause: error });
    throw sandboxRefusal(error);
  }
}

/** The document to which a page belongs. Further fields from the caller are kept. */
interface SourceDocument {
  name: string;
  content_type: string | null;
  size_bytes: number;
  [said: string]: unknown;
}

/** Number of pages to split before other requests may run: a few milliseconds of work. */
const pagesOfSlice = 5;

/**
 * Splits a document into one request per page. The keys are `<key>:1`, `<key>:2` and so on.
 * @throws AppError 400 if there is no text, 413 for more pages than MAX_BATCH_ITEMS
 */
export async function requestPages(
  request: TranslationRequest,
  document: SourceDocument,
  settings: Settings,
): Promise<TranslationRequest[]> {
  // However such a text is split, it has too many pages.
  if (request.source_text.length > 2 * settings.MAX_BATCH_ITEMS * settings.MAX_PAGE_CHARS)
    throw tooManyPages(settings);
  const pages: string[] = [];
  for (const page of pagesOf(request.source_text, settings.MAX_PAGE_CHARS, request.source_lang)) {
    if (pages.length === settings.MAX_BATCH_ITEMS) throw tooManyPages(settings);
    pages.push(page);
    if (pages.length % pagesOfSlice === 0) await setImmediate();
  }
  if (pages.length === 0) throw new AppError('validation_error', 'no text found in source_document');
  return pages.map((source_text, index) =>
    checkRequest(
      {
        ...request,
        source_text,
        idempotency_key: itemKey(request.idempotency_key, index + 1),
        metadata: {
          ...request.metadata,
          source_document: { ...document, page_number: index + 1, page_count: pages.length },
        },
      },
      settings,
    ),
  );
}

/** Returns the requests for the pages of a document that is sent as text (`metadata.source_document`). */
export async function requestPagesOfText(
  request: DocumentTextRequest,
  settings: Settings,
): Promise<TranslationRequest[]> {
  const checked = checkRequest(request, settings);
  const said = request.metadata.source_document;
  const document: SourceDocument = {
    ...said,
    name: said.name ?? 'source_document.txt',
    content_type: typeof said['content_type'] === 'string' ? said['content_type'] : null,
    size_bytes: Buffer.byteLength(request.source_text),
  };
  return requestPages(checked, document, settings);
}

/** The message has no page count, because splitting stops at the limit. */
function tooManyPages({ MAX_BATCH_ITEMS }: Settings): AppError {
  return tooLarge('batch exceeds MAX_BATCH_ITEMS', { limit: MAX_BATCH_ITEMS, unit: 'items' });
}
