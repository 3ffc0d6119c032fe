import { type ApiPromise, mapResult } from './api-promise.ts';
import { interrupted } from './attempt-error.ts';
import type { Connection } from './connection.ts';
import { readFileName } from './downloads.ts';
import type { CallOptions } from './options.ts';
import type { RestRequest } from './rest.ts';
import type { Call } from './send.ts';

/** A file in an exchange format that other tools read (XLIFF, TBX). */
export interface ExportedText {
  /** The content of the file. */
  text: string;
  /** The name of the file, without directories. */
  fileName: string;
  /** The start of the next page, as a value for `cursor` in the query. Null on the last page. */
  nextCursor: string | null;
}

export const xliffType = 'application/xliff+xml';

/**
 * Requests a file from a route that otherwise returns JSON.
 * @param end the tag with which a complete file ends
 */
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
      // Check the end, because not every connection reports that a response was cut off.
      if (!text.trimEnd().endsWith(end)) throw interrupted(call.name, new Error('the file is incomplete'));
      const fileName = readFileName(headers.get('content-disposition')) ?? unnamed;
      return { text, fileName, nextCursor: headers.get('x-next-cursor') };
    },
  );
}

export const xliffFile = { type: xliffType, end: '</xliff>', unnamed: 'export.xlf' };

/** Returns the request for a review that is sent as XLIFF. */
export function xliffReview(path: string, xliff: string, query: object | undefined): RestRequest {
  const body = new TextEncoder().encode(xliff).buffer;
  return { method: 'POST', path, query, body, headers: { 'content-type': xliffType } };
}
