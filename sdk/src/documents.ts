import { type ApiPromise, afterwards, mapResult } from './api-promise.ts';
import { interrupted } from './attempt-error.ts';
import type { Connection } from './connection.ts';
import {
  type DocumentHandle,
  type DocumentOptions,
  type DocumentPoller,
  pollDocument,
} from './document-poller.ts';
import { type OpenDownload, readSuggestedName } from './downloads.ts';
import { type ExportedText, exportText, xliffFile, xliffReview } from './exported-text.ts';
import type { CallOptions, CreateOptions, UploadOptions } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import { maxPollIntervalMs } from './polling.ts';
import type { Call } from './send.ts';
import { formFields, formRequest, type SourceFile, sendableKey } from './source-file.ts';
import { type StreamedFile, streamedFile } from './streamed-file.ts';
import type {
  ApprovalOutcomes,
  ApproveManyRequest,
  ConfirmedSegments,
  CorrectedDocument,
  DocumentApproval,
  DocumentApproveRequest,
  DocumentCorrectionRequest,
  DocumentDeletion,
  DocumentListQuery,
  DocumentOutage,
  DocumentOutageQuery,
  DocumentOutline,
  DocumentProgressList,
  DocumentProgressQuery,
  DocumentReviewRequest,
  DocumentSegment,
  DocumentSegmentPage,
  DocumentSegmentQuery,
  DocumentSummary,
  DocumentSummaryQuery,
  DocumentUpload,
  DocumentXliffQuery,
  DocumentXliffReviewRequest,
  RequeuedDocuments,
  RequeueRequest,
  SegmentBoxPage,
  SegmentBoxQuery,
  SegmentCheck,
  SegmentCheckRequest,
  SegmentConfirmRequest,
  SegmentSearchPage,
  SegmentSearchQuery,
  TenantDocumentArtifact,
  TenantDocumentJob,
} from './types.ts';

/** Options of translating a document. */
export interface TranslateOptions extends DocumentOptions, CreateOptions, UploadOptions {
  /**
   * Lets the service translate before it responds, for small files: failures are then errors of this call. By default
   * the document is queued.
   */
  wait?: boolean | undefined;
}

/** A translated document as a file. */
export interface DocumentFile extends StreamedFile {
  /**
   * The suggested file name: `menu.fr.xlsx`. It overwrites neither the source nor another language, and contains no
   * folder.
   */
  fileName: string;
  /** The name of the source. It contains no folder. */
  sourceFileName: string;
}

