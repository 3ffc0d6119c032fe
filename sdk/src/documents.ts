import { type ApiPromise, afterwards, mapResult } from './api-promise.ts';
import { interrupted } from './attempt-error.ts';
import type { Connection } from './connection.ts';
import {
  type DocumentHandle,
  type DocumentOptions,
  type DocumentPoller,
  pollDocument,
} from './document-poller.ts';
import { documentTypes } from './document-types.ts';
import { type OpenDownload, readSuggestedName } from './downloads.ts';
import type { CallOptions, CreateOptions, UploadOptions } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import { maxPollIntervalMs } from './polling.ts';
import type { Call } from './send.ts';
import { formFields, formRequest, type SourceFile, sendableKey } from './source-file.ts';
import {
  type ExportedText,
  exportText,
  type StreamedFile,
  streamedFile,
  xliffFile,
  xliffReview,
} from './streamed-file.ts';
import type {
  ApprovalOutcomes,
  ApproveManyRequest,
  ConfirmAllRequest,
  ConfirmedAll,
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
  DocumentTexts,
  DocumentUpload,
  DocumentXliffQuery,
  DocumentXliffReviewRequest,
  FindingRecheckRequest,
  FindingResolution,
  RecheckedSegments,
  RenderedDocument,
  RequeuedDocuments,
  RequeueRequest,
  ResolvedSegment,
  RestoredSegments,
  SavedSegments,
  SegmentBoxPage,
  SegmentBoxQuery,
  SegmentChangeRequest,
  SegmentCheck,
  SegmentCheckRequest,
  SegmentConfirmRequest,
  SegmentHistory,
  SegmentHistoryQuery,
  SegmentSaveRequest,
  SegmentSearchPage,
  SegmentSearchQuery,
  TenantDocumentArtifact,
  TenantDocumentJob,
  TranslationEstimate,
} from './types.ts';

/** Options to translate a document. */
export interface TranslateOptions extends DocumentOptions, CreateOptions, UploadOptions {
  /**
   * Whether the service translates the file before it responds, which suits small files: errors of the translation
   * are then thrown by this call. By default, the document is queued.
   */
  wait?: boolean | undefined;
}

/** A translation that exists already. */
export interface ExistingTarget {
  /**
   * The translation of an earlier version of the file, perhaps edited by hand. Its texts stay, and are not billed, except
   * those whose source has changed. A text that was edited since it was written stays also then. Only for text formats,
   * such as JSON.
   */
  existing_target?: SourceFile | undefined;
  /**
   * The result of `documents.texts` when `existing_target` was translated. Without it, all texts of `existing_target` stay.
   */
  existing_texts?: DocumentTexts | undefined;
}

/** A translated document as a file that can be streamed. */
export interface DocumentFile extends StreamedFile {
  /**
   * The suggested file name, such as `menu.fr.xlsx`. A file with this name overwrites neither the source nor a
   * translation into another language. The name contains no directory.
   */
  fileName: string;
  /** The file name of the source. It contains no directory. */
  sourceFileName: string;
}

