import { clip } from '../limits.ts';
import type { TranslationJob } from '../schema.ts';

/**
 * What a download is called: after its source document (B 2.6 `source_document`), page and language; after the job
 * where it has none.
 */
export function goldenFileName({ id, request }: TranslationJob, extension: string): string {
  const { source_document: document } = request.metadata as {
    source_document?: { name?: unknown; page_number?: unknown; page_count?: unknown };
  };
  const name = typeof document?.name === 'string' ? document.name : '';
  const stem =
    name
      .replace(/^.*[\\/]/s, '')
      .replace(/\p{C}/gu, '')
      .replace(/\.[A-Za-z0-9]{1,5}$/, '')
      .replace(/^[.\s]+/, '') || `translation-${id}`;
  const page =
    typeof document?.page_count === 'number' && document.page_count > 1
      ? `-page-${document.page_number}`
      : '';
  return `${clip(stem, 150)}${page}.${request.target_lang}.${extension}`;
}
