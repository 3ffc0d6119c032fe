import { interrupted } from './attempt-error.ts';
import {
  type DocumentHandle,
  type DocumentOptions,
  type DocumentPoller,
  pollDocument,
} from './document-poller.ts';
import type { Downloads, OpenDownload } from './downloads.ts';
import type { CallOptions, CreateOptions, Settings } from './options.ts';
import { createListing, type Page } from './pages.ts';
import type { Rest } from './rest.ts';
import type { Rpc } from './rpc.ts';
import type { Attempt, Call, Send } from './send.ts';
import { formFields, formRequest, type SourceFile, sendableKey } from './source-file.ts';
import { type StreamedFile, streamedFile } from './streamed-file.ts';
import { newIdempotencyKey } from './translations.ts';
import type {
  DocumentApproval,
  DocumentApproveRequest,
  DocumentDeletion,
  DocumentListQuery,
  DocumentReviewRequest,
  DocumentSegment,
  DocumentSegmentPage,
  DocumentSegmentQuery,
  DocumentSummary,
  DocumentSummaryQuery,
  DocumentUpload,
  TenantDocumentArtifact,
  TenantDocumentJob,
} from './types.ts';

/** What translating a document may do otherwise. */
export interface TranslateOptions extends DocumentOptions, CreateOptions {
  /**
   * Lets the service translate before it responds, for small files: what fails then is the error of this call. By default the
   * document is queued.
   */
  wait?: boolean | undefined;
}

/** A translated document as a file. */
export type DocumentFile = StreamedFile;

/** Documents: files that are translated in place, with their layout kept. */
export interface Documents {
  /**
   * Translates a DOCX, XLSX or PDF file. Resolves as soon as the service has accepted the file; the poller waits for the end.
   * An unreadable file is thrown here if its format shows it (BadRequestError), else by the poller.
   *
   * It is sent with an idempotency key, so that a retry after a lost response finds the same document. With a key of your own
   * that holds across restarts: the same call returns the same document, whatever its status, a failed one too.
   */
  translate(file: SourceFile, request: DocumentUpload, options?: TranslateOptions): Promise<DocumentPoller>;
  /** Goes on waiting for a document, by its id or by what its poller was written as, in whichever process. NotFoundError if there is none. */
  resume(document: string | DocumentHandle, options?: DocumentOptions): Promise<DocumentPoller>;
  /** The document of this id; NotFoundError if there is none that this credential may see. */
  get(documentId: string, options?: CallOptions): Promise<TenantDocumentJob>;
  /** The tenant's documents, last changed first, page after page as they are asked for. */
  list(query?: DocumentListQuery, options?: CallOptions): AsyncIterable<TenantDocumentJob>;
  /** One page of `list`. */
  listPage(query?: DocumentListQuery, options?: CallOptions): Promise<Page<TenantDocumentJob>>;
  /** Counts of the tenant's documents. The breakdowns are an operator's: PermissionDeniedError for others. */
  summary(query?: DocumentSummaryQuery, options?: CallOptions): Promise<DocumentSummary>;
  /** Its segments in reading order, page after page as they are asked for; with `flagged` those that need a review. */
  segments(
    documentId: string,
    query?: DocumentSegmentQuery,
    options?: CallOptions,
  ): AsyncIterable<DocumentSegment>;
  /** One page of `segments`, with their number. */
  segmentPage(
    documentId: string,
    query?: DocumentSegmentQuery,
    options?: CallOptions,
  ): Promise<DocumentSegmentPage>;
  /** Its files: the source and each translated revision, oldest first. */
  artifacts(documentId: string, options?: CallOptions): Promise<TenantDocumentArtifact[]>;
  /**
   * The newest translated file, under the source's name. ConflictError before it is translated, or if it failed. What fails
   * before the first piece is tried again; nothing after it.
   */
  download(documentId: string, options?: CallOptions): Promise<DocumentFile>;
  /**
   * Corrects segments, all or none, and renders the file again. Repeatable as often as you like, yet each call is a review of
   * its own: it is sent again only if the service certainly did nothing.
   */
  review(
    documentId: string,
    request: DocumentReviewRequest,
    options?: CallOptions,
  ): Promise<TenantDocumentJob>;
  /** Approves a translated document and feeds the memory with it. A second call changes nothing and returns the first approver. */
  approve(
    documentId: string,
    request?: DocumentApproveRequest,
    options?: CallOptions,
  ): Promise<DocumentApproval>;
  /**
   * Deletes a document with its files, its segments and what it fed to the memory, for an administrator's access token; never
   * for an API key. Sent again only if the service certainly did nothing.
   */
  delete(documentId: string, options?: CallOptions): Promise<DocumentDeletion>;
}

const translateCall: Call = { name: 'documents.translate', repeatable: true };
/** The service works through the whole file before it responds. */
const waitCall: Call = { ...translateCall, texts: 10 };
const resumeCall: Call = { name: 'documents.resume', repeatable: true };
const getCall: Call = { name: 'documents.get', repeatable: true };
const listCall: Call = { name: 'documents.list', repeatable: true };
const summaryCall: Call = { name: 'documents.summary', repeatable: true };
const segmentsCall: Call = { name: 'documents.segments', repeatable: true };
const artifactsCall: Call = { name: 'documents.artifacts', repeatable: true };
const downloadCall: Call = { name: 'documents.download', repeatable: true };
/** Not repeatable: each call is one more review. */
const reviewCall: Call = { name: 'documents.review', repeatable: false };
/** Repeatable: a second approval changes nothing. */
const approveCall: Call = { name: 'documents.approve', repeatable: true };
/** Not repeatable: the second one would return 404, and the counts of the first would be lost. */
const deleteCall: Call = { name: 'documents.delete', repeatable: false };

