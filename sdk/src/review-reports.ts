import { type ApiPromise, mapResult } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { Bytes } from './exchange.ts';
import type { CallOptions } from './options.ts';
import type {
  PayReport,
  PayReportQuery,
  ReviewerReport,
  ReviewerReportQuery,
  TurnaroundReport,
  TurnaroundReportQuery,
} from './types.ts';

/** An Excel workbook. */
export interface ReviewWorkbook {
  /** The name of the workbook. */
  fileName: string;
  /** Its bytes. */
  content: Bytes;
}

/** Reports about the work of reviewers, part of `reviews`. All require the session of an administrator. */
export interface ReviewReports {
  /** Returns the work of each reviewer in a period: the number of jobs, the changes, and the time. */
  byReviewer(query: ReviewerReportQuery, options?: CallOptions): ApiPromise<ReviewerReport>;
  /**
   * Returns the source words that each reviewer confirmed or changed in a period, by language pair and match with the
   * translation memory.
   */
  pay(query: PayReportQuery, options?: CallOptions): ApiPromise<PayReport>;
  /** Returns the table of `pay` as an Excel workbook. */
  payXlsx(query: PayReportQuery, options?: CallOptions): ApiPromise<ReviewWorkbook>;
  /** Returns how long items awaited their reviews, by assignee and language pair, of those decided in a period. */
  turnaround(query: TurnaroundReportQuery, options?: CallOptions): ApiPromise<TurnaroundReport>;
  /** Returns the table of `turnaround` as an Excel workbook. */
  turnaroundXlsx(query: TurnaroundReportQuery, options?: CallOptions): ApiPromise<ReviewWorkbook>;
}

export function reviewReports({ query }: Connection): ReviewReports {
  const workbook = (
    name: 'reviews.payXlsx' | 'reviews.turnaroundXlsx',
    wanted: PayReportQuery,
    options?: CallOptions,
  ) =>
    mapResult(query(name, wanted, options), ({ file_name, content }) => ({
      fileName: file_name,
      content: Uint8Array.from(atob(content), (char) => char.charCodeAt(0)),
    }));
  return {
    byReviewer: (wanted, options) => query('reviews.byReviewer', wanted, options),
    pay: (wanted, options) => query('reviews.pay', wanted, options),
    payXlsx: (wanted, options) => workbook('reviews.payXlsx', wanted, options),
    turnaround: (wanted, options) => query('reviews.turnaround', wanted, options),
    turnaroundXlsx: (wanted, options) => workbook('reviews.turnaroundXlsx', wanted, options),
  };
}
