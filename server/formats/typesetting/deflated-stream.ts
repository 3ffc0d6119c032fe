import { deflateSync } from 'node:zlib';
import type { PDFContext, PDFRawStream } from '@cantoo/pdf-lib';

/**
 * Creates a deflated stream. pdf-lib's `flateStream` is not used, because it deflates in JavaScript and takes several
 * times as long.
 */
export function deflatedStream(
  context: PDFContext,
  content: Uint8Array | string,
  entries: Record<string, number> = {},
): PDFRawStream {
  // The result of zlib may be a small part of a large buffer, which would stay in memory with it.
  return context.stream(new Uint8Array(deflateSync(content)), { ...entries, Filter: 'FlateDecode' });
}
