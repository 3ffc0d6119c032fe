import { interrupted } from './attempt-error.ts';
import type { OpenDownload } from './downloads.ts';
import { type StreamedFile, streamedFile } from './streamed-file.ts';

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
