import { setImmediate } from 'node:timers/promises';
import { AppError, tooLarge } from '#server/errors.ts';
import { pagesOf } from '#server/formats/text-pages.ts';
import type { Settings } from '#server/settings.ts';
import { itemKey } from '../idempotency.ts';
import type { TranslationRequest } from '../schema.ts';
import { checkRequest } from './check-request.ts';
import type { DocumentTextRequest } from './schema.ts';

/** The document to which a page belongs. Further fields from the caller are kept. */
export interface SourceDocument {
  name: string;
  content_type: string | null;
  size_bytes: number;
  [said: string]: unknown;
}

/** Number of pages to split before other requests may run: a few milliseconds of work. */
const pagesOfSlice = 5;

/**
 * Splits a document into one request per page. The keys are `<key>:1`, `<key>:2` and so on.
 * @throws AppError 400 if there is no text, 413 for more pages than MAX_BATCH_ITEMS
 */
export async function requestPages(
  request: TranslationRequest,
  document: SourceDocument,
  settings: Settings,
): Promise<TranslationRequest[]> {
  // However such a text is split, it has too many pages.
  if (request.source_text.length > 2 * settings.MAX_BATCH_ITEMS * settings.MAX_PAGE_CHARS)
    throw tooManyPages(settings);
  const pages: string[] = [];
  for (const page of pagesOf(request.source_text, settings.MAX_PAGE_CHARS, request.source_lang)) {
    if (pages.length === settings.MAX_BATCH_ITEMS) throw tooManyPages(settings);
    pages.push(page);
    if (pages.length % pagesOfSlice === 0) await setImmediate();
  }
  if (pages.length === 0) throw new AppError('validation_error', 'no text found in source_document');
  return pages.map((source_text, index) =>
    checkRequest(
      {
        ...request,
        source_text,
        idempotency_key: itemKey(request.idempotency_key, index + 1),
        metadata: {
          ...request.metadata,
          source_document: { ...document, page_number: index + 1, page_count: pages.length },
        },
      },
      settings,
    ),
  );
}

/** Returns the requests for the pages of a document that is sent as text (`metadata.source_document`). */
export async function requestPagesOfText(
  request: DocumentTextRequest,
  settings: Settings,
): Promise<TranslationRequest[]> {
  const checked = checkRequest(request, settings);
  const said = request.metadata.source_document;
  const document: SourceDocument = {
    ...said,
    name: said.name ?? 'source_document.txt',
    content_type: typeof said['content_type'] === 'string' ? said['content_type'] : null,
    size_bytes: Buffer.byteLength(request.source_text),
  };
  return requestPages(checked, document, settings);
}

/** The message has no page count, because splitting stops at the limit. */
function tooManyPages({ MAX_BATCH_ITEMS }: Settings): AppError {
  return tooLarge('batch exceeds MAX_BATCH_ITEMS', { limit: MAX_BATCH_ITEMS, unit: 'items' });
}