/** Documents: files that are translated, keeping their layout. */
export interface Documents {
  /**
   * Translates a DOCX, XLSX or PDF file. Resolves with a poller as soon as the service has accepted the file; use the
   * poller to wait for the translation. If the service can tell from the format that the file is unreadable, this
   * call throws BadRequestError; otherwise the poller throws the error.
   *
   * The request has an idempotency key, so that a retry after a lost response finds the same document. If you provide
   * the key, this also works after a restart: the same call returns the same document in any status, even a failed
   * one.
   */
  translate(
    file: SourceFile,
    request: DocumentUpload & ExistingTarget,
    options?: TranslateOptions,
  ): ApiPromise<DocumentPoller>;
  /** Estimates the work and the price of a document. No job is created, and nothing is translated or billed. */
  estimate(
    file: SourceFile,
    request: DocumentUpload & ExistingTarget,
    options?: CallOptions & UploadOptions,
  ): ApiPromise<TranslationEstimate>;
  /**
   * Returns a poller for a document, from the document's id or from a poller's handle, in any process. Throws
   * NotFoundError if the document does not exist.
   */
  resume(document: string | DocumentHandle, options?: DocumentOptions): ApiPromise<DocumentPoller>;
  /** Returns the document with this id. Throws NotFoundError if it does not exist for the caller's credential. */
  get(documentId: string, options?: CallOptions): ApiPromise<TenantDocumentJob>;
  /** Lists the tenant's documents, last changed first. Pages are requested when they are read. */
  list(query?: DocumentListQuery, options?: CallOptions): List<TenantDocumentJob>;
  /** Returns one page of `list`. */
  listPage(query?: DocumentListQuery, options?: CallOptions): ApiPromise<Page<TenantDocumentJob>>;
  /** Counts the tenant's documents. Only operators may request breakdowns; others get PermissionDeniedError. */
  summary(query?: DocumentSummaryQuery, options?: CallOptions): ApiPromise<DocumentSummary>;
  /**
   * Lists the segments of a document in reading order; with `flagged`, only segments that need a review. Pages are
   * requested when they are read.
   */
  segments(documentId: string, query?: DocumentSegmentQuery, options?: CallOptions): List<DocumentSegment>;
  /** Returns one page of `segments`, with the total number of segments. */
  segmentPage(
    documentId: string,
    query?: DocumentSegmentQuery,
    options?: CallOptions,
  ): ApiPromise<DocumentSegmentPage>;
  /** Lists the files of a document, oldest first: the source and each translated revision. */
  artifacts(documentId: string, options?: CallOptions): ApiPromise<TenantDocumentArtifact[]>;
  /**
   * Downloads the latest translated file. The result has a suggested file name and the name of the source. Throws
   * ConflictError if the document has not been translated yet or has failed. A failure is retried only before the
   * first bytes have arrived.
   */
  download(documentId: string, options?: CallOptions): ApiPromise<DocumentFile>;
  /**
   * Returns the hashes of the texts of the latest translated file, for `existing_texts` of a later version. Null for a
   * format without separate texts, such as PDF.
   */
  texts(documentId: string, options?: CallOptions): ApiPromise<DocumentTexts | null>;
  /**
   * Corrects several segments (all or none) and renders the file again. It can be called repeatedly. Each call counts
   * as a separate review, so it is retried only if the service certainly did nothing.
   */
  review(
    documentId: string,
    request: DocumentReviewRequest,
    options?: CallOptions,
  ): ApiPromise<TenantDocumentJob>;
  /**
   * Exports the segments as XLIFF 2.1 for a CAT tool: all of them, or one page if `limit` is given; with `flagged`,
   * only segments that need a review. Throws NotFoundError if there are no segments.
   */
  exportXliff(
    documentId: string,
    query?: DocumentXliffQuery,
    options?: CallOptions,
  ): ApiPromise<ExportedText>;
  /**
   * Corrects segments with an XLIFF document from `exportXliff` that a reviewer has changed: either all changed units
   * are stored, or none. Throws ConflictError with the name of a unit that someone else has changed since the export.
   * Corrections that are already stored count as done, so the call is retried like a read.
   */
  reviewXliff(
    documentId: string,
    xliff: string,
    request?: DocumentXliffReviewRequest,
    options?: CallOptions,
  ): ApiPromise<TenantDocumentJob>;
  /**
   * Approves a translated document and adds its segments to the translation memory. A second call changes nothing and
   * returns the first approver. With an API key, `reviewer` is required; otherwise the call throws BadRequestError.
   * `notes` are not stored, unlike those of a review.
   */
  approve(
    documentId: string,
    request?: DocumentApproveRequest,
    options?: CallOptions,
  ): ApiPromise<DocumentApproval>;
  /**
   * Deletes a document with its files, its segments and its entries in the translation memory. Requires an
   * administrator's access token; an API key is not accepted. Retried only if the service certainly did nothing.
   */
  delete(documentId: string, options?: CallOptions): ApiPromise<DocumentDeletion>;
  /** Returns the progress of several documents, by their ids. */
  progress(query: DocumentProgressQuery, options?: CallOptions): ApiPromise<DocumentProgressList>;
  /**
   * Returns the structure of a document: its parts (pages or sheets), and the groups of its segments by kind and
   * flag.
   */
  outline(
    documentId: string,
    options?: CallOptions & {
      /** Whether to count the further options of `search`, too: categories of findings, matches and authors. */
      withOptions?: boolean;
    },
  ): ApiPromise<DocumentOutline>;
  /** Searches the segments of a document by kind and text. The result can begin at any position. */
  search(query: SegmentSearchQuery, options?: CallOptions): ApiPromise<SegmentSearchPage>;
  /** Returns the positions of the segments on a page of the rendered file. */
  boxes(query: SegmentBoxQuery, options?: CallOptions): ApiPromise<SegmentBoxPage>;
  /**
   * Corrects several segments (all or none) and renders the file again. Each correction names the text that it
   * replaces. If one of these texts has changed, throws ConflictError with the current text in `present`. Corrections
   * that are already stored count as done, so the call is retried like a read.
   */
  correct(request: DocumentCorrectionRequest, options?: CallOptions): ApiPromise<CorrectedDocument>;
  /**
   * Checks a text that a reviewer proposes for a segment. Returns the findings of the service's own checks, without
   * calling a model.
   */
  check(request: SegmentCheckRequest, options?: CallOptions): ApiPromise<SegmentCheck>;
  /**
   * Confirms translations without changing them, or undoes that. Throws ConflictError if a translation has changed.
   * Throws ConflictError with the code `critical_findings` if a translation has critical findings that the request
   * does not confirm.
   */
  confirm(request: SegmentConfirmRequest, options?: CallOptions): ApiPromise<ConfirmedSegments>;
  /**
   * Confirms all segments that have one of the statuses, except those that another member has open. Critical segments are
   * never confirmed together.
   */
  confirmAll(request: ConfirmAllRequest, options?: CallOptions): ApiPromise<ConfirmedAll>;
  /**
   * Resolves a finding of a segment: the reason is required for a critical one. Throws ConflictError if the translation has
   * changed, or if the finding was resolved before.
   */
  resolve(request: FindingResolution, options?: CallOptions): ApiPromise<ResolvedSegment>;
  /** Lets the judge model see the present translations of segments, and replaces their findings. */
  recheck(request: FindingRecheckRequest, options?: CallOptions): ApiPromise<RecheckedSegments>;
  /**
   * Stores translations and confirmations of segments (all or none); the file is rendered later. Each segment names the
   * text that it replaces. If one of these texts has changed, throws ConflictError with the current text in `present`.
   * Throws ConflictError with the code `critical_findings` if a confirmed translation has critical findings and the
   * request gives no reason. What is already stored counts as done, so the call is retried like a read.
   */
  save(request: SegmentSaveRequest, options?: CallOptions): ApiPromise<SavedSegments>;
  /**
   * Undoes a change of segments. Throws ConflictError if a segment was changed later, and PermissionDeniedError if the
   * change is another member's, except for administrators.
   */
  undo(request: SegmentChangeRequest, options?: CallOptions): ApiPromise<RestoredSegments>;
  /** Applies a change again that was undone. Throws ConflictError if a segment was changed since. */
  redo(request: SegmentChangeRequest, options?: CallOptions): ApiPromise<RestoredSegments>;
  /** Returns the events of a segment, latest first. */
  history(query: SegmentHistoryQuery, options?: CallOptions): ApiPromise<SegmentHistory>;
  /** Renders the file now if it does not have all saved changes, and returns the latest file. */
  render(documentId: string, options?: CallOptions): ApiPromise<RenderedDocument>;
  /**
   * Approves several documents, and returns a result for each. Documents that the member has not opened, and
   * documents with critical findings, are skipped unless the request names them explicitly.
   */
  approveMany(request: ApproveManyRequest, options?: CallOptions): ApiPromise<ApprovalOutcomes>;
  /**
   * For platform operators: lists documents that wait for the end of an outage, and documents that have failed since
   * a given time and can be queued again.
   */
  outage(query: DocumentOutageQuery, options?: CallOptions): ApiPromise<DocumentOutage>;
  /** For platform operators: queues failed documents again, at most 1,000 per call. */
  requeue(request: RequeueRequest, options?: CallOptions): ApiPromise<RequeuedDocuments>;
}