const mediaTypes = {
  '.pdf': 'application/pdf',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Maximum milliseconds of one poll. A poll translates nothing, and the next one follows soon. */
const longestLook = 30_000;

export function documents(
  rpc: Rpc,
  rest: Rest,
  send: Send,
  downloads: Downloads,
  settings: Pick<Settings, 'timeoutMs'>,
): Documents {
  const { approve, artifacts, delete: remove, get, list, review, segments, summary } = rpc.documents;

  const read = (call: Call, documentId: string, options: CallOptions | undefined) =>
    send(call, (attempt) => get.query({ document_id: documentId }, attempt), options);

  const poll = (first: TenantDocumentJob, options: DocumentOptions = {}) => {
    const { timeoutMs = settings.timeoutMs, signal, requestId } = options;
    const patience = { signal, requestId, timeoutMs: Math.min(timeoutMs, longestLook), maxRetries: 0 };
    return pollDocument(first, () => read(resumeCall, first.id, patience), options);
  };

  const { list: listItems, listPage } = createListing<DocumentListQuery, TenantDocumentJob, CallOptions>(
    send,
    listCall,
    (query = {}, attempt) => list.query(query, attempt),
  );

  const segmentPage: Documents['segmentPage'] = (documentId, query, options) => {
    const ask = (attempt: Attempt) => segments.query({ ...query, document_id: documentId }, attempt);
    return send(segmentsCall, ask, options);
  };

  /** A page is fetched when its first segment is asked for. */
  async function* segmentsOf(
    documentId: string,
    query: DocumentSegmentQuery | undefined,
    options: CallOptions | undefined,
  ): AsyncGenerator<DocumentSegment, void> {
    let page = await segmentPage(documentId, query, options);
    yield* page.segments;
    while (page.next_cursor !== null) {
      page = await segmentPage(documentId, { ...query, cursor: page.next_cursor }, options);
      yield* page.segments;
    }
  }

  return {
    async translate(file, request, options = {}) {
      const { wait = false, idempotencyKey = newIdempotencyKey() } = options;
      const fields = formFields({ ...request, ...(wait && { wait: 'true' }) });
      const form = await formRequest('/api/documents/translate', fields, 'source_document', file, mediaTypes);
      const upload = {
        ...form,
        headers: { ...form.headers, 'idempotency-key': sendableKey(idempotencyKey) },
      };
      const ask = (attempt: Attempt) => rest.result(upload, readJob, attempt);
      return poll(await send(wait ? waitCall : translateCall, ask, options), options);
    },
    async resume(document, options) {
      const id = typeof document === 'string' ? document : document.document_id;
      return poll(await read(resumeCall, id, options), options);
    },
    get: (documentId, options) => read(getCall, documentId, options),
    list: listItems,
    listPage,
    summary: (query, options) => send(summaryCall, (attempt) => summary.query(query ?? {}, attempt), options),
    segments: (documentId, query, options) => ({
      [Symbol.asyncIterator]: () => segmentsOf(documentId, query, options),
    }),
    segmentPage,
    artifacts: (documentId, options) =>
      send(artifactsCall, (attempt) => artifacts.query({ document_id: documentId }, attempt), options),
    async download(documentId, options) {
      const path = `/api/documents/${encodeURIComponent(documentId)}/download`;
      const types = Object.values(mediaTypes);
      const opened = await downloads.open(downloadCall, { method: 'GET', path }, types, options);
      const unnamed = { fileName: `document-${documentId}`, contentType: 'application/octet-stream' };
      return streamedFile({ ...opened, read: readWhole(opened) }, unnamed);
    },
    review(documentId, request, options) {
      const input = { ...request, document_id: documentId };
      return send(reviewCall, (attempt) => review.mutate(input, attempt), options);
    },
    approve(documentId, request, options) {
      const input = { ...request, document_id: documentId };
      return send(approveCall, (attempt) => approve.mutate(input, attempt), options);
    },
    delete: (documentId, options) =>
      send(deleteCall, (attempt) => remove.mutate({ document_id: documentId }, attempt), options),
  };
}

function readJob(status: number, body: unknown): TenantDocumentJob | undefined {
  // Check only what is needed to poll: like all other responses, this one comes from the service.
  const { id, source_format } = (body ?? {}) as { id?: unknown; source_format?: unknown };
  const accepted = (status === 200 || status === 202) && typeof id === 'string';
  return accepted && typeof source_format === 'string' ? (body as TenantDocumentJob) : undefined;
}

/** Reads pieces and checks that there are as many bytes as were announced: not every connection reports a response that was cut off. */
function readWhole({ headers, read }: OpenDownload): OpenDownload['read'] {
  // Of a compressed response the length is another one's.
  const announced = headers.get('content-encoding') === null ? headers.get('content-length') : null;
  let received = 0;
  return async () => {
    const piece = await read();
    received += piece?.length ?? 0;
    if (!piece && announced !== null && received !== Number(announced))
      throw interrupted(downloadCall.name, new Error('it ends within the file'));
    return piece;
  };
}
