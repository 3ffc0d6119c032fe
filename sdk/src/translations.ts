import { type ApiPromise, afterwards, mapResult } from './api-promise.ts';
import type { Connection } from './connection.ts';
import { readFileName } from './downloads.ts';
import type { Bytes } from './exchange.ts';
import { type ExportedText, exportText, xliffFile, xliffReview } from './exported-text.ts';
import { type WaitForOptions, waitForJob } from './job-waiting.ts';
import type { CallOptions, CreateOptions, UploadOptions } from './options.ts';
import { createListing, type List, listOf, Page } from './pages.ts';
import type { RestRequest } from './rest.ts';
import type { Call } from './send.ts';
import { pagesOf, type SourceFile, uploadOf } from './source-file.ts';
import type {
  BatchTranslationRequest,
  DocumentTextRequest,
  FileTranslationRequest,
  GoldenFormat,
  JobCounts,
  JobSearchPage,
  JobSearchQuery,
  JobSummary,
  ReviewActRequest,
  ReviewManyRequest,
  ReviewManyResult,
  ReviewRequest,
  TextCheck,
  TextCheckRequest,
  TranslationDeletion,
  TranslationJob,
  TranslationListQuery,
  TranslationRequest,
  XliffQuery,
  XliffReviewRequest,
} from './types.ts';

/** The format of a download. */
export interface GoldenQuery {
  /** Default: `txt`. */
  format?: GoldenFormat | undefined;
}

/** A published translation as a file. */
export interface GoldenFile {
  /** The whole file. */
  bytes: Bytes;
  /** Its media type. */
  contentType: string;
  /** Named after the source document, page and language; it contains no folder. */
  fileName: string;
}

const goldenCall: Call = { name: 'translations.golden', repeatable: true };

const mediaTypes: Readonly<Record<GoldenFormat, string>> = {
  txt: 'text/plain',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
};

/** A page of `search`. */
export interface JobPage extends Page<JobSummary> {
  /** The search covered all jobs back to this `updated_at`; null if all were covered. */
  readonly searchedTo: string | null;
}

/**
 * Texts and their translation jobs. Every call that creates is sent with an idempotency key, so that a retry never
 * translates or bills twice; if the first request is still in progress, a retry returns a job that is `pending`.
 */
