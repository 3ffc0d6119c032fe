import { readFileName } from './downloads.ts';
import type { CallOptions, CreateOptions } from './options.ts';
import { createListing, type Page } from './pages.ts';
import type { Rest } from './rest.ts';
import type { Rpc } from './rpc.ts';
import type { Call, Send } from './send.ts';
import { pagesOf, type SourceFile, uploadOf } from './source-file.ts';
import type {
  BatchTranslationRequest,
  DocumentTextRequest,
  FileTranslationRequest,
  GoldenFormat,
  ReviewRequest,
  TranslationDeletion,
  TranslationJob,
  TranslationListQuery,
  TranslationRequest,
} from './types.ts';

/** A published translation as a file. */
export interface GoldenFile {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  /** After the source document, page and language; it names no folder. */
  fileName: string;
}

const goldenCall: Call = { name: 'translations.golden', repeatable: true };

const mediaTypes: Readonly<Record<GoldenFormat, string>> = {
  txt: 'text/plain',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
};

function golden(rest: Rest, send: Send) {
  return async (
    jobId: string,
    { format = 'txt' }: { format?: GoldenFormat | undefined } = {},
    options?: CallOptions,
  ): Promise<GoldenFile> => {
    const request = {
      method: 'GET',
      path: `/api/translations/${encodeURIComponent(jobId)}/golden?format=${format}`,
    } as const;
    const { bytes, headers } = await send(
      goldenCall,
      (attempt) => rest.download(request, mediaTypes[format], attempt),
      options,
    );
    return {
      bytes,
      contentType: headers.get('content-type') ?? mediaTypes[format],
      fileName: readFileName(headers.get('content-disposition')) ?? `translation-${jobId}.${format}`,
    };
  };
}

/**
 * Texts and their translation jobs. Whatever creates is sent with an idempotency key, so that a retry never translates
 * or bills twice; where a retry finds that the first sending is still at work, it answers a job that is `pending`.
 */
export interface Translations {
  /** Translates a text and answers its job: `published`, or `awaiting_review` where a person must look first. */
  create(request: TranslationRequest, options?: CreateOptions): Promise<TranslationJob>;
  /**
   * Translates each text of a batch into each of its languages, one after the other, and answers the jobs in that
   * order. Where one fails its error is thrown, what was done before it stays, and the same call with the same key goes
   * on from there. The key of the job at place n, from 0, is `<key>:<n>`.
   */
  createBatch(request: BatchTranslationRequest, options?: CreateOptions): Promise<TranslationJob[]>;
  /** Translates the text of a document page by page, and answers a job for each page. Keyed `<key>:<n>` from 1. */
  createFromText(request: DocumentTextRequest, options?: CreateOptions): Promise<TranslationJob[]>;
  /**
   * Translates the text of a file (CSV, DOCX, HTML, JSON, Markdown, PDF, plain text, XML) page by page, and answers a
   * job for each page. Its layout is not kept. Keyed `<key>:<n>` from 1.
   */
  createFromFile(
    file: SourceFile,
    request: FileTranslationRequest,
    options?: CreateOptions,
  ): Promise<TranslationJob[]>;
  /** The job of this id; NotFoundError where there is none that this credential may see. */
  get(jobId: string, options?: CallOptions): Promise<TranslationJob>;
  /** The tenant's jobs, last changed first, page after page as they are asked for. */
  list(query?: TranslationListQuery, options?: CallOptions): AsyncIterable<TranslationJob>;
  /** One page of `list`. */
  listPage(query?: TranslationListQuery, options?: CallOptions): Promise<Page<TranslationJob>>;
  /**
   * Acts on a job that awaits review, and answers it; BadRequestError where it is not reviewable (any more). What ends
   * the review is sent again only where the service certainly did nothing: `get` tells what became of it.
   */
  review(jobId: string, request: ReviewRequest, options?: CallOptions): Promise<TranslationJob>;
  /** Downloads a `published` or `human_edited` translation, as text unless told; ConflictError for any other. */
  golden(
    jobId: string,
    query?: { format?: GoldenFormat | undefined },
    options?: CallOptions,
  ): Promise<GoldenFile>;
  /**
   * Deletes a job with its records, for an administrator's access token; never for an API key. Sent again only where the
   * service certainly did nothing.
   */
  delete(jobId: string, options?: CallOptions): Promise<TranslationDeletion>;
}

