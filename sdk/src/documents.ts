import { type ApiPromise, afterwards, mapAnswer } from './api-promise.ts';
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

/** What translating a document may do otherwise. */
export interface TranslateOptions extends DocumentOptions, CreateOptions, UploadOptions {
  /**
   * Lets the service translate before it responds, for small files: what fails then is the error of this call. By default the
   * document is queued.
   */
  wait?: boolean | undefined;
}

/** A translated document as a file. */
export interface DocumentFile extends StreamedFile {
  /** To save it under: `menu.fr.xlsx`. It overwrites neither the source nor another language, and names no folder. */
  fileName: string;
  /** The name of the source. It names no folder. */
  sourceFileName: string;
}

/** Documents: files that are translated in place, with their layout kept. */
export interface Documents {
  /**
   * Translates a DOCX, XLSX or PDF file. Resolves as soon as the service has accepted the file; the poller waits for the end.
   * An unreadable file is thrown here if its format shows it (BadRequestError), else by the poller.
   *
   * It is sent with an idempotency key, so that a retry after a lost response finds the same document. With a key of your own
   * that holds across restarts: the same call returns the same document, whatever its status, a failed one too.
   */
  translate(
    file: SourceFile,
    request: DocumentUpload,
    options?: TranslateOptions,
  ): ApiPromise<DocumentPoller>;
  /** Goes on waiting for a document, by its id or by what its poller was written as, in whichever process. NotFoundError if there is none. */
  resume(document: string | DocumentHandle, options?: DocumentOptions): ApiPromise<DocumentPoller>;
  /** The document of this id; NotFoundError if there is none that this credential may see. */
  get(documentId: string, options?: CallOptions): ApiPromise<TenantDocumentJob>;
  /** The tenant's documents, last changed first, page after page as they are asked for. */
  list(query?: DocumentListQuery, options?: CallOptions): List<TenantDocumentJob>;
  /** One page of `list`. */
  listPage(query?: DocumentListQuery, options?: CallOptions): ApiPromise<Page<TenantDocumentJob>>;
  /** Counts of the tenant's documents. The breakdowns are an operator's: PermissionDeniedError for others. */
  summary(query?: DocumentSummaryQuery, options?: CallOptions): ApiPromise<DocumentSummary>;
  /** Its segments in reading order, page after page as they are asked for; with `flagged` those that need a review. */
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
   * The latest translated file, with a name to save it under and the name of its source. ConflictError before it is translated, or if it failed. What fails
   * before the first piece is tried again; nothing after it.
   */
  download(documentId: string, options?: CallOptions): ApiPromise<DocumentFile>;
  /**
   * Corrects segments, all or none, and renders the file again. Repeatable as often as you like, yet each call is a review of
   * its own: it is sent again only if the service certainly did nothing.
   */
  review(
    documentId: string,
    request: DocumentReviewRequest,
    options?: CallOptions,
  ): ApiPromise<TenantDocumentJob>;
  /**
   * Its segments as XLIFF 2.1 for a CAT tool: all of them, or a page if a `limit` is given; with `flagged` those that need a review.
   * NotFoundError if there is none.
   */
  exportXliff(
    documentId: string,
    query?: DocumentXliffQuery,
    options?: CallOptions,
  ): ApiPromise<ExportedText>;
  /**
   * Corrects segments by an XLIFF document that `exportXliff` returned, as a reviewer has changed it: all changed units or none. ConflictError
   * names a unit that someone else has changed since. What is there already is done, so it is sent again like a read.
   */
  reviewXliff(
    documentId: string,
    xliff: string,
    request?: DocumentXliffReviewRequest,
    options?: CallOptions,
  ): ApiPromise<TenantDocumentJob>;
  /**
   * Approves a translated document and feeds the memory with it. A second call changes nothing and returns the first approver. With an API
   * key `reviewer` is required: BadRequestError without it. `notes` are not kept; those of a review are.
   */
  approve(
    documentId: string,
    request?: DocumentApproveRequest,
    options?: CallOptions,
  ): ApiPromise<DocumentApproval>;
  /**
   * Deletes a document with its files, its segments and what it fed to the memory, for an administrator's access token; never
   * for an API key. Sent again only if the service certainly did nothing.
   */
  delete(documentId: string, options?: CallOptions): ApiPromise<DocumentDeletion>;
  /** How far documents are, by their ids. */
  progress(query: DocumentProgressQuery, options?: CallOptions): ApiPromise<DocumentProgressList>;
  /** The parts of a document and what its segments are of: pages or sheets, kinds, flags. */
  outline(documentId: string, options?: CallOptions): ApiPromise<DocumentOutline>;
  /** Its segments by what they are and say, from any position of the list. */
  search(query: SegmentSearchQuery, options?: CallOptions): ApiPromise<SegmentSearchPage>;
  /** Where its segments stand on a page of the rendered file. */
  boxes(query: SegmentBoxQuery, options?: CallOptions): ApiPromise<SegmentBoxPage>;
  /**
   * Corrects segments, each of which names the text it replaces: ConflictError if one has changed since, with what is there now
   * in `present`. All or none; the file is rendered again. A correction that is there already is done, so it is sent again like a read.
   */
  correct(request: DocumentCorrectionRequest, options?: CallOptions): ApiPromise<CorrectedDocument>;
  /** What the service's own checks find in a text that a reviewer proposes for a segment; no model is asked. */
  check(request: SegmentCheckRequest, options?: CallOptions): ApiPromise<SegmentCheck>;
  /**
   * Confirms translations as they are, or takes that back. ConflictError if one has changed since, and, with the code `critical_findings`, if
   * one has critical findings that the request does not confirm.
   */
  confirm(request: SegmentConfirmRequest, options?: CallOptions): ApiPromise<ConfirmedSegments>;
  /** Approves several documents, with a result for each. Leaves out those that are unopened or have critical findings, unless they are named. */
  approveMany(request: ApproveManyRequest, options?: CallOptions): ApiPromise<ApprovalOutcomes>;
  /** For platform operators: documents that wait for an outage to pass, and those that failed since a moment and can be queued again. */
  outage(query: DocumentOutageQuery, options?: CallOptions): ApiPromise<DocumentOutage>;
  /** For platform operators: queues failed documents again, at most 1000 a call. */
  requeue(request: RequeueRequest, options?: CallOptions): ApiPromise<RequeuedDocuments>;
}

