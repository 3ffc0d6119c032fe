import { createInflate } from 'node:zlib';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { FlattenError, limits, overLimit } from '../flatten-error.ts';
import { countCodePoints } from '../text.ts';
import { loadPdfjs, Meter, useMeter } from './pdf-budget.ts';
import { readLines } from './pdf-lines.ts';
import { joinLines } from './pdf-paragraphs.ts';

/** Deflate makes of n bytes at most 1,032 n. */
const greatestRatio = 1032;
/** Where the dictionary of a stream is looked for, before its keyword. */
const longestDictionary = 4096;

const keyword = Buffer.from('stream');
const endKeyword = Buffer.from('endstream');

/**
 * Refuses a PDF in which a deflated stream holds more than `limits.pdfStream` bytes: pdf.js inflates streams whole, so
 * a small file could ask for gigabytes. What each holds is counted without being kept. Images are let be, as they are
 * not decoded for their text, and so is what this does not see (streams in an encrypted file or under two filters): for
 * those there is the sandbox.
 *
 * @throws {FlattenError} `too_large`
 */
async function refuseLargeStreams(bytes: Uint8Array): Promise<void> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let total = 0;
  for (let at = file.indexOf(keyword); at >= 0; at = file.indexOf(keyword, at + 1)) {
    const start = startOfData(file, at);
    if (start === undefined) continue;
    const end = file.indexOf(endKeyword, start);
    const stop = end < 0 ? file.length : end;
    if ((stop - start) * greatestRatio > limits.pdfStream && isDeflatedText(file, at)) {
      total += await inflatedSize(file.subarray(start, stop));
      if (total > limits.pdfStreams)
        throw overLimit('the unpacked size in bytes of the PDF', limits.pdfStreams);
    }
    at = stop;
  }
}

/** The offset of a stream's first byte, where the keyword at `at` starts one. */
function startOfData(file: Buffer, at: number): number | undefined {
  const after = at + keyword.length;
  if (file[after] === 0x0a) return after + 1;
  if (file[after] === 0x0d) return file[after + 1] === 0x0a ? after + 2 : after + 1;
  return undefined;
}

function isDeflatedText(file: Buffer, at: number): boolean {
  const before = file.toString('latin1', Math.max(0, at - longestDictionary), at);
  const dictionary = before.slice(before.lastIndexOf(' obj') + 1);
  return /\/(?:FlateDecode|Fl)\b/.test(dictionary) && !/\/Subtype\s*\/Image\b/.test(dictionary);
}

async function inflatedSize(deflated: Buffer): Promise<number> {
  const inflater = createInflate({ chunkSize: 256 * 1024 });
  inflater.end(deflated);
  let size = 0;
  try {
    for await (const piece of inflater) {
      size += (piece as Buffer).length;
      if (size > limits.pdfStream)
        throw overLimit('the unpacked size in bytes of one stream of the PDF', limits.pdfStream);
    }
  } catch (error) {
    // Damaged data ends here, and for pdf.js as well.
    if (!isZlibError(error)) throw error;
  } finally {
    inflater.destroy();
  }
  return size;
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

/** Tables of character codes for fonts that name one of Adobe's instead of carrying their own. */
const characterMaps = decodeURIComponent(
  new URL('cmaps/', import.meta.resolve('pdfjs-dist/package.json')).pathname,
);

/** One file after the other: pdf.js has one meter. */
let reading: Promise<unknown> = Promise.resolve();

/**
 * The text of a PDF in the order in which its pages draw it, which for what word processors and typesetters write is
 * the reading order. Lines are joined into paragraphs, words that a hyphen breaks at a line's end are whole again.
 * What a field holds is not part of it (B 4.3 keeps fields as they are).
 *
 * @throws {FlattenError} `unreadable`, `protected` (it asks for a password; one that only restricts its use is
 * nothing to us), or `too_large`
 */
export async function readPdf(bytes: Uint8Array): Promise<string> {
  if (!hasHeader(bytes)) throw new FlattenError('unreadable', 'the file is not a PDF');
  await refuseLargeStreams(bytes);
  const read = reading.then(() => readMetered(bytes, new Meter(bytes.length)));
  reading = read.catch(() => {});
  return read;
}

/** The same, counted by `meter`. */
async function readMetered(bytes: Uint8Array, meter: Meter): Promise<string> {
  // Only here, so that a file refused until here costs no library.
  const { getDocument, VerbosityLevel } = await loadPdfjs();
  useMeter(meter);
  const loading = getDocument({
    // A copy: pdf.js takes the buffer away from its owner, and wants no Buffer.
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    cMapUrl: characterMaps,
    cMapPacked: true,
    useSystemFonts: false,
    disableFontFace: true,
    // It is for drawing, which is not done here; of no image more than its size is ever read.
    maxImageSize: 1,
  });
  try {
    return await readPages(await loading.promise, meter);
  } catch (error) {
    throw meter.refusal ?? asFlattenError(error);
  } finally {
    await loading.destroy();
    useMeter(undefined);
  }
}

async function readPages(document: PDFDocumentProxy, meter: Meter): Promise<string> {
  meter.checkPages(document.numPages);
  const pages: string[] = [];
  let chars = 0;
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const items = await readItems(page);
    // What a page draws until it is over a limit is not its text.
    if (meter.refusal) throw meter.refusal;
    const text = joinLines(readLines(items));
    page.cleanup();
    if (text === '') continue;
    chars += countCodePoints(text);
    if (chars > limits.textChars) throw overLimit('the number of characters of the file', limits.textChars);
    pages.push(text);
  }
  return pages.join('\n\n');
}

type PageItems = Awaited<ReturnType<PDFPageProxy['getTextContent']>>['items'];

/** Pieces of text with their places; no more of them than a whole file may have characters, in UTF-16 and with spaces. */
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

/** Readers look for the header in the first kilobyte, as some programs put something before it. */
function hasHeader(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).includes('%PDF-');
}

function asFlattenError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof FlattenError) return error;
  if (error.name === 'PasswordException')
    return new FlattenError('protected', 'the PDF is protected by a password', { cause: error });
  return new FlattenError('unreadable', 'the PDF cannot be read', { cause: error });
}