const createCall: Call = { name: 'translations.create', repeatable: true };
const createBatchCall: Call = { name: 'translations.createBatch', repeatable: true };
const createFromTextCall: Call = { name: 'translations.createFromText', repeatable: true };
const createFromFileCall: Call = { name: 'translations.createFromFile', repeatable: true };
const getCall: Call = { name: 'translations.get', repeatable: true };
const listCall: Call = { name: 'translations.list', repeatable: true };
/**
 * Repeatable: a draft saved twice is the same draft. Closing is not: closing a review twice is an error, and the first
 * result would be lost.
 */
const saveCall: Call = { name: 'translations.review', repeatable: true };
const closeCall: Call = { name: 'translations.review', repeatable: false };
/** Not repeatable: the second one would return 404, and the counts of the first would be lost. */
const deleteCall: Call = { name: 'translations.delete', repeatable: false };

export function translations(rpc: Rpc, rest: Rest, send: Send): Translations {
  const { create, createBatch, createFromText, get, list, review, delete: remove } = rpc.translations;

  const { list: listItems, listPage } = createListing<TranslationListQuery, TranslationJob, CallOptions>(
    send,
    listCall,
    (query = {}, attempt) => list.query(query, attempt),
  );

  return {
    create(request, options) {
      const input = withKey(request, options);
      return send(createCall, (attempt) => create.mutate(input, attempt), options);
    },
    async createBatch(request, options) {
      const input = withKey(request, options);
      const texts = request.inputs.reduce((sum, { Targets }) => sum + Targets.length, 0);
      return send(
        { ...createBatchCall, texts: Math.max(texts, 1) },
        (attempt) => createBatch.mutate(input, attempt),
        options,
      );
    },
    async createFromText(request, options) {
      const input = withKey(request, options);
      return send(
        { ...createFromTextCall, texts: pagesOf(request.source_text.length) },
        (attempt) => createFromText.mutate(input, attempt),
        options,
      );
    },
    async createFromFile(file, request, options) {
      const key = options?.idempotencyKey ?? newIdempotencyKey();
      const upload = await uploadOf(file, request, key);
      const jobs = await send(
        { ...createFromFileCall, texts: upload.pages },
        (attempt) => rest.array(upload.request, attempt),
        options,
      );
      return jobs as TranslationJob[];
    },
    get: (jobId, options) => send(getCall, (attempt) => get.query({ job_id: jobId }, attempt), options),
    list: listItems,
    listPage,
    review(jobId, request, options) {
      const input = { ...request, job_id: jobId };
      const call = request.action === 'save' ? saveCall : closeCall;
      return send(call, (attempt) => review.mutate(input, attempt), options);
    },
    golden: golden(rest, send),
    delete: (jobId, options) =>
      send(deleteCall, (attempt) => remove.mutate({ job_id: jobId }, attempt), options),
  };
}

/** Adds an idempotency key to a request: its own, that of the options, or a new one. */
function withKey<T extends { idempotency_key?: string | null | undefined }>(
  request: T,
  options: CreateOptions | undefined,
): T & { idempotency_key: string } {
  const idempotency_key = request.idempotency_key ?? options?.idempotencyKey ?? newIdempotencyKey();
  return { ...request, idempotency_key };
}

/** A new idempotency key. */
export function newIdempotencyKey(): string {
  // Browsers keep randomUUID from pages that came over plain HTTP.
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
