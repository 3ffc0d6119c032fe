import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { countCodePoints } from '../../text/index.ts';
import { FlattenError } from '../error.ts';
import { limits, overLimit } from '../limits.ts';
import { joinLines } from './join-lines.ts';
import { readLines } from './lines.ts';
import { refuseLargeStreams } from './stream-sizes.ts';

/** Tables of character codes for fonts that name one of Adobe's instead of carrying their own. */
const characterMaps = decodeURIComponent(
  new URL('cmaps/', import.meta.resolve('pdfjs-dist/package.json')).pathname,
);

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
  // By name, so that a file refused until here costs no library.
  const { getDocument, VerbosityLevel } = await import('pdfjs-dist/legacy/build/pdf.mjs');
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
    return await readPages(await loading.promise);
  } catch (error) {
    throw asFlattenError(error);
  } finally {
    await loading.destroy();
  }
}

async function readPages(document: PDFDocumentProxy): Promise<string> {
  const pages: string[] = [];
  let chars = 0;
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const text = joinLines(readLines((await page.getTextContent()).items));
    page.cleanup();
    if (text === '') continue;
    chars += countCodePoints(text);
    if (chars > limits.textChars) throw overLimit('the number of characters of the file', limits.textChars);
    pages.push(text);
  }
  return pages.join('\n\n');
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