const translateCall: Call = { name: 'documents.translate', repeatable: true, result: ['source_format'] };
/** The service works through the whole file before it responds. */
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
/** Repeatable: what has been put there already is done. */
const reviewXliffCall: Call = { name: 'documents.reviewXliff', repeatable: true, result: ['source_format'] };
/** Repeatable: a second approval changes nothing. */
const approveCall: Call = { name: 'documents.approve', repeatable: true, result: ['job'] };
/** Not repeatable: the second one would return 404, and the counts of the first would be lost. */
const deleteCall: Call = { name: 'documents.delete', repeatable: false, result: ['deleted'] };

const progressCall: Call = { name: 'documents.progress', repeatable: true };
const outlineCall: Call = { name: 'documents.outline', repeatable: true };
const searchCall: Call = { name: 'documents.search', repeatable: true };
const boxesCall: Call = { name: 'documents.boxes', repeatable: true };
/** Repeatable: what has been put there already is done. */
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
    // Some warnings come when the text has been read.
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
      return mapAnswer(sent, (job) => poll(job, options));
    },
    resume(document, options) {
      const id = typeof document === 'string' ? document : document.document_id;
      return mapAnswer(read(resumeCall, id, options), (job) => poll(job, options));
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
      return mapAnswer(downloads.open(downloadCall, request, types, options), (opened) => {
        const file = streamedFile({ ...opened, read: readWhole(opened) }, unnamed);
        const { fileName: sourceFileName } = file;
        const suggested = readSuggestedName(opened.headers.get('x-suggested-filename'));
        // An older service suggests none. The source must not be overwritten then, either.
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