/** Documents: files that are translated keeping their layout. */
export interface Documents {
  /**
   * Translates a DOCX, XLSX or PDF file. Resolves as soon as the service has accepted the file; the poller waits for
   * the end. An unreadable file is thrown here if its format shows it (BadRequestError), else by the poller.
   *
   * It is sent with an idempotency key, so that a retry after a lost response finds the same document. With your own
   * key this also works across restarts: the same call returns the same document, whatever its status, even a failed
   * one.
   */
  translate(
    file: SourceFile,
    request: DocumentUpload,
    options?: TranslateOptions,
  ): ApiPromise<DocumentPoller>;
  /**
   * Continues to wait for a document, by its id or its poller's handle, in any process. NotFoundError if it does not
   * exist.
   */
  resume(document: string | DocumentHandle, options?: DocumentOptions): ApiPromise<DocumentPoller>;
  /** The document with this id; NotFoundError if this credential cannot see one. */
  get(documentId: string, options?: CallOptions): ApiPromise<TenantDocumentJob>;
  /** The tenant's documents, last changed first; pages are read on demand. */
  list(query?: DocumentListQuery, options?: CallOptions): List<TenantDocumentJob>;
  /** One page of `list`. */
  listPage(query?: DocumentListQuery, options?: CallOptions): ApiPromise<Page<TenantDocumentJob>>;
  /** Counts of the tenant's documents. The breakdowns are for operators: PermissionDeniedError for others. */
  summary(query?: DocumentSummaryQuery, options?: CallOptions): ApiPromise<DocumentSummary>;
  /** Its segments in reading order; pages are read on demand; with `flagged` only segments that need a review. */
  segments(documentId: string, query?: DocumentSegmentQuery, options?: CallOptions): List<DocumentSegment>;
  /** One page of `segments`, with their number. */
  segmentPage(
    documentId: string,
    query?: DocumentSegmentQuery,
    options?: CallOptions,
  ): ApiPromise<DocumentSegmentPage>;
  /** Its files: the source and each translated revision, oldest first. */
  artifacts(documentId: string, options?: CallOptions): ApiPromise<TenantDocumentArtifact[]>;
  /**
   * The latest translated file, with a suggested name and the name of its source. ConflictError before it is
   * translated, or if it failed. A failure before the first piece is retried; later failures are not.
   */
  download(documentId: string, options?: CallOptions): ApiPromise<DocumentFile>;
  /**
   * Corrects segments, all or none, and renders the file again. Can be called repeatedly, but each call is a separate
   * review: it is sent again only if the service certainly did nothing.
   */
  review(
    documentId: string,
    request: DocumentReviewRequest,
    options?: CallOptions,
  ): ApiPromise<TenantDocumentJob>;
  /**
   * Its segments as XLIFF 2.1 for a CAT tool: all of them, or a page if a `limit` is given; with `flagged` only
   * segments that need a review. NotFoundError without any.
   */
  exportXliff(
    documentId: string,
    query?: DocumentXliffQuery,
    options?: CallOptions,
  ): ApiPromise<ExportedText>;
  /**
   * Corrects segments with an XLIFF document from `exportXliff` that a reviewer has changed: all changed units or
   * none. ConflictError names a unit that someone else has changed since. Corrections that are already stored count
   * as done, so it is sent again like a read.
   */
  reviewXliff(
    documentId: string,
    xliff: string,
    request?: DocumentXliffReviewRequest,
    options?: CallOptions,
  ): ApiPromise<TenantDocumentJob>;
  /**
   * Approves a translated document and adds it to the memory. A second call changes nothing and returns the first
   * approver. With an API key `reviewer` is required: BadRequestError without it. `notes` are not stored; those of a
   * review are.
   */
  approve(
    documentId: string,
    request?: DocumentApproveRequest,
    options?: CallOptions,
  ): ApiPromise<DocumentApproval>;
  /**
   * Deletes a document with its files, its segments and its entries in the memory, for an administrator's access
   * token; never for an API key. Sent again only if the service certainly did nothing.
   */
  delete(documentId: string, options?: CallOptions): ApiPromise<DocumentDeletion>;
  /** The progress of documents, by their ids. */
  progress(query: DocumentProgressQuery, options?: CallOptions): ApiPromise<DocumentProgressList>;
  /** The parts of a document and the groups of its segments: pages or sheets, kinds, flags. */
  outline(documentId: string, options?: CallOptions): ApiPromise<DocumentOutline>;
  /** Its segments by kind and text, from any position of the list. */
  search(query: SegmentSearchQuery, options?: CallOptions): ApiPromise<SegmentSearchPage>;
  /** The positions of its segments on a page of the rendered file. */
  boxes(query: SegmentBoxQuery, options?: CallOptions): ApiPromise<SegmentBoxPage>;
  /**
   * Corrects segments, each of which names the text it replaces: ConflictError if one has changed since, with the
   * current text in `present`. All or none; the file is rendered again. Corrections that are already stored count as
   * done, so it is sent again like a read.
   */
  correct(request: DocumentCorrectionRequest, options?: CallOptions): ApiPromise<CorrectedDocument>;
  /**
   * The findings of the service's own checks for a text that a reviewer proposes for a segment, without a model call.
   */
  check(request: SegmentCheckRequest, options?: CallOptions): ApiPromise<SegmentCheck>;
  /**
   * Confirms translations without changes, or undoes that. ConflictError if one has changed since, and, with the code
   * `critical_findings`, if one has critical findings that the request does not confirm.
   */
  confirm(request: SegmentConfirmRequest, options?: CallOptions): ApiPromise<ConfirmedSegments>;
  /**
   * Approves several documents, with a result for each. Skips those that are unopened or have critical findings,
   * unless they are named.
   */
  approveMany(request: ApproveManyRequest, options?: CallOptions): ApiPromise<ApprovalOutcomes>;
  /**
   * For platform operators: documents that wait for the end of an outage, and those that failed since a moment and
   * can be queued again.
   */
  outage(query: DocumentOutageQuery, options?: CallOptions): ApiPromise<DocumentOutage>;
  /** For platform operators: queues failed documents again, at most 1000 per call. */
  requeue(request: RequeueRequest, options?: CallOptions): ApiPromise<RequeuedDocuments>;
}

