import { PDFDocument } from '@cantoo/pdf-lib';
import { FileError } from '../file-error.ts';
import { runQpdf } from './qpdf.ts';
import { correctStreamLengths } from './stream-lengths.ts';

/**
 * - `--decrypt`: a password that only restricts the use of the file is irrelevant.
 * - `--remove-restrictions`: a signature is not valid for a changed file. Its value is removed, its appearance stays.
 */
const options = [
  '--deterministic-id',
  '--decrypt',
  '--remove-restrictions',
  '--object-streams=disable',
  '--warning-exit-0',
];

/**
 * Rewrites a PDF in a uniform form: without encryption, each object separate, one cross-reference table, deflated text streams.
 * Fonts and images stay unchanged; objects get new numbers.
 *
 * @throws {FileError} `protected` if opening it requires a password; `unreadable`
 */
export async function normalize(bytes: Uint8Array): Promise<Uint8Array> {
  const first = await runQpdf(options, bytes);
  if (first.written) return first.written;
  if (/invalid password/.test(first.message))
    throw new FileError('protected', 'the PDF is protected by a password');
  // This build of qpdf repairs neither cross-reference tables nor stream lengths. pdf-lib finds the objects without them.
  const repaired = await rewritten(correctStreamLengths(bytes));
  const second = repaired && (await runQpdf(options, repaired));
  if (second?.written) return second.written;
  throw new FileError('unreadable', 'the PDF cannot be read', { cause: first.message });
}

/**
 * Returns a PDF with readable streams that are still compressed; the file itself if it is not encrypted or needs a password.
 */
export async function decrypted(bytes: Uint8Array): Promise<Uint8Array> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!file.includes('/Encrypt')) return bytes;
  return (await runQpdf([...options, '--stream-data=preserve'], bytes)).written ?? bytes;
}

/** Returns undefined if the file has no catalog with pages. */
async function rewritten(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const document = await PDFDocument.load(bytes, { updateMetadata: false });
    if (document.getPageCount() === 0) return undefined;
    return await document.save({
      useObjectStreams: false,
      addDefaultPage: false,
      updateFieldAppearances: false,
    });
  } catch {
    return undefined;
  }
}
