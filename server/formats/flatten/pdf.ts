import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { limits, overLimit } from '../file-error.ts';
import { openPdfjs } from '../pdfjs/open-pdfjs.ts';
import { countCodePoints } from '../text.ts';
import { readLines } from './pdf-lines.ts';
import { joinLines } from './pdf-paragraphs.ts';

/**
 * Returns the text of a PDF in drawing order, which is the reading order in files of word processors and typesetting programs.
 * Joins lines into paragraphs, and the parts of a word that is hyphenated at the end of a line. Excludes the content of form
 * fields, which a translation keeps unchanged.
 *
 * @throws {FileError} `unreadable`, `too_large`, or `protected` if opening it requires a password. A password that only
 *   restricts the use of the file is irrelevant
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
 * Reads the pages of a PDF that have text, as `readPdf` does, until `take` returns false.
 *
 * @throws {FileError} as `readPdf`
 */
export async function readPages(bytes: Uint8Array, take: (text: string) => boolean): Promise<void> {
  const pdf = await openPdfjs(bytes);
  try {
    await pdf.use((document) => takePages(document, take));
  } finally {
    await pdf.close();
  }
}

async function takePages(document: PDFDocumentProxy, take: (text: string) => boolean): Promise<void> {
  let chars = 0;
  for (let number = 1; number <= document.numPages; number++) {
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
 * Reads pieces of text with positions. Stops at 4 times the character limit of a file, to allow for UTF-16 units and spaces.
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