const translateCall: Call = { name: 'documents.translate', repeatable: true, result: ['source_format'] };
/** The service processes the whole file before it responds. */
const waitCall: Call = { ...translateCall, texts: 10 };
const resumeCall: Call = { name: 'documents.resume', repeatable: true, result: ['source_format'] };
const getCall: Call = { name: 'documents.get', repeatable: true, result: ['source_format'] };
const listCall: Call = { name: 'documents.list', repeatable: true, result: ['length'] };
const summaryCall: Call = { name: 'documents.summary', repeatable: true, result: ['total'] };
const segmentsCall: Call = { name: 'documents.segments', repeatable: true, result: ['segments'] };
const artifactsCall: Call = { name: 'documents.artifacts', repeatable: true, result: ['length'] };
const downloadCall: Call = { name: 'documents.download', repeatable: true };
/** Not repeatable: each call is one more review. */
const reviewCall: Call = { name: 'documents.review', repeatable: false, result: ['source_format'] };
const exportXliffCall: Call = { name: 'documents.exportXliff', repeatable: true };
/** Repeatable: corrections that are already stored count as done. */
const reviewXliffCall: Call = { name: 'documents.reviewXliff', repeatable: true, result: ['source_format'] };
/** Repeatable: a second approval changes nothing. */
const approveCall: Call = { name: 'documents.approve', repeatable: true, result: ['job'] };
/** Not repeatable: the second one would return 404, and the counts of the first would be lost. */
const deleteCall: Call = { name: 'documents.delete', repeatable: false, result: ['deleted'] };

const progressCall: Call = { name: 'documents.progress', repeatable: true };
const outlineCall: Call = { name: 'documents.outline', repeatable: true };
const searchCall: Call = { name: 'documents.search', repeatable: true };
const boxesCall: Call = { name: 'documents.boxes', repeatable: true };
/** Repeatable: corrections that are already stored count as done. */
const correctCall: Call = { name: 'documents.correct', repeatable: true };
const checkCall: Call = { name: 'documents.check', repeatable: true };
const confirmCall: Call = { name: 'documents.confirm', repeatable: true };
const approveManyCall: Call = { name: 'documents.approveMany', repeatable: true };
const outageCall: Call = { name: 'documents.outage', repeatable: true };
/** Repeatable: a document that was queued is no longer found. */
const requeueCall: Call = { name: 'documents.requeue', repeatable: true };

