import { type ApiPromise, mapResult } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { Bytes } from './exchange.ts';
import type { CallOptions } from './options.ts';
import type { Call } from './send.ts';
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

const byReviewerCall: Call = { name: 'reviews.byReviewer', repeatable: true };
const payCall: Call = { name: 'reviews.pay', repeatable: true };
const payXlsxCall: Call = { name: 'reviews.payXlsx', repeatable: true };
const turnaroundCall: Call = { name: 'reviews.turnaround', repeatable: true };
const turnaroundXlsxCall: Call = { name: 'reviews.turnaroundXlsx', repeatable: true };

export function reviewReports({ query }: Connection): ReviewReports {
  const workbook = (call: Call, wanted: PayReportQuery, options?: CallOptions) =>
    mapResult(
      query<{ file_name: string; content: string }>(call, wanted, options),
      ({ file_name, content }) => ({
        fileName: file_name,
        content: Uint8Array.from(atob(content), (char) => char.charCodeAt(0)),
      }),
    );
  return {
    byReviewer: (wanted, options) => query(byReviewerCall, wanted, options),
    pay: (wanted, options) => query(payCall, wanted, options),
    payXlsx: (wanted, options) => workbook(payXlsxCall, wanted, options),
    turnaround: (wanted, options) => query(turnaroundCall, wanted, options),
    turnaroundXlsx: (wanted, options) => workbook(turnaroundXlsxCall, wanted, options),
  };
}
