import { type OpenDownload, readFileName, streamOf } from './downloads.ts';
import type { Bytes, Piece } from './exchange.ts';

/**
 * A file that is still to be read: in a `for await`, as `body` or with `bytes`, once. It comes no faster than it is read.
 * Where it breaks off (ConnectionError) or stands still (TimeoutError) what was read until then is not the whole. Read it to
 * its end, or leave the loop, or cancel `body`: until then it holds a connection.
 */
export interface StreamedFile extends AsyncIterable<Bytes> {
  /** It names no folder. */
  fileName: string;
  /** Its media type. */
  contentType: string;
  /** To be saved as it comes, or passed on. */
  body: ReadableStream<Bytes>;
  /** The whole of it. */
  bytes(): Promise<Bytes>;
  /** Its pieces, of any size: a letter may lie on both sides of a cut. Leaving the loop ends the download. */
  [Symbol.asyncIterator](): AsyncIterator<Bytes, void, undefined>;
}

/** @param unnamed the file's name and type if the service sends none */
export function streamedFile(
  { headers, ...download }: OpenDownload,
  unnamed: { fileName: string; contentType: string },
): StreamedFile {
  const body = streamOf(download);
  return {
    fileName: readFileName(headers.get('content-disposition')) ?? unnamed.fileName,
    contentType: headers.get('content-type') ?? unnamed.contentType,
    body,
    bytes: async () => new Uint8Array(await new Response(body).arrayBuffer()),
    // Lock the reader at once and for good, so that a second loop throws instead of finding an empty file.
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
    // `cancel` fails if the download has failed, which `read` has reported.
    void reader.cancel().catch(() => {});
  }
}
