import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { FileError } from '../file-error.ts';
import { loadPdfjs, Meter, useMeter } from './budget.ts';
import { rejectLargeStreams } from './stream-sizes.ts';

/** A PDF that is open in pdf.js. */
export interface PdfjsDocument {
  pageCount: number;
  /**
   * Runs `work` while the file's meter counts the work of pdf.js.
   *
   * @throws {FileError} `too_large` if the work of all calls together is out of proportion to the file, or `unreadable`
   */
  use<T>(work: (document: PDFDocumentProxy) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Adobe's predefined tables of character codes, for fonts that refer to one instead of embedding a table. */
const characterMaps = decodeURIComponent(
  new URL('cmaps/', import.meta.resolve('pdfjs-dist/package.json')).pathname,
);

/** Files are processed one at a time, because pdf.js has only one meter. */
let running: Promise<unknown> = Promise.resolve();

function inTurn<T>(meter: Meter, work: () => Promise<T>): Promise<T> {
  const result = running.then(async () => {
    useMeter(meter);
    try {
      const value = await work();
      // The returned value is incomplete if the meter stopped pdf.js.
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

/**
 * Opens a PDF in pdf.js for reading. Nothing is drawn.
 *
 * @throws {FileError} `unreadable`, `too_large`, or `protected` if opening it requires a password. A password that only
 *   restricts the use of the file is irrelevant
 */
export async function openPdfjs(bytes: Uint8Array): Promise<PdfjsDocument> {
  if (!hasHeader(bytes)) throw new FileError('unreadable', 'the file is not a PDF');
  await rejectLargeStreams(bytes);
  // Loaded only here, so that rejected files do not load the library.
  const { getDocument, VerbosityLevel } = await loadPdfjs();
  const meter = new Meter(bytes.length);
  const loading = getDocument({
    // A copy, because pdf.js detaches the buffer and does not accept a Buffer.
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    cMapUrl: characterMaps,
    cMapPacked: true,
    useSystemFonts: false,
    disableFontFace: true,
    // The metadata of fonts, and the code of each glyph.
    fontExtraProperties: true,
    // Images are only needed for drawing, which is not done here. Only their sizes are read.
    maxImageSize: 1,
  });
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
