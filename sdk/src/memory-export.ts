import { interrupted } from './attempt-error.ts';
import type { OpenDownload } from './downloads.ts';
import { type StreamedFile, streamedFile } from './streamed-file.ts';

export const tmxType = 'application/xml';

/** A memory as a TMX file. */
export type MemoryExport = StreamedFile;

/** @param unnamed the file's name if the service sends none */
export function memoryExport(opened: OpenDownload, call: string, unnamed: string): MemoryExport {
  const download = { ...opened, read: readToEnd(opened, call) };
  return streamedFile(download, { fileName: unnamed, contentType: tmxType });
}

const end = '</tmx>';

/** Reads pieces and checks that the file is complete at its end: not every connection reports a response that was cut off. */
function readToEnd({ read }: OpenDownload, call: string): OpenDownload['read'] {
  let last = '';
  return async () => {
    const piece = await read();
    if (piece) {
      last = (last + String.fromCharCode(...piece.slice(-2 * end.length))).slice(-2 * end.length);
      return piece;
    }
    if (!last.trimEnd().endsWith(end)) throw interrupted(call, new Error('the file is incomplete'));
    return undefined;
  };
}
