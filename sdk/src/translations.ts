import { type ApiPromise, afterwards, mapResult } from './api-promise.ts';
import type { Connection } from './connection.ts';
import { readFileName } from './downloads.ts';
import type { Bytes } from './exchange.ts';
import type { CallOptions, CreateOptions, UploadOptions } from './options.ts';
import { createListing, type List, listOf, Page } from './pages.ts';
import type { RestRequest } from './rest.ts';
import type { Call } from './send.ts';
import { type SourceFile, timesOf, timesOfPages, uploadOf } from './source-file.ts';
import { type ExportedText, exportText, xliffFile, xliffReview } from './streamed-file.ts';
import type {
  BatchTranslationRequest,
  DocumentTextRequest,
  FileTranslationRequest,
  GoldenFormat,
  JobCounts,
  JobSearchQuery,
  JobSummary,
  ReviewActRequest,
  ReviewManyRequest,
  ReviewManyResult,
  ReviewRequest,
  TextCheck,
  TextCheckRequest,
  TextFindingResolution,
  TextRecheckRequest,
  TranslationDeletion,
  TranslationEstimate,
  TranslationJob,
  TranslationListQuery,
  TranslationRequest,
  XliffQuery,
  XliffReviewRequest,
} from './types.ts';
import { type WaitForOptions, waitForAll, waitForJob } from './watching.ts';

/** The format of a download. */
export interface GoldenQuery {
  /** Default: `txt`. */
  format?: GoldenFormat | undefined;
}

/** A published translation as a file. */
export interface GoldenFile {
  /** The bytes of the whole file. */
  bytes: Bytes;
  /** The media type of the file. */
  contentType: string;
  /** The file name, from the name of the source document, the page and the language. It contains no directory. */
  fileName: string;
}

const goldenCall: Call = { name: 'translations.golden', repeatable: true };

const mediaTypes: Readonly<Record<GoldenFormat, string>> = {
  txt: 'text/plain',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
};

/** One page of `search`. */
export interface JobPage extends Page<JobSummary> {
  /** The `updated_at` back to which the search has examined jobs; null if it has examined all of them. */
  readonly searchedTo: string | null;
}

/**
 * Texts and their translation jobs. Calls that create jobs send an idempotency key, so that a retry never translates
 * or bills a text twice. If the first request is still in progress, `create`, `createBatch`, `createFromText` and
 * `createFromFile` return when its jobs have ended. They throw TranslationPendingError with the jobs after the timeout of
 * an attempt, and TranslationFailedError if a job fails.
 */