const mediaTypes = {
  '.pdf': 'application/pdf',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

const path = '/api/documents';

export function documents(connection: Connection): Documents {
  const { create, downloads, json, keyOf, mutate, observers, query, settings } = connection;
  const at = (documentId: string, rest = '') => `${path}/${encodeURIComponent(documentId)}${rest}`;
  const read = (call: Call, documentId: string, options: CallOptions | undefined) =>
    json<TenantDocumentJob>(call, { method: 'GET', path: at(documentId) }, options);

  const poll = (first: TenantDocumentJob, options: DocumentOptions = {}) => {
    const { timeout = settings.timeout, requestId, headers } = options;
    const patience = { requestId, headers, timeout: Math.min(timeout, maxPollIntervalMs), maxRetries: 0 };
    // Some warnings are known only when the text has been read.
    const told = new Set<string>();
    const tell = (job: TenantDocumentJob) => {
      observers.warnings(translateCall.name, job, told);
      return job;
    };
    const look = async (signal: AbortSignal | undefined) =>
      tell(await read(resumeCall, first.id, { ...patience, signal }));
    return pollDocument(tell(first), look, options);
  };

  const segmentPage: Documents['segmentPage'] = (documentId, wanted, options) =>
    json(segmentsCall, { method: 'GET', path: at(documentId, '/segments'), query: wanted }, options);

  return {
    translate(file, request, options = {}) {
      const { wait = false } = options;
      const prepare = async () => {
        const key = sendableKey(keyOf(translateCall, options));
        const fields = formFields({ ...request, ...(wait && { wait: 'true' }) });
        const form = await formRequest(`${path}/translate`, fields, 'source_document', file, mediaTypes);
        return { ...form, headers: { ...form.headers, 'idempotency-key': key } };
      };
      const sent = afterwards(prepare(), (upload) =>
        create<TenantDocumentJob>(
          wait ? waitCall : translateCall,
          { ...upload, onUploadProgress: options.onUploadProgress },
          options,
        ),
      );
      return mapResult(sent, (job) => poll(job, options));
    },
    resume(document, options) {
      const id = typeof document === 'string' ? document : document.document_id;
      return mapResult(read(resumeCall, id, options), (job) => poll(job, options));
    },
    get: (documentId, options) => read(getCall, documentId, options),
    ...createListing<DocumentListQuery, TenantDocumentJob[], TenantDocumentJob, CallOptions>(
      (wanted, options) => json(listCall, { method: 'GET', path, query: wanted }, options),
      (jobs) => jobs,
    ),
    summary: (wanted, options) =>
      json(summaryCall, { method: 'GET', path: `${path}/summary`, query: wanted }, options),
    segments: (documentId, wanted, options) =>
      createListing<DocumentSegmentQuery, DocumentSegmentPage, DocumentSegment, CallOptions>(
        (query, more) => segmentPage(documentId, query, more),
        (page) => page.segments,
        (page) => page.next_cursor,
      ).list(wanted, options),
    segmentPage,
    artifacts: (documentId, options) =>
      json(artifactsCall, { method: 'GET', path: at(documentId, '/artifacts') }, options),
    download(documentId, options) {
      const types = Object.values(mediaTypes);
      const request = { method: 'GET', path: at(documentId, '/download') } as const;
      const unnamed = { fileName: `document-${documentId}`, contentType: 'application/octet-stream' };
      return mapResult(downloads.open(downloadCall, request, types, options), (opened) => {
        const file = streamedFile({ ...opened, read: readWhole(opened) }, unnamed);
        const { fileName: sourceFileName } = file;
        const suggested = readSuggestedName(opened.headers.get('x-suggested-filename'));
        // An older service suggests none. The source must not be overwritten in that case, either.
        const fileName = suggested ?? sourceFileName.replace(/(\.[^.]*)?$/, `.${documentId}$1`);
        return Object.assign(file, { fileName, sourceFileName });
      });
    },
    review: (documentId, request, options) =>
      json(reviewCall, { method: 'POST', path: at(documentId, '/review'), json: request }, options),
    exportXliff(documentId, wanted, options) {
      const request = { method: 'GET', path: at(documentId, '/segments'), query: wanted } as const;
      return exportText(connection, exportXliffCall, request, xliffFile, options);
    },
    reviewXliff: (documentId, xliff, request, options) =>
      json(reviewXliffCall, xliffReview(at(documentId, '/review'), xliff, request), options),
    approve: (documentId, request = {}, options) =>
      json(approveCall, { method: 'POST', path: at(documentId, '/approve'), json: request }, options),
    delete: (documentId, options) => json(deleteCall, { method: 'DELETE', path: at(documentId) }, options),
    progress: (wanted, options) => query(progressCall, wanted, options),
    outline: (documentId, options) => query(outlineCall, { document_id: documentId }, options),
    search: (wanted, options) => query(searchCall, wanted, options),
    boxes: (wanted, options) => query(boxesCall, wanted, options),
    correct: (request, options) => mutate(correctCall, request, options),
    check: (request, options) => mutate(checkCall, request, options),
    confirm: (request, options) => mutate(confirmCall, request, options),
    approveMany: (request, options) => mutate(approveManyCall, request, options),
    outage: (wanted, options) => query(outageCall, wanted, options),
    requeue: (request, options) => mutate(requeueCall, request, options),
  };
}

/**
 * Reads pieces and checks that all declared bytes arrived: not every connection reports a response that was cut off.
 */
function readWhole({ headers, read }: OpenDownload): OpenDownload['read'] {
  // The length of a compressed response is not that of its content.
  const announced = headers.get('content-encoding') === null ? headers.get('content-length') : null;
  let received = 0;
  return async () => {
    const piece = await read();
    received += piece?.length ?? 0;
    if (!piece && announced !== null && received !== Number(announced))
      throw interrupted(downloadCall.name, new Error('the file is incomplete'));
    return piece;
  };
}
