import { type OpenDownload, readFileName, streamOf } from './downloads.ts';
import type { Bytes, Piece } from './exchange.ts';

/**
 * A file that can be read once: in a `for await` loop, from `body`, or with `bytes`. It arrives only as fast as it is
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
  /** Reads the whole file. */
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
  return {
    fileName: readFileName(headers.get('content-disposition')) ?? unnamed.fileName,
    contentType: headers.get('content-type') ?? unnamed.contentType,
    body,
    bytes: async () => new Uint8Array(await new Response(body).arrayBuffer()),
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