const translateCall: Call = { name: 'documents.translate', repeatable: true, result: ['source_format'] };
/** The service translates the whole file before it responds, so the attempt needs more time. */
const waitCall: Call = { ...translateCall, texts: 10 };
const estimateCall: Call = { name: 'documents.estimate', repeatable: true, result: ['dry_run'] };
const resumeCall: Call = { name: 'documents.resume', repeatable: true, result: ['source_format'] };
const getCall: Call = { name: 'documents.get', repeatable: true, result: ['source_format'] };
const listCall: Call = { name: 'documents.list', repeatable: true, result: ['length'] };
const summaryCall: Call = { name: 'documents.summary', repeatable: true, result: ['total'] };
const segmentsCall: Call = { name: 'documents.segments', repeatable: true, result: ['segments'] };
const artifactsCall: Call = { name: 'documents.artifacts', repeatable: true, result: ['length'] };
const downloadCall: Call = { name: 'documents.download', repeatable: true };
const textsCall: Call = { name: 'documents.texts', repeatable: true };
/** Not repeatable: each call counts as a separate review. */
const reviewCall: Call = { name: 'documents.review', repeatable: false, result: ['source_format'] };
const exportXliffCall: Call = { name: 'documents.exportXliff', repeatable: true };
/** Repeatable: corrections that are already stored count as done. */
const reviewXliffCall: Call = { name: 'documents.reviewXliff', repeatable: true, result: ['source_format'] };
/** Repeatable: a second approval changes nothing. */
const approveCall: Call = { name: 'documents.approve', repeatable: true, result: ['job'] };
/** Not repeatable: a second deletion would return 404, and the counts in the first response would be lost. */
const deleteCall: Call = { name: 'documents.delete', repeatable: false, result: ['deleted'] };

const path = '/api/documents';

