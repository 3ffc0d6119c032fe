import { type OpenDownload, readFileName, streamOf } from './downloads.ts';
import type { Bytes, Piece } from './exchange.ts';

/**
 * A file that is read once: in a `for await`, as `body` or with `bytes`. It arrives no faster than it is read. If it
 * is cut off (ConnectionError) or stalls (TimeoutError), the data read until then is incomplete. Read it to its end,
 * or leave the loop, or cancel `body`: until then it holds a connection.
 */
export interface StreamedFile extends AsyncIterable<Bytes> {
  /** It contains no folder. */
  fileName: string;
  /** Its media type. */
  contentType: string;
  /** To save it while it arrives, or to pass it on. */
  body: ReadableStream<Bytes>;
  /** The whole file. */
  bytes(): Promise<Bytes>;
  /** Its pieces, of any size: a character may be split between two pieces. Leaving the loop ends the download. */
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
    // Lock the reader immediately and permanently, so that a second loop throws instead of finding an empty file.
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