export interface Translations {
  /** Translates a text and returns its job. The job is `published`, or `awaiting_review` if it needs a review. */
  create(request: TranslationRequest, options?: CreateOptions): ApiPromise<TranslationJob>;
  /**
   * Translates each text of a batch into each of its languages, one after the other, and returns the jobs in this
   * order. If a text fails, the batch stops and the call throws the error of this text; earlier jobs are kept. If the
   * call is repeated with the same idempotency key, the batch continues with the failed text. The job at position n,
   * counted from 0, has the idempotency key `<key>:<n>`.
   */
  createBatch(request: BatchTranslationRequest, options?: CreateOptions): ApiPromise<TranslationJob[]>;
  /**
   * Translates the text of a document page by page, and returns a job for each page. The job of page n, counted from
   * 1, has the idempotency key `<key>:<n>`.
   */
  createFromText(request: DocumentTextRequest, options?: CreateOptions): ApiPromise<TranslationJob[]>;
  /**
   * Translates the text of a file (CSV, DOCX, HTML, JSON, Markdown, PDF, plain text, XML) page by page, and returns a
   * job for each page. The layout of the file is not kept. The job of page n, counted from 1, has the idempotency key
   * `<key>:<n>`.
   */
  createFromFile(
    file: SourceFile,
    request: FileTranslationRequest,
    options?: CreateOptions & UploadOptions,
  ): ApiPromise<TranslationJob[]>;
  /**
   * Queues a text, and returns its job, which is `pending`. The service translates it in the background; `waitFor` returns
   * the result. Rejected like `create`, for example if the text is too long or does not fit into the allowance.
   */
  submit(request: TranslationRequest, options?: CreateOptions): ApiPromise<TranslationJob>;
  /**
   * Queues a batch, and returns its pending jobs in the order of `createBatch`. A failed text does not end the batch.
   */
  submitBatch(request: BatchTranslationRequest, options?: CreateOptions): ApiPromise<TranslationJob[]>;
  /**
   * Estimates the work and the price of a text, a batch or the text of a document. No job is created, and nothing is
   * translated or billed.
   */
  estimate(
    request: TranslationRequest | BatchTranslationRequest | DocumentTextRequest,
    options?: CallOptions,
  ): ApiPromise<TranslationEstimate>;
  /** Estimates the work and the price of a file for `createFromFile`. Nothing is translated or billed. */
  estimateFile(
    file: SourceFile,
    request: FileTranslationRequest,
    options?: CreateOptions & UploadOptions,
  ): ApiPromise<TranslationEstimate>;
  /** Returns the job with this id. Throws NotFoundError if it does not exist for the caller's credential. */
  get(jobId: string, options?: CallOptions): ApiPromise<TranslationJob>;
  /**
   * Waits for a job that `submit` or another call has returned as `pending`, and returns it when it has ended:
   * `published`, or `awaiting_review` if it needs a review. Throws TranslationFailedError if the translation failed,
   * TranslationPendingError if the job is still in progress after `timeout`, and NotFoundError if the job does not exist. If a
   * poll fails for a temporary reason, it is repeated for up to five minutes.
   */
  waitFor(jobId: string, options?: WaitForOptions): Promise<TranslationJob>;
  /** Lists the tenant's jobs, last changed first. Pages are requested when they are read. */
  list(query?: TranslationListQuery, options?: CallOptions): List<TranslationJob>;
  /** Returns one page of `list`. */
  listPage(query?: TranslationListQuery, options?: CallOptions): ApiPromise<Page<TranslationJob>>;
  /**
   * Performs a reviewer's action on a job that is awaiting review, and returns the job. Throws BadRequestError if the
   * job is not awaiting review. An action that ends the review is retried only if the service certainly did nothing;
   * after a lost response, `get` shows the result.
   */
  review(jobId: string, request: ReviewRequest, options?: CallOptions): ApiPromise<TranslationJob>;
  /**
   * Exports a page of jobs as XLIFF 2.1 for a CAT tool, with one `file` element for each job. By default, these are
   * the jobs awaiting review; `status` selects others. All jobs must have the same language pair. If they do not,
   * throws UnprocessableContentError: select a pair with `source_lang` and `target_lang`. Throws NotFoundError if
   * there are no jobs.
   */
  exportXliff(query?: XliffQuery, options?: CallOptions): ApiPromise<ExportedText>;
  /**
   * Reviews a job with an XLIFF document from `exportXliff` that a reviewer has changed. By default, the text is
   * approved if the segment's state is `reviewed` or `final`, and otherwise saved as a draft; `action` overrides
   * this. Other jobs in the document are ignored. Throws ConflictError if the job has changed since the export.
   */
  reviewXliff(
    jobId: string,
    xliff: string,
    request?: XliffReviewRequest,
    options?: CallOptions,
  ): ApiPromise<TranslationJob>;
  /**
   * Downloads a translation whose status is `published` or `human_edited`; by default as text. Throws ConflictError
   * for jobs with another status.
   */
  golden(jobId: string, query?: GoldenQuery, options?: CallOptions): ApiPromise<GoldenFile>;
  /**
   * Deletes a job with its records. Requires an administrator's access token; an API key is not accepted. Retried
   * only if the service certainly did nothing.
   */
  delete(jobId: string, options?: CallOptions): ApiPromise<TranslationDeletion>;
  /**
   * Searches jobs by status, languages, review trigger, time and text, last changed first. Pages are requested when
   * they are read.
   */
  search(query?: JobSearchQuery, options?: CallOptions): List<JobSummary>;
  /** Returns one page of `search`. */
  searchPage(query?: JobSearchQuery, options?: CallOptions): ApiPromise<JobPage>;
  /** Returns the number of jobs with each status, and the number of jobs awaiting review. */
  counts(options?: CallOptions): ApiPromise<JobCounts>;
  /**
   * Checks a text that a reviewer proposes. Returns the findings of the service's own checks, without calling a
   * model.
   */
  check(request: TextCheckRequest, options?: CallOptions): ApiPromise<TextCheck>;
  /**
   * Performs an action on the version of a job that the reviewer has seen. If the job has changed since then, throws
   * ConflictError with the current job in `present`. Retried only if the service certainly did nothing.
   */
  act(request: ReviewActRequest, options?: CallOptions): ApiPromise<TranslationJob>;
  /** Resolves a finding of the present text. Throws ConflictError if the job has changed, or the finding is not open. */
  resolve(request: TextFindingResolution, options?: CallOptions): ApiPromise<TranslationJob>;
  /** Lets the judge model see the present text, and replaces its findings. Throws ConflictError if the job has changed. */
  recheck(request: TextRecheckRequest, options?: CallOptions): ApiPromise<TranslationJob>;
  /**
   * Performs an action on 1 to 100 jobs, and returns a result for each. Jobs that the member has not opened, and jobs
   * with critical findings, are not approved unless the request names them explicitly. Retried only if the service
   * certainly did nothing.
   */
  reviewMany(request: ReviewManyRequest, options?: CallOptions): ApiPromise<ReviewManyResult>;
}

