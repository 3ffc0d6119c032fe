import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { limits, overLimit } from '../file-error.ts';
import { openPdfjs } from '../pdfjs/open-pdfjs.ts';
import { countCodePoints } from '../text.ts';
import { type Line, readLines } from './pdf-lines.ts';

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

/**
 * Returns the text of a page. Joins the lines of each paragraph, and separates paragraphs by blank lines. Two
 * consecutive lines belong to one paragraph if they have about the same font size, if one is below the other, and if
 * their distance is that of lines of text. There are three exceptions: the lower line starts like a list item; the
 * upper line is a heading; the upper line ends a sentence, and it is short or the lower line is indented.
 */
function joinLines(lines: readonly Line[]): string {
  const paragraphs: string[] = [];
  let text = '';
  let widest = 0;
  const leading = usualLineDistance(lines);
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    if (above && continues(above, line, widest, leading)) {
      text = join(text, line.text);
    } else {
      if (text !== '') paragraphs.push(text);
      text = line.text;
      widest = 0;
    }
    widest = Math.max(widest, line.right);
  }
  if (text !== '') paragraphs.push(text);
  return paragraphs.join('\n\n');
}

/**
 * As shares of the font's height: the minimum line distance in a paragraph, the default of the usual line distance, and
 * the maximum line distance.
 */
const minLeading = 0.6;
const usualLeading = 1.5;
const maxLeading = 3;
/** The maximum line distance in a paragraph, as a factor of the page's usual line distance. */
const extraLeading = 1.3;
/** The minimum number of line distances from which the usual line distance of a page is determined. */
const minLineDistances = 5;
/** The minimum indent of a paragraph's first line, as a share of the font's height. */
const indent = 0.8;
const listItem = /^(?:[•‣◦▪●○■□–—*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s/iu;
const sentenceEnd = /[.!?:;…。！？؟।۔]["'”’)\]»]*$/u;

function continues(above: Line, line: Line, widest: number, leading: number | undefined): boolean {
  const size = Math.max(above.size, line.size);
  const drop = above.baseline - line.baseline;
  if (above.angle !== line.angle || Math.min(above.size, line.size) < 0.8 * size) return false;
  const greatest = Math.min(extraLeading * (leading ?? usualLeading * size), maxLeading * size);
  if (drop < minLeading * size || drop > Math.max(greatest, usualLeading * size)) return false;
  if (line.left > above.right || line.right < above.left) return false;
  if (listItem.test(line.text)) return false;
  const endsEarly = above.right < Math.max(widest - 4 * size, line.right - 8 * size);
  if (endsEarly && above.fonts.last !== line.fonts.first && above.fonts.first === above.fonts.last)
    return false;
  if (sentenceEnd.test(above.text) && (endsEarly || line.left > above.left + indent * size)) return false;
  return true;
}

/**
 * Returns the median distance of consecutive lines below each other; undefined if the page has too few of these
 * distances.
 */
function usualLineDistance(lines: readonly Line[]): number | undefined {
  const drops: number[] = [];
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    const drop = above && above.angle === line.angle ? above.baseline - line.baseline : 0;
    if (drop >= minLeading * line.size && drop <= maxLeading * line.size) drops.push(drop);
  }
  drops.sort((a, b) => a - b);
  return drops.length < minLineDistances ? undefined : drops[drops.length >> 1];
}

/** Scripts that are written without spaces between words. */
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef';
const endsUnspaced = new RegExp(`[${unspaced}]$`, 'u');
const startsUnspaced = new RegExp(`^[${unspaced}]`, 'u');
const brokenWord = /\p{L}[-\u00ad\u2010]$/u;

function join(text: string, line: string): string {
  if (brokenWord.test(text.slice(-4)) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
  if (endsUnspaced.test(text.slice(-2)) && startsUnspaced.test(line)) return text + line;
  return `${text} ${line}`;
}
