import { type ApiPromise, mapResult } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { Bytes } from './exchange.ts';
import type { CallOptions } from './options.ts';
import type { ApprovedItemsQuery, ReviewerReport, ReviewerReportQuery } from './types.ts';

/** A CSV file or an Excel workbook. */
export interface ApprovedItemsFile {
  /** The name of the file. */
  fileName: string;
  /** Its bytes. */
  content: Bytes;
}

/** Reports about the work of reviewers, part of `reviews`. All require the session of an administrator. */
export interface ReviewReports {
  /** Returns the work of each reviewer in a period: the number of jobs, the changes, and the time. */
  byReviewer(query: ReviewerReportQuery, options?: CallOptions): ApiPromise<ReviewerReport>;
  /**
   * Returns a CSV file or an Excel workbook with a row for each text and document that was approved in a period: both
   * reviewers, the words, the changed words, and the resolved findings.
   */
  approvedItems(query: ApprovedItemsQuery, options?: CallOptions): ApiPromise<ApprovedItemsFile>;
}

export function reviewReports({ query }: Connection): ReviewReports {
  return {
    byReviewer: (wanted, options) => query('reviews.byReviewer', wanted, options),
    approvedItems: (wanted, options) =>
      mapResult(query('reviews.approvedItems', wanted, options), ({ file_name, content }) => ({
        fileName: file_name,
        content: Uint8Array.from(atob(content), (char) => char.charCodeAt(0)),
      })),
  };
}
