import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { FileError } from '../file-error.ts';
import { loadPdfjs, Meter, useMeter } from './budget.ts';
import { rejectLargeStreams } from './stream-sizes.ts';

/** A PDF that is open in pdf.js. */
export interface PdfjsDocument {
  pageCount: number;
  /**
   * Runs `work`, and counts the work of pdf.js with the meter of the file.
   *
   * @throws {FileError} `too_large` if all calls together cause too much work for the size of the file, or `unreadable`
   */
  use<T>(work: (document: PDFDocumentProxy) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * The directory of Adobe's predefined tables of character codes. Fonts may refer to one of them instead of embedding a
 * table.
 */
const characterMaps = decodeURIComponent(
  new URL('cmaps/', import.meta.resolve('pdfjs-dist/package.json')).pathname,
);

/** The work that is in progress. Files are processed one at a time, because pdf.js has only one meter. */
let running: Promise<unknown> = Promise.resolve();

function inTurn<T>(meter: Meter, work: () => Promise<T>): Promise<T> {
  const result = running.then(async () => {
    useMeter(meter);
    try {
      const value = await work();
      // If the meter has stopped pdf.js, the returned value is incomplete.
      if (meter.rejection) throw meter.rejection;
      return value;
    } catch (error) {
      throw meter.rejection ?? asFileError(error);
    } finally {
      useMeter(undefined);
    }
  });
  running = result.catch(() => {});
  return result;
}

/** The directory of the decoders of JBIG2 and JPEG 2000. */
const imageDecoders = decodeURIComponent(
  new URL('wasm/', import.meta.resolve('pdfjs-dist/package.json')).pathname,
);

/**
 * Opens a PDF in pdf.js for reading. Pages are not drawn.
 *
 * @param options `maxImagePixels`: images with more pixels are not decoded. By default, none is decoded, because images
 *   are needed only to recognize text; pdf.js then only reads their sizes
 * @throws {FileError} `unreadable`, `too_large`, or `protected` if opening the file requires a password. A password
 *   that only restricts the use of the file has no effect
 */
export async function openPdfjs(
  bytes: Uint8Array,
  { maxImagePixels = 1 }: { maxImagePixels?: number } = {},
): Promise<PdfjsDocument> {
  if (!hasHeader(bytes)) throw new FileError('unreadable', 'the file is not a PDF');
  await rejectLargeStreams(bytes);
  // pdf.js is loaded only after these checks, so that rejected files do not load it.
  const { getDocument, VerbosityLevel } = await loadPdfjs();
  const meter = new Meter(bytes.length);
  const loading = getDocument({
    // The bytes are copied, because pdf.js detaches the buffer and does not accept a Node Buffer.
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    cMapUrl: characterMaps,
    cMapPacked: true,
    useSystemFonts: false,
    disableFontFace: true,
    // Adds the metadata of fonts and the code of each glyph to the result.
    fontExtraProperties: true,
    maxImageSize: maxImagePixels,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    wasmUrl: imageDecoders,
  });
  // Reading starts now, and may fail before it is the turn of this file to await it.
  loading.promise.catch(() => {});
  try {
    const document = await inTurn(meter, async () => {
      const opened = await loading.promise;
      meter.checkPages(opened.numPages);
      return opened;
    });
    return {
      pageCount: document.numPages,
      use: (work) => inTurn(meter, () => work(document)),
      close: () => loading.destroy(),
    };
  } catch (error) {
    await loading.destroy();
    throw error;
  }
}

/**
 * Whether the first kilobyte contains the header of a PDF. Other data may precede the header in files of some programs.
 */
export function hasHeader(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).includes('%PDF-');
}

function asFileError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof FileError) return error;
  if (error.name === 'PasswordException')
    return new FileError('protected', 'the PDF is protected by a password', { cause: error });
  return new FileError('unreadable', 'the PDF cannot be read', { cause: error });
}