const createCall: Call = { name: 'translations.create', repeatable: true, result: ['id'], warns: true };
const createBatchCall: Call = {
  name: 'translations.createBatch',
  repeatable: true,
  result: ['length'],
  warns: true,
};
const createFromTextCall: Call = {
  name: 'translations.createFromText',
  repeatable: true,
  result: ['length'],
  warns: true,
};
const createFromFileCall: Call = {
  name: 'translations.createFromFile',
  repeatable: true,
  result: ['length'],
  warns: true,
};
const submitCall: Call = { ...createCall, name: 'translations.submit' };
const submitBatchCall: Call = { ...createBatchCall, name: 'translations.submitBatch' };
const estimateCall: Call = { name: 'translations.estimate', repeatable: true, result: ['dry_run'] };
const estimateFileCall: Call = { ...estimateCall, name: 'translations.estimateFile' };
const getCall: Call = { name: 'translations.get', repeatable: true, result: ['id'] };
const waitForCall: Call = { name: 'translations.waitFor', repeatable: true, result: ['id'] };
const listCall: Call = { name: 'translations.list', repeatable: true, result: ['length'] };
/**
 * Repeatable: saving the same draft twice has the same effect as saving it once. An action that closes a review is
 * not repeatable: the second request would fail, and the result of the first one would be lost.
 */
const saveCall: Call = { name: 'translations.review', repeatable: true, result: ['id'] };
const closeCall: Call = { name: 'translations.review', repeatable: false, result: ['id'] };
/** Not repeatable: a second deletion would return 404, and the counts in the first response would be lost. */
const deleteCall: Call = { name: 'translations.delete', repeatable: false, result: ['deleted'] };

const exportXliffCall: Call = { name: 'translations.exportXliff', repeatable: true };
/** Not repeatable, because the action may close the review. */
const reviewXliffCall: Call = { name: 'translations.reviewXliff', repeatable: false, result: ['id'] };

const path = '/api/translations';

/** Asks the service to respond before the result exists (RFC 7240). */
function asynchronous(request: RestRequest): RestRequest {
  return { ...request, headers: { ...request.headers, prefer: 'respond-async' } };
}

