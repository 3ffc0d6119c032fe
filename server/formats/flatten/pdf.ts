import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { limits, overLimit } from '../file-error.ts';
import { openPdfjs } from '../pdfjs/open-pdfjs.ts';
import { countCodePoints } from '../text.ts';
import { readLines } from './pdf-lines.ts';
import { joinLines } from './pdf-paragraphs.ts';

/**
 * Returns the text of a PDF in drawing order. In files from word processors and typesetting programs this is the
 * reading order. Joins lines into paragraphs. Joins the two parts of a word that is hyphenated at the end of a line.
 * Excludes the content of form fields, which is not translated.
 *
 * @throws {FileError} `unreadable`, `too_large`, or `protected` if opening the file requires a password. A password
 *   that only restricts the use of the file has no effect
 */
export async function readPdf(bytes: Uint8Array): Promise<string> {
  const pages: string[] = [];
  await readPages(bytes, (text) => {
    pages.push(text);
    return true;
  });
  return pages.join('\n\n');
}

/**
 * Passes the text of each page that has text to `take`, until `take` returns false. The texts are those of `readPdf`.
 *
 * @param choose returns the pages to read for the number of pages; by default, all pages are read
 * @throws {FileError} as `readPdf` does
 */
export async function readPages(
  bytes: Uint8Array,
  take: (text: string) => boolean,
  choose?: (pageCount: number) => ReadonlySet<number>,
): Promise<void> {
  const pdf = await openPdfjs(bytes);
  try {
    const chosen = choose?.(pdf.pageCount);
    await pdf.use((document) => takePages(document, take, chosen));
  } finally {
    await pdf.close();
  }
}

async function takePages(
  document: PDFDocumentProxy,
  take: (text: string) => boolean,
  chosen: ReadonlySet<number> | undefined,
): Promise<void> {
  let chars = 0;
  for (let number = 1; number <= document.numPages; number++) {
    if (chosen?.has(number) === false) continue;
    const page = await document.getPage(number);
    const items = await readItems(page);
    const text = joinLines(readLines(items));
    page.cleanup();
    if (text === '') continue;
    chars += countCodePoints(text);
    if (chars > limits.textChars) throw overLimit('the number of characters of the file', limits.textChars);
    if (!take(text)) return;
  }
}

type PageItems = Awaited<ReturnType<PDFPageProxy['getTextContent']>>['items'];

/**
 * Returns the pieces of text of a page with their positions. Throws above 4 times the character limit of a file: the
 * limit is in code points and excludes surrounding spaces, while the pieces are counted in UTF-16 units.
 */
async function readItems(page: PDFPageProxy): Promise<PageItems> {
  const items: PageItems = [];
  let units = 0;
  const reader = page.streamTextContent().getReader() as ReadableStreamDefaultReader<{ items: PageItems }>;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    for (const item of next.value.items) {
      items.push(item);
      if ('str' in item) units += item.str.length;
    }
    if (units <= 4 * limits.textChars) continue;
    await reader.cancel();
    throw overLimit('the number of characters of the file', limits.textChars);
  }
  return items;
}
