import { type ApiPromise, mapResult } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import type {
  QualityCalibration,
  QualityCheck,
  QualityCheckPage,
  QualityCheckPageQuery,
  QualityCheckResult,
  QualityCheckSummary,
  QualityChecksQuery,
  QualityDrawRequest,
  QualityMarks,
  QualityMarksRequest,
  QualityReport,
  QualityReportQuery,
  QualityScorecard,
  QualityScorecardQuery,
  QualitySettings,
} from './types.ts';

/**
 * Checks of texts by members, and reports about the quality gate. Members check texts; an administrator reads the reports. All methods need a session.
 */
export interface Quality {
  /** Lists the open checks that the member may do, in a random order, or those that are done, latest first. */
  checks(query: QualityChecksQuery, options?: CallOptions): List<QualityCheckSummary>;
  /** Returns one page of `checks`. */
  checkPage(query: QualityCheckPageQuery, options?: CallOptions): ApiPromise<Page<QualityCheckSummary>>;
  /** Returns a check. It is blind: the score is null until the check has a result. */
  check(checkId: string, options?: CallOptions): ApiPromise<QualityCheck>;
  /**
   * Stores the result of a check. Without errors, the text needs no change. Throws ConflictError if the check has another
   * result, and PermissionDeniedError if the member reviewed the text.
   */
  decide(result: QualityCheckResult, options?: CallOptions): ApiPromise<QualityCheck>;
  /** Returns the errors that reviewers marked in a document; without one, in all text jobs under review. At most 2000 texts. */
  marks(
    query?: {
      /** The ID of the document. Default: all text jobs under review. */
      document_id?: string;
    },
    options?: CallOptions,
  ): ApiPromise<QualityMarks[]>;
  /**
   * Replaces the errors that are marked in a text under review; they count in the report when the review is over. Throws
   * ConflictError if other errors than `known` are stored.
   */
  mark(request: QualityMarksRequest, options?: CallOptions): ApiPromise<QualityMarks>;
  /** Draws texts for checks at random, for administrators. Returns their number. Not retried. */
  draw(request: QualityDrawRequest, options?: CallOptions): ApiPromise<number>;
  /** Returns the settings, for administrators. */
  settings(options?: CallOptions): ApiPromise<QualitySettings>;
  /** Saves all settings, for administrators. */
  saveSettings(settings: QualitySettings, options?: CallOptions): ApiPromise<QualitySettings>;
  /** Returns what the quality gate is worth, for administrators. */
  report(query?: QualityReportQuery, options?: CallOptions): ApiPromise<QualityReport>;
  /** Returns how the judge is calibrated, by target language. */
  calibrations(options?: CallOptions): ApiPromise<QualityCalibration[]>;
  /** Returns the results of the quality checks of a period, for administrators. */
  scorecard(query?: QualityScorecardQuery, options?: CallOptions): ApiPromise<QualityScorecard>;
}

export function quality({ mutate, mutateOnce, query }: Connection): Quality {
  const checks = createListing<QualityCheckPageQuery, QualityCheckPage, QualityCheckSummary, CallOptions>(
    (wanted, options) => query('quality.checks', wanted, options),
    (page) => page.checks,
    (page) => page.next_cursor,
  );
  return {
    checks: checks.list,
    checkPage: checks.listPage,
    check: (check_id, options) => query('quality.check', { check_id }, options),
    decide: (result, options) => mutate('quality.decide', result, options),
    marks: (wanted, options) =>
      mapResult(query('quality.marks', wanted ?? {}, options), ({ marks }) => marks),
    mark: (request, options) => mutate('quality.mark', request, options),
    // Not repeatable: a second call draws other texts.
    draw: (request, options) => mapResult(mutateOnce('quality.draw', request, options), ({ drawn }) => drawn),
    settings: (options) => query('quality.settings', undefined, options),
    saveSettings: (settings, options) => mutate('quality.saveSettings', settings, options),
    report: (wanted, options) => query('quality.report', wanted ?? {}, options),
    calibrations: (options) => query('quality.calibrations', undefined, options),
    scorecard: (wanted, options) => query('quality.scorecard', wanted ?? {}, options),
  };
}
