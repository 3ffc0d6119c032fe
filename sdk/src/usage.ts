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

/** A month's records as a file that is read once. */
export interface UsageExport {
  /** It contains no folder. */
  fileName: string;
  /** Its media type. */
  contentType: string;
  /**
   * Arrives no faster than it is read, and fails if it is cut off (ConnectionError) or stalls (TimeoutError): the
   * data read until then is incomplete. Read it to its end, or cancel it: until then it holds a connection.
   */
  body: ReadableStream<Bytes>;
}

/**
 * Usage and billing records: for an administrator's session, or a platform operator; never for a tenant's API key.
 * For an administrator, only the own tenant exists: NotFoundError for others.
 */
export interface Usage {
  /** Usage per day. Without a tenant, an operator gets the sum over all of them. */
  daily(query?: DailyUsageQuery, options?: TenantOptions): ApiPromise<DailyUsage>;
  /** A month's figures, with its latest records; `records` has all of them. */
  summary(tenantId: string, query?: UsageSummaryQuery, options?: CallOptions): ApiPromise<TenantUsageSummary>;
  /**
   * Every record of a month, oldest first, as they arrive: they are never all in memory, and leaving the loop ends
   * the download. A failure before the first record is retried; after it, a download that is cut off throws a
   * ConnectionError and one that stalls a TimeoutError, so that incomplete data never looks complete.
   */
  records(
    tenantId: string,
    query?: UsageRecordsQuery,
    options?: CallOptions,
  ): AsyncIterable<TenantUsageRecord>;
  /** The same as a file, to save while it arrives. */
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

/** Maximum characters of a line. Records are far shorter; a longer line is not a record and must not fill the memory. */
const maxLineLength = 1_048_576;

/**
 * Yields the records of a jsonl export, one per line, as they arrive. Leaving the loop ends the download. The service
 * ends every line, including the last one, with a line feed: an export that ends otherwise was cut off, even if the
 * connection did not report it.
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

/** Checks enough to distinguish a record from a proxy's page or an error. */
function isRecord(value: unknown): value is TenantUsageRecord {
  const { job_id, billable_chars } = (value ?? {}) as Record<string, unknown>;
  return typeof job_id === 'string' && typeof billable_chars === 'number';
}