export function translations(connection: Connection): Translations {
  const { create, json, keyOf, rest, run, settings } = connection;
  const post = (body: object): RestRequest => ({ method: 'POST', path, json: body });
  const at = (jobId: string, rest = '') => `${path}/${encodeURIComponent(jobId)}${rest}`;
  /** Adds an idempotency key to a request that has none: the key of the options, or a new one. */
  const withKey = <T extends { idempotency_key?: string | null | undefined }>(
    request: T,
    call: Call,
    options: CreateOptions | undefined,
  ) => ({ ...request, idempotency_key: request.idempotency_key ?? keyOf(call, options) });

  const read = (jobId: string) => (options: CallOptions) =>
    json<TranslationJob>(waitForCall, { method: 'GET', path: at(jobId) }, options);
  /** Creates jobs. Returns when those of an earlier request with the key have ended, too. */
  const createEnded = <T extends TranslationJob | TranslationJob[]>(
    call: Call,
    request: RestRequest,
    options: CreateOptions | undefined,
  ): ApiPromise<T> =>
    mapResult(create<T>(call, request, options), async (created) => {
      const { signal, headers, requestId, timeout = settings.timeout * (call.texts ?? 1) } = options ?? {};
      const jobs = await waitForAll(
        call.name,
        Array.isArray(created) ? created : [created],
        (jobId, wait) => waitForJob(call.name, read(jobId), settings.timeout, wait),
        { signal, headers, requestId, timeout },
      );
      return (Array.isArray(created) ? jobs : jobs[0]) as T;
    });

  return {
    create: (request, options) =>
      createEnded(createCall, post(withKey(request, createCall, options)), options),
    createBatch(request, options) {
      const texts = request.inputs.reduce((sum, { Targets }) => sum + Targets.length, 0);
      const call = { ...createBatchCall, texts: timesOf(texts) };
      return createEnded(call, post(withKey(request, call, options)), options);
    },
    createFromText(request, options) {
      const call = { ...createFromTextCall, texts: timesOfPages(request.source_text.length) };
      return createEnded(call, post(withKey(request, call, options)), options);
    },
    createFromFile(file, request, options) {
      const key = keyOf(createFromFileCall, options);
      return afterwards(uploadOf(file, request, key), ({ times, request: upload }) =>
        createEnded(
          { ...createFromFileCall, texts: times },
          { ...upload, onUploadProgress: options?.onUploadProgress },
          options,
        ),
      );
    },
    submit: (request, options) =>
      create(submitCall, asynchronous(post(withKey(request, submitCall, options))), options),
    submitBatch: (request, options) =>
      create(submitBatchCall, asynchronous(post(withKey(request, submitBatchCall, options))), options),
    estimate: (request, options) => json(estimateCall, post({ ...request, dry_run: true }), options),
    estimateFile: (file, request, options) =>
      afterwards(
        uploadOf(file, { ...request, dry_run: true }, options?.idempotencyKey),
        ({ request: upload }) =>
          json<TranslationEstimate>(
            estimateFileCall,
            { ...upload, onUploadProgress: options?.onUploadProgress },
            options,
          ),
      ),
    get: (jobId, options) => json(getCall, { method: 'GET', path: at(jobId) }, options),
    waitFor: (jobId, options) => waitForJob(waitForCall.name, read(jobId), settings.timeout, options),
    ...createListing<TranslationListQuery, TranslationJob[], TranslationJob, CallOptions>(
      (wanted, options) => json(listCall, { method: 'GET', path, query: wanted }, options),
      (jobs) => jobs,
    ),
    review: (jobId, request, options) =>
      json(
        request.action === 'save' ? saveCall : closeCall,
        { method: 'POST', path: at(jobId, '/review'), json: request },
        options,
      ),
    exportXliff: (wanted, options) =>
      exportText(connection, exportXliffCall, { method: 'GET', path, query: wanted }, xliffFile, options),
    reviewXliff: (jobId, xliff, request, options) =>
      json(reviewXliffCall, xliffReview(at(jobId, '/review'), xliff, request), options),
    golden(jobId, { format = 'txt' } = {}, options) {
      const request: RestRequest = { method: 'GET', path: at(jobId, '/golden'), query: { format } };
      const download = run(
        goldenCall,
        (attempt) => rest.download(request, mediaTypes[format], attempt),
        options,
      );
      return mapResult(download, ({ bytes, headers }) => ({
        bytes,
        contentType: headers.get('content-type') ?? mediaTypes[format],
        fileName: readFileName(headers.get('content-disposition')) ?? `translation-${jobId}.${format}`,
      }));
    },
    delete: (jobId, options) => json(deleteCall, { method: 'DELETE', path: at(jobId) }, options),
    ...procedureCalls(connection),
  };
}

/** The methods that call procedures, and not REST. */
function procedureCalls({ mutate, mutateOnce, query }: Connection) {
  const searchPage: Translations['searchPage'] = (wanted = {}, options) =>
    mapResult(query('translations.search', wanted, options), ({ jobs, next_cursor, searched_to }) =>
      Object.assign(new Page(jobs, next_cursor, (cursor) => searchPage({ ...wanted, cursor }, options)), {
        searchedTo: searched_to,
      }),
    );

  return {
    search: (wanted, options) => listOf(() => searchPage(wanted, options)),
    searchPage,
    counts: (options) => query('translations.counts', undefined, options),
    check: (request, options) => mutate('translations.check', request, options),
    act: (request, options) => mutateOnce('translations.act', request, options),
    resolve: (request, options) => mutateOnce('translations.resolve', request, options),
    recheck: (request, options) => mutateOnce('translations.recheck', request, options),
    reviewMany: (request, options) => mutateOnce('translations.reviewMany', request, options),
  } satisfies Partial<Translations>;
}
