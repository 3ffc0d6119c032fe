import { createInflate } from 'node:zlib';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { FileError, limits, overLimit } from '../file-error.ts';
import { countCodePoints } from '../text.ts';
import { loadPdfjs, Meter, useMeter } from './pdf-budget.ts';
import { readLines } from './pdf-lines.ts';
import { joinLines } from './pdf-paragraphs.ts';

/** Deflate expands n bytes to at most 1,032 n. */
const greatestRatio = 1032;
/** The number of bytes before a stream's keyword in which its dictionary is searched. */
const longestDictionary = 4096;

const keyword = Buffer.from('stream');
const endKeyword = Buffer.from('endstream');

/**
 * Refuses a PDF in which a deflated stream inflates to more than `limits.pdfStream` bytes. pdf.js inflates whole streams, so
 * a small file could need gigabytes. The inflated bytes are counted, not kept. Images are skipped, because they are not
 * decoded. Streams in an encrypted file or with two filters are not seen here; the sandbox limits them.
 *
 * @throws {FileError} `too_large`
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

/** Returns the offset of a stream's first byte; undefined if the keyword at `at` does not start a stream. */
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
    // The data is damaged here. pdf.js stops at the same place.
    if (!isZlibError(error)) throw error;
  } finally {
    inflater.destroy();
  }
  return size;
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

/** Adobe's predefined tables of character codes, for fonts that name one instead of embedding their own. */
const characterMaps = decodeURIComponent(
  new URL('cmaps/', import.meta.resolve('pdfjs-dist/package.json')).pathname,
);

/** Files are read one after the other, because pdf.js has only one meter. */
let reading: Promise<unknown> = Promise.resolve();

/**
 * Returns the text of a PDF in drawing order, which is the reading order in files of word processors and typesetting programs.
 * Joins lines into paragraphs, and words that a hyphen splits at the end of a line. Leaves out the content of form fields
 * (B 4.3 keeps fields as they are).
 *
 * @throws {FileError} `unreadable`, `too_large`, or `protected` if opening it requires a password. A password that only
 * restricts the use of the file does not matter
 */
export async function readPdf(bytes: Uint8Array): Promise<string> {
  if (!hasHeader(bytes)) throw new FileError('unreadable', 'the file is not a PDF');
  await refuseLargeStreams(bytes);
  const read = reading.then(() => readMetered(bytes, new Meter(bytes.length)));
  reading = read.catch(() => {});
  return read;
}

/** Reads the text of a PDF while `meter` counts the work. */
async function readMetered(bytes: Uint8Array, meter: Meter): Promise<string> {
  // Loaded only here, so that refused files do not load the library.
  const { getDocument, VerbosityLevel } = await loadPdfjs();
  useMeter(meter);
  const loading = getDocument({
    // A copy: pdf.js detaches the buffer, and does not accept a Buffer.
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    cMapUrl: characterMaps,
    cMapPacked: true,
    useSystemFonts: false,
    disableFontFace: true,
    // Only for drawing, which is not done here. Of an image, only its size is read.
    maxImageSize: 1,
  });
  try {
    return await readPages(await loading.promise, meter);
  } catch (error) {
    throw meter.refusal ?? asFileError(error);
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
    // If the meter stopped pdf.js, the page's text is incomplete.
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

/** Reads pieces of text with positions. Stops at 4 times a file's character limit, to allow for UTF-16 units and spaces. */
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

/** Readers search the header in the first kilobyte, because some programs write other data before it. */
function hasHeader(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).includes('%PDF-');
}

function asFileError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof FileError) return error;
  if (error.name === 'PasswordException')
    return new FileError('protected', 'the PDF is protected by a password', { cause: error });
  return new FileError('unreadable', 'the PDF cannot be read', { cause: error });
}