function translateForm(
  file: SourceFile,
  { existing_target, existing_texts: texts, ...request }: DocumentUpload & ExistingTarget,
  fields: object,
) {
  const existing_texts = texts && {
    name: 'existing_texts.json',
    data: new TextEncoder().encode(JSON.stringify(texts)),
  };
  return formRequest(
    `${path}/translate`,
    formFields({ ...request, ...fields }),
    'source_document',
    file,
    documentTypes,
    { existing_target, existing_texts },
  );
}

export function documents(connection: Connection): Documents {
  const { create, downloads, json, keyOf, observers, rest, run, settings } = connection;
  const at = (documentId: string, rest = '') => `${path}/${encodeURIComponent(documentId)}${rest}`;
  const read = (call: Call, documentId: string, options: CallOptions | undefined) =>
    json<TenantDocumentJob>(call, { method: 'GET', path: at(documentId) }, options);

  const poll = (first: TenantDocumentJob, options: DocumentOptions = {}) => {
    const { timeout = settings.timeout, requestId, headers } = options;
    const patience = { requestId, headers, timeout: Math.min(timeout, maxPollIntervalMs), maxRetries: 0 };
    // Report warnings again here: some of them are known only after the service has read the text.
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
        const form = await translateForm(file, request, wait ? { wait: 'true' } : {});
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
    estimate: (file, request, options) =>
      afterwards(translateForm(file, request, { dry_run: true }), (form) =>
        json<TranslationEstimate>(
          estimateCall,
          { ...form, onUploadProgress: options?.onUploadProgress },
          options,
        ),
      ),
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
    texts(documentId, options) {
      const content = { content: 'texts' };
      const request = { method: 'GET', path: at(documentId, '/download'), query: content } as const;
      return mapResult(
        run(textsCall, (attempt) => rest.download(request, 'application/json', attempt), options),
        ({ bytes }): DocumentTexts | null => JSON.parse(new TextDecoder().decode(bytes)),
      );
    },
    download(documentId, options) {
      const types = Object.values(documentTypes);
      const request = { method: 'GET', path: at(documentId, '/download') } as const;
      return mapResult(downloads.open(downloadCall, request, types, options), (opened) =>
        documentFile(opened, documentId),
      );
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
    ...procedureCalls(connection),
  };
}

/** The methods that call procedures, and not REST. */
function procedureCalls({ mutate, mutateOnce, query }: Connection) {
  return {
    progress: (wanted, options) => query('documents.progress', wanted, options),
    outline: (documentId, { withOptions = false, ...options } = {}) =>
      query(
        'documents.outline',
        { document_id: documentId, ...(withOptions && { with_options: true }) },
        options,
      ),
    search: (wanted, options) => query('documents.search', wanted, options),
    boxes: (wanted, options) => query('documents.boxes', wanted, options),
    correct: (request, options) => mutate('documents.correct', request, options),
    check: (request, options) => mutate('documents.check', request, options),
    // Not repeatable: the response of a repeat would lack the change that can be undone.
    confirmAll: (request, options) => mutateOnce('documents.confirmAll', request, options),
    resolve: (request, options) => mutateOnce('documents.resolve', request, options),
    recheck: (request, options) => mutate('documents.recheck', request, options),
    confirm: (request, options) => mutate('documents.confirm', request, options),
    save: (request, options) => mutate('documents.save', request, options),
    undo: (request, options) => mutate('documents.undo', request, options),
    redo: (request, options) => mutate('documents.redo', request, options),
    history: (wanted, options) => query('documents.history', wanted, options),
    render: (documentId, options) => mutate('documents.render', { document_id: documentId }, options),
    approveMany: (request, options) => mutate('documents.approveMany', request, options),
    outage: (wanted, options) => query('documents.outage', wanted, options),
    requeue: (request, options) => mutate('documents.requeue', request, options),
  } satisfies Partial<Documents>;
}

/** The downloaded file, with the name that the service suggests for it. */
function documentFile(opened: OpenDownload, documentId: string) {
  const unnamed = { fileName: `document-${documentId}`, contentType: 'application/octet-stream' };
  const file = streamedFile({ ...opened, read: readWhole(opened) }, unnamed);
  const { fileName: sourceFileName } = file;
  const suggested = readSuggestedName(opened.headers.get('x-suggested-filename'));
  // Older versions of the service suggest no name. The default must not overwrite the source either.
  const fileName = suggested ?? sourceFileName.replace(/(\.[^.]*)?$/, `.${documentId}$1`);
  return Object.assign(file, { fileName, sourceFileName });
}

/**
 * Returns a reader that also checks that all declared bytes have arrived: not every connection reports that a
 * response was cut off.
 */
function readWhole({ headers, read }: OpenDownload): OpenDownload['read'] {
  // Ignore the length of a compressed response: it is not the length of the content.
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
