import { type ApiPromise, mapResult } from './api-promise.ts';
import { interrupted } from './attempt-error.ts';
import type { Connection } from './connection.ts';
import { type OpenDownload, readFileName, streamOf } from './downloads.ts';
import type { Bytes, Piece } from './exchange.ts';
import type { CallOptions } from './options.ts';
import type { RestRequest } from './rest.ts';
import type { Call } from './send.ts';

/**
 * A file that is read in one of these ways: in a `for await` loop, from `body`, or with `bytes`. It arrives only as fast as it is
 * read. If reading throws ConnectionError (the file was cut off) or TimeoutError (no data arrived in time), the data
 * read until then are incomplete. The file holds a connection until it is read to the end, the loop is left, or
 * `body` is canceled.
 */
export interface StreamedFile extends AsyncIterable<Bytes> {
  /** The file name, without directories. */
  fileName: string;
  /** The media type of the file. */
  contentType: string;
  /** The file as a stream, to save it while it arrives or to pass it on. */
  body: ReadableStream<Bytes>;
  /** Reads the whole file. A second call returns the same bytes. */
  bytes(): Promise<Bytes>;
  /**
   * Iterates over the pieces of the file. A piece may have any size, and may end in the middle of a character.
   * Leaving the loop ends the download.
   */
  [Symbol.asyncIterator](): AsyncIterator<Bytes, void, undefined>;
}

/** @param unnamed the file name and type to use if the service sends none */
export function streamedFile(
  { headers, ...download }: OpenDownload,
  unnamed: { fileName: string; contentType: string },
): StreamedFile {
  const body = streamOf(download);
  let whole: Promise<Bytes> | undefined;
  return {
    fileName: readFileName(headers.get('content-disposition')) ?? unnamed.fileName,
    contentType: headers.get('content-type') ?? unnamed.contentType,
    body,
    async bytes() {
      whole ??= new Response(body).arrayBuffer().then((buffer) => new Uint8Array(buffer));
      return whole;
    },
    // Lock the reader at the first read and never release it. A second loop then throws, instead of seeing an empty
    // file.
    [Symbol.asyncIterator]: () => piecesOf(body.getReader()),
  };
}

async function* piecesOf(reader: ReadableStreamDefaultReader<Piece>): AsyncGenerator<Piece, void, undefined> {
  try {
    for (;;) {
      const { value } = await reader.read();
      if (!value) return;
      yield value;
    }
  } finally {
    // `cancel` fails if the download has failed. Ignore this, because `read` has reported it.
    void reader.cancel().catch(() => {});
  }
}

export const tmxType = 'application/xml';

/** A translation memory as a TMX file that can be streamed. */
export type MemoryExport = StreamedFile;

/** @param unnamed file name to use if the service sends none */
export function memoryExport(opened: OpenDownload, call: string, unnamed: string): MemoryExport {
  const download = { ...opened, read: readToEnd(opened, call, (last) => last.trimEnd().endsWith('</tmx>')) };
  return streamedFile(download, { fileName: unnamed, contentType: tmxType });
}

/** Number of bytes at the end of a file from which a reader sees that the file is complete. */
const lastBytes = 22;

/**
 * Returns a reader that checks at the end that the file is complete: not every connection reports that a response was
 * cut off.
 */
export function readToEnd(
  { read }: OpenDownload,
  call: string,
  isEnd: (last: string) => boolean,
): OpenDownload['read'] {
  let last = '';
  return async () => {
    const piece = await read();
    if (piece) {
      last = (last + String.fromCharCode(...piece.slice(-lastBytes))).slice(-lastBytes);
      return piece;
    }
    if (!isEnd(last)) throw interrupted(call, new Error('the file is incomplete'));
    return undefined;
  };
}

/** A file in an exchange format that other tools read (XLIFF, TBX). */
export interface ExportedText {
  /** The content of the file. */
  text: string;
  /** The name of the file, without directories. */
  fileName: string;
  /** The start of the next page, as a value for `cursor` in the query. Null on the last page. */
  nextCursor: string | null;
}

const xliffType = 'application/xliff+xml';

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
