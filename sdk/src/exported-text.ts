import { type ApiPromise, mapResult } from './api-promise.ts';
import { interrupted } from './attempt-error.ts';
import type { Connection } from './connection.ts';
import { readFileName } from './downloads.ts';
import type { CallOptions } from './options.ts';
import type { RestRequest } from './rest.ts';
import type { Call } from './send.ts';

/** A file of an exchange format (XLIFF, TBX), which other tools read. */
export interface ExportedText {
  /** The whole text. */
  text: string;
  /** It contains no folder. */
  fileName: string;
  /** The start of the next page, for the query's `cursor`; null on the last one. */
  nextCursor: string | null;
}

export const xliffType = 'application/xliff+xml';

/** Requests a file of another media type, which ends with the tag `end`, from a JSON route. */
export function exportText(
  { rest, run }: Connection,
  call: Call,
  request: RestRequest,
  { type, end, unnamed }: { type: string; end: string; unnamed: string },
  options: CallOptions | undefined,
): ApiPromise<ExportedText> {
  const asked = { ...request, headers: { accept: type } };
  return mapResult(
    run(call, (attempt) => rest.download(asked, type, attempt), options),
    ({ bytes, headers }) => {
      const text = new TextDecoder().decode(bytes);
      // Not every connection reports a response that was cut off.
      if (!text.trimEnd().endsWith(end)) throw interrupted(call.name, new Error('the file is incomplete'));
      const fileName = readFileName(headers.get('content-disposition')) ?? unnamed;
      return { text, fileName, nextCursor: headers.get('x-next-cursor') };
    },
  );
}

export const xliffFile = { type: xliffType, end: '</xliff>', unnamed: 'export.xlf' };

/** A review as XLIFF. */
export function xliffReview(path: string, xliff: string, query: object | undefined): RestRequest {
  const body = new TextEncoder().encode(xliff).buffer;
  return { method: 'POST', path, query, body, headers: { 'content-type': xliffType } };
}