export interface Translations {
  /** Translates a text and returns its job: `published`, or `awaiting_review` if it needs review. */
  create(request: TranslationRequest, options?: CreateOptions): ApiPromise<TranslationJob>;
  /**
   * Translates each text of a batch into each of its languages, one after the other, and returns the jobs in that
   * order. If one fails its error is thrown, earlier jobs stay, and the same call with the same key continues from
   * there. The key of the job at position n, from 0, is `<key>:<n>`.
   */
  createBatch(request: BatchTranslationRequest, options?: CreateOptions): ApiPromise<TranslationJob[]>;
  /** Translates the text of a document page by page, and returns a job for each page. Keyed `<key>:<n>` from 1. */
  createFromText(request: DocumentTextRequest, options?: CreateOptions): ApiPromise<TranslationJob[]>;
  /**
   * Translates the text of a file (CSV, DOCX, HTML, JSON, Markdown, PDF, plain text, XML) page by page, and returns a
   * job for each page. Its layout is not kept. Keyed `<key>:<n>` from 1.
   */
  createFromFile(
    file: SourceFile,
    request: FileTranslationRequest,
    options?: CreateOptions & UploadOptions,
  ): ApiPromise<TranslationJob[]>;
  /** The job with this id; NotFoundError if this credential cannot see one. */
  get(jobId: string, options?: CallOptions): ApiPromise<TranslationJob>;
  /**
   * Waits until a job is no longer in progress, and returns it: `published`, or `awaiting_review` if it needs review.
   * For a job that a call returned as `pending`. TranslationFailedError if it failed, TimeoutError if it is still in
   * progress after `timeout`; NotFoundError if it does not exist. Polls that fail temporarily are repeated, for up to
   * five minutes.
   */
  waitFor(jobId: string, options?: WaitForOptions): Promise<TranslationJob>;
  /** The tenant's jobs, last changed first; pages are read on demand. */
  list(query?: TranslationListQuery, options?: CallOptions): List<TranslationJob>;
  /** One page of `list`. */
  listPage(query?: TranslationListQuery, options?: CallOptions): ApiPromise<Page<TranslationJob>>;
  /**
   * Acts on a job that awaits review, and returns it; BadRequestError if it is not, or no longer, reviewable. An
   * action that ends the review is sent again only if the service certainly did nothing: `get` shows the result.
   */
  review(jobId: string, request: ReviewRequest, options?: CallOptions): ApiPromise<TranslationJob>;
  /**
   * A page of jobs as XLIFF 2.1 for a CAT tool, with a file for each: jobs awaiting review, unless `status` is set.
   * All must have the same pair of languages: UnprocessableContentError if not, until `source_lang` and `target_lang`
   * select one. NotFoundError without any.
   */
  exportXliff(query?: XliffQuery, options?: CallOptions): ApiPromise<ExportedText>;
  /**
   * Reviews a job with an XLIFF document from `exportXliff` that a reviewer has changed: `reviewed` and `final`
   * segments are approved, others kept as drafts, unless `action` is set. Other jobs in the document are ignored.
   * ConflictError if the job has changed since.
   */
  reviewXliff(
    jobId: string,
    xliff: string,
    request?: XliffReviewRequest,
    options?: CallOptions,
  ): ApiPromise<TranslationJob>;
  /** Downloads a `published` or `human_edited` translation, by default as text; ConflictError for any other. */
  golden(jobId: string, query?: GoldenQuery, options?: CallOptions): ApiPromise<GoldenFile>;
  /**
   * Deletes a job with its records, for an administrator's access token; never for an API key. Sent again only if the
   * service certainly did nothing.
   */
  delete(jobId: string, options?: CallOptions): ApiPromise<TranslationDeletion>;
  /** Jobs by status, languages, trigger, time and text, last changed first; pages are read on demand. */
  search(query?: JobSearchQuery, options?: CallOptions): List<JobSummary>;
  /** One page of `search`. */
  searchPage(query?: JobSearchQuery, options?: CallOptions): ApiPromise<JobPage>;
  /** The number of jobs of each status, and of jobs awaiting review. */
  counts(options?: CallOptions): ApiPromise<JobCounts>;
  /** The findings of the service's own checks for a text that a reviewer proposes, without a model call. */
  check(request: TextCheckRequest, options?: CallOptions): ApiPromise<TextCheck>;
  /**
   * Acts on the version of a job that the reviewer saw: ConflictError if it has changed since, with the current job
   * in `present`. Sent again only if the service certainly did nothing.
   */
  act(request: ReviewActRequest, options?: CallOptions): ApiPromise<TranslationJob>;
  /**
   * Acts on 1 to 100 jobs, with a result for each. Skips approvals of jobs that are unopened or have critical
   * findings, unless they are named. Sent again only if the service certainly did nothing.
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
const getCall: Call = { name: 'translations.get', repeatable: true, result: ['id'] };
const waitForCall: Call = { name: 'translations.waitFor', repeatable: true, result: ['id'] };
const listCall: Call = { name: 'translations.list', repeatable: true, result: ['length'] };
/**
 * Repeatable: a draft saved twice is the same draft. Closing is not: closing a review twice is an error, and the
 * first result would be lost.
 */
const saveCall: Call = { name: 'translations.review', repeatable: true, result: ['id'] };
const closeCall: Call = { name: 'translations.review', repeatable: false, result: ['id'] };
/** Not repeatable: the second one would return 404, and the counts of the first would be lost. */
const deleteCall: Call = { name: 'translations.delete', repeatable: false, result: ['deleted'] };

const exportXliffCall: Call = { name: 'translations.exportXliff', repeatable: true };
/** Not repeatable: it may close the review. */
const reviewXliffCall: Call = { name: 'translations.reviewXliff', repeatable: false, result: ['id'] };

const searchCall: Call = { name: 'translations.search', repeatable: true };
const countsCall: Call = { name: 'translations.counts', repeatable: true };
const checkCall: Call = { name: 'translations.check', repeatable: true };
const actCall: Call = { name: 'translations.act', repeatable: false };
const reviewManyCall: Call = { name: 'translations.reviewMany', repeatable: false };

const path = '/api/translations';

export function translations(connection: Connection): Translations {
  const { create, json, keyOf, mutate, query, rest, run, settings } = connection;
  const post = (body: object): RestRequest => ({ method: 'POST', path, json: body });
  const at = (jobId: string, rest = '') => `${path}/${encodeURIComponent(jobId)}${rest}`;
  /** Adds an idempotency key to a request: its own, that of the options, or a new one. */
  const withKey = <T extends { idempotency_key?: string | null | undefined }>(
    request: T,
    call: Call,
    options: CreateOptions | undefined,
  ) => ({ ...request, idempotency_key: request.idempotency_key ?? keyOf(call, options) });

  const searchPage: Translations['searchPage'] = (wanted = {}, options) =>
    mapResult(query<JobSearchPage>(searchCall, wanted, options), ({ jobs, next_cursor, searched_to }) =>
      Object.assign(new Page(jobs, next_cursor, (cursor) => searchPage({ ...wanted, cursor }, options)), {
        searchedTo: searched_to,
      }),
    );

  return {
    create: (request, options) => create(createCall, post(withKey(request, createCall, options)), options),
    createBatch(request, options) {
      const texts = request.inputs.reduce((sum, { Targets }) => sum + Targets.length, 0);
      const call = { ...createBatchCall, texts: Math.max(texts, 1) };
      return create(call, post(withKey(request, call, options)), options);
    },
    createFromText(request, options) {
      const call = { ...createFromTextCall, texts: pagesOf(request.source_text.length) };
      return create(call, post(withKey(request, call, options)), options);
    },
    createFromFile(file, request, options) {
      const key = keyOf(createFromFileCall, options);
      return afterwards(uploadOf(file, request, key), ({ pages, request: upload }) =>
        create(
          { ...createFromFileCall, texts: pages },
          { ...upload, onUploadProgress: options?.onUploadProgress },
          options,
        ),
      );
    },
    get: (jobId, options) => json(getCall, { method: 'GET', path: at(jobId) }, options),
    waitFor: (jobId, options) =>
      waitForJob(
        waitForCall.name,
        (read) => json<TranslationJob>(waitForCall, { method: 'GET', path: at(jobId) }, read),
        settings.timeout,
        options,
      ),
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
    search: (wanted, options) => listOf(() => searchPage(wanted, options)),
    searchPage,
    counts: (options) => query(countsCall, {}, options),
    check: (request, options) => mutate(checkCall, request, options),
    act: (request, options) => mutate(actCall, request, options),
    reviewMany: (request, options) => mutate(reviewManyCall, request, options),
  };
}
