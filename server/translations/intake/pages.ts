import { setImmediate } from 'node:timers/promises';
import { AppError } from '#server/errors.ts';
import { pagesOf } from '#server/formats/text-pages.ts';
import type { Settings } from '#server/settings.ts';
import { itemKey } from '../idempotency.ts';
import type { TranslationRequest } from '../schema.ts';
import { checkRequest } from './check-request.ts';
import type { DocumentTextRequest } from './schema.ts';

/** What is known of the document that a page belongs to; what its caller said beside it is kept. */
export interface SourceDocument {
  name: string;
  content_type: string | null;
  size_bytes: number;
  [said: string]: unknown;
}

/** Pages that are cut before others have their turn: some milliseconds. */
const pagesOfSlice = 5;

/**
 * One request a page (B 8 "Characters per text-document page"), keyed `<key>:n` from 1.
 * @throws AppError 400 where there is no text, 413 where there are more pages than MAX_BATCH_ITEMS
 */
export async function requestPages(
  request: TranslationRequest,
  document: SourceDocument,
  settings: Settings,
): Promise<TranslationRequest[]> {
  // Longer than that many full pages, whatever its splitting comes to.
  if (request.source_text.length > 2 * settings.MAX_BATCH_ITEMS * settings.MAX_PAGE_CHARS)
    throw tooManyPages();
  const pages: string[] = [];
  for (const page of pagesOf(request.source_text, settings.MAX_PAGE_CHARS, request.source_lang)) {
    if (pages.length === settings.MAX_BATCH_ITEMS) throw tooManyPages();
    pages.push(page);
    if (pages.length % pagesOfSlice === 0) await setImmediate();
  }
  if (pages.length === 0) throw new AppError('validation_error', 'source_document holds no text');
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

/** The pages of a text that its caller holds already (`metadata.source_document`). */
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

function tooManyPages(): AppError {
  return new AppError('payload_too_large', 'batch exceeds MAX_BATCH_ITEMS');
}
