import { type ApiPromise, afterwards, mapResult } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { Bytes } from './exchange.ts';
import type { CallOptions } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import { encodedFile, type SourceFile } from './source-file.ts';
import type {
  Analysis,
  AnalysisPage,
  AnalysisPageQuery,
  AnalysisRequest,
  AnalysisStartRequest,
  AnalysisSummary,
} from './types.ts';

/**
 * Counts of files in several languages, before they are translated. An analysis is free, and is kept for 30 days.
 *
 * ```ts
 * const { id } = await client.analyses.create({ target_langs: ['de', 'fr'] });
 * await client.analyses.addFile(id, file);
 * const analysis = await client.analyses.get(id); // until its status is `completed`
 * await client.analyses.start(id);
 * ```
 */
export interface Analyses {
  /** Creates an analysis without files. Not retried. */
  create(request: AnalysisRequest, options?: CallOptions): ApiPromise<Analysis>;
  /** Adds a file, which a worker then counts. An analysis has at most 40. The same file is added once. */
  addFile(analysisId: string, file: SourceFile, options?: CallOptions): ApiPromise<Analysis>;
  /** Removes a file that was not started. */
  removeFile(analysisId: string, fileId: string, options?: CallOptions): ApiPromise<Analysis>;
  /**
   * Decides whether a file is a new version of the earlier document with its name, as it is by default, or another file.
   * Texts that a version has in common with the document keep their translations, and are not billed.
   */
  setVersion(analysisId: string, fileId: string, used: boolean, options?: CallOptions): ApiPromise<Analysis>;
  /** Returns an analysis as it is now. */
  get(analysisId: string, options?: CallOptions): ApiPromise<Analysis>;
  /** Lists the analyses of the workspace, latest first. */
  list(
    query?: {
      /** The maximum number of analyses. */
      limit?: number;
    },
    options?: CallOptions,
  ): List<AnalysisSummary>;
  /** Returns one page of `list`. */
  listPage(query?: AnalysisPageQuery, options?: CallOptions): ApiPromise<Page<AnalysisSummary>>;
  /**
   * Translates the counted files in all languages, or some of them, in the background. A repeated call makes no second
   * document; it tries again what was refused. `start` of each file and language has the outcome.
   */
  start(analysisId: string, request?: AnalysisStartRequest, options?: CallOptions): ApiPromise<Analysis>;
  /** Stops the counting. What is counted stays. */
  cancel(analysisId: string, options?: CallOptions): ApiPromise<Analysis>;
  /** Deletes an analysis and its files. Documents that it has sent stay. */
  delete(analysisId: string, options?: CallOptions): ApiPromise<void>;
  /** Returns the table of an analysis as an Excel workbook. */
  exportXlsx(
    analysisId: string,
    options?: CallOptions,
  ): ApiPromise<{
    /** The name of the workbook. */
    fileName: string;
    /** Its bytes. */
    content: Bytes;
  }>;
}

export function analyses({ mutate, mutateOnce, query }: Connection): Analyses {
  const listing = createListing<AnalysisPageQuery, AnalysisPage, AnalysisSummary, CallOptions>(
    (wanted, options) => query('analyses.list', wanted, options),
    (page) => page.analyses,
    (page) => page.next_cursor,
  );
  return {
    create: (request, options) => mutateOnce('analyses.create', request, options),
    addFile: (analysis_id, file, options) =>
      afterwards(encodedFile(file), (encoded) =>
        mutate('analyses.addFile', { analysis_id, ...encoded }, options),
      ),
    removeFile: (analysis_id, file_id, options) =>
      mutateOnce('analyses.removeFile', { analysis_id, file_id }, options),
    setVersion: (analysis_id, file_id, used, options) =>
      mutate('analyses.setVersion', { analysis_id, file_id, used }, options),
    get: (analysis_id, options) => query('analyses.get', { analysis_id }, options),
    list: listing.list,
    listPage: listing.listPage,
    start: (analysis_id, request, options) => mutate('analyses.start', { analysis_id, ...request }, options),
    cancel: (analysis_id, options) => mutate('analyses.cancel', { analysis_id }, options),
    delete: (analysis_id, options) => mutateOnce('analyses.delete', { analysis_id }, options),
    exportXlsx: (analysis_id, options) =>
      mapResult(query('analyses.exportXlsx', { analysis_id }, options), ({ file_name, content }) => ({
        fileName: file_name,
        content: Uint8Array.from(atob(content), (char) => char.charCodeAt(0)),
      })),
  };
}
