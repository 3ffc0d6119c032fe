import { type ApiPromise, mapResult } from './api-promise.ts';
import { interrupted } from './attempt-error.ts';
import type { Connection } from './connection.ts';
import { type OpenDownload, readFileName, streamOf } from './downloads.ts';
import { LinguaLoopError } from './errors.ts';
import type { Bytes } from './exchange.ts';
import { type CallOptions, type TenantOptions, tenantOf } from './options.ts';
import type { RestRequest } from './rest.ts';
import type { Call } from './send.ts';
import type {
  DailyUsage,
  DailyUsageQuery,
  TenantUsageRecord,
  TenantUsageSummary,
  UsageExportFormat,
  UsageExportQuery,
  UsageRecordsQuery,
  UsageSummaryQuery,
} from './types.ts';

/** The records of a month as a file that can be read once. */
export interface UsageExport {
  /** The file name, without directories. */
  fileName: string;
  /** The media type of the file. */
  contentType: string;
  /**
   * The content of the file. It arrives only as fast as it is read. If reading throws ConnectionError (the file was
   * cut off) or TimeoutError (no data arrived in time), the data read until then are incomplete. The file holds a
   * connection until it is read to the end or canceled.
   */
  body: ReadableStream<Bytes>;
}

/**
 * Usage and billing records. Requires an administrator's session or a platform operator; a tenant's API key is not
 * accepted. For tenants other than their own, administrators get NotFoundError.
 */
export interface Usage {
  /** Returns the usage of each day. An operator who selects no tenant gets the sum over all tenants. */
  daily(query?: DailyUsageQuery, options?: TenantOptions): ApiPromise<DailyUsage>;
  /** Returns the totals of a month with the latest records. `records` returns all records. */
  summary(tenantId: string, query?: UsageSummaryQuery, options?: CallOptions): ApiPromise<TenantUsageSummary>;
  /**
   * Iterates over all records of a month, oldest first, while they arrive; they are never all in memory. Leaving the
   * loop ends the download. A failure is retried only before the first record has arrived. Later, the loop throws
   * ConnectionError if the download is cut off and TimeoutError if no data arrive in time, so that incomplete data
   * never look complete.
   */
  records(
    tenantId: string,
    query?: UsageRecordsQuery,
    options?: CallOptions,
  ): AsyncIterable<TenantUsageRecord>;
  /** Returns the records of a month as a file that can be saved while it arrives. */
  export(tenantId: string, query?: UsageExportQuery, options?: CallOptions): ApiPromise<UsageExport>;
}

const dailyCall: Call = { name: 'usage.daily', repeatable: true, result: ['days'] };
const summaryCall: Call = { name: 'usage.summary', repeatable: true, result: ['records'] };
const recordsCall: Call = { name: 'usage.records', repeatable: true };
const exportCall: Call = { name: 'usage.export', repeatable: true };

const mediaTypes: Readonly<Record<UsageExportFormat, string>> = {
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
};

export function usage({ downloads, json }: Connection): Usage {
  return {
    daily: (query, options) =>
      json(
        dailyCall,
        { method: 'GET', path: '/api/tenants/usage/daily', query: { ...query, ...tenantOf(options) } },
        options,
      ),
    summary: (tenantId, query, options) =>
      json(
        summaryCall,
        { method: 'GET', path: `/api/tenants/${encodeURIComponent(tenantId)}/billing`, query },
        options,
      ),
    records(tenantId, query, options) {
      const request = exportRequest(tenantId, 'jsonl', query?.period);
      const open = () => downloads.open(recordsCall, request, mediaTypes.jsonl, options);
      return { [Symbol.asyncIterator]: () => readRecords(open, recordsCall.name) };
    },
    export(tenantId, { format = 'json', period } = {}, options) {
      const type = mediaTypes[format];
      const opened = downloads.open(exportCall, exportRequest(tenantId, format, period), type, options);
      return mapResult(opened, (download) => ({
        fileName: readFileName(download.headers.get('content-disposition')) ?? `usage.${format}`,
        contentType: download.headers.get('content-type') ?? type,
        body: streamOf(download),
      }));
    },
  };
}

function exportRequest(tenantId: string, format: UsageExportFormat, period: string | undefined): RestRequest {
  const path = `/api/tenants/${encodeURIComponent(tenantId)}/billing/export`;
  return { method: 'GET', path, query: { format, period } };
}

/**
 * Maximum characters of a line. Records are much shorter. A longer line is not a record, and must not fill the
 * memory.
 */
const maxLineLength = 1_048_576;

/**
 * Yields the records of a jsonl export, one per line, while they arrive. Leaving the loop ends the download. The
 * service ends every line with a line feed, also the last one. If an export ends without a line feed, it was cut off,
 * even if the connection did not report it.
 * @throws LinguaLoopError if a line is not a record; ConnectionError if the export is cut off
 */
async function* readRecords(
  open: () => Promise<OpenDownload>,
  call: string,
): AsyncGenerator<TenantUsageRecord, void, undefined> {
  const download = await open();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 0;
  let begun = '';
  const fail = (): never => {
    const requestId = download.headers.get('x-request-id');
    const detail = `${call}: line ${lines + 1} is not a usage record`;
    throw new LinguaLoopError({ status: 200, detail, requestId, answeredBy: 'other' });
  };
  const decode = (piece: Uint8Array | undefined): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      return fail();
    }
  };
  try {
    for (;;) {
      const piece = await download.read();
      const ended = decode(piece).split('\n');
      ended[0] = begun + ended[0];
      begun = ended.pop() as string;
      for (const line of ended) {
        yield recordOf(line) ?? fail();
        lines += 1;
      }
      if (begun.length > maxLineLength) fail();
      if (!piece) break;
    }
    if (begun !== '') throw interrupted(call, new Error('the last record is incomplete'));
  } finally {
    download.cancel();
  }
}

function recordOf(line: string): TenantUsageRecord | undefined {
  if (line.length > maxLineLength) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Checks only enough fields to distinguish a record from a page of a proxy or an error. */
function isRecord(value: unknown): value is TenantUsageRecord {
  const { job_id, billable_chars } = (value ?? {}) as Record<string, unknown>;
  return typeof job_id === 'string' && typeof billable_chars === 'number';
}
