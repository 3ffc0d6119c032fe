import { readFileName } from './file-name.ts';
import type { CallOptions } from './options.ts';
import type { Rest } from './rest.ts';
import type { Call, Send } from './send.ts';
import type { GoldenFormat } from './types.ts';

/** A published translation as a file. */
export interface GoldenFile {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  /** After the source document, page and language; it names no folder. */
  fileName: string;
}

const goldenCall: Call = { name: 'translations.golden', repeatable: true };

const mediaTypes: Readonly<Record<GoldenFormat, string>> = {
  txt: 'text/plain',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
};

export function golden(rest: Rest, send: Send) {
  return async (
    jobId: string,
    { format = 'txt' }: { format?: GoldenFormat | undefined } = {},
    options?: CallOptions,
  ): Promise<GoldenFile> => {
    const request = {
      method: 'GET',
      path: `/api/translations/${encodeURIComponent(jobId)}/golden?format=${format}`,
    } as const;
    const { bytes, headers } = await send(
      goldenCall,
      (attempt) => rest.download(request, mediaTypes[format], attempt),
      options,
    );
    return {
      bytes,
      contentType: headers.get('content-type') ?? mediaTypes[format],
      fileName: readFileName(headers.get('content-disposition')) ?? `translation-${jobId}.${format}`,
    };
  };
}
