import { PDFDocument } from '@cantoo/pdf-lib';
import { FileError } from '../file-error.ts';
import { hasHeader } from '../pdfjs/open-pdfjs.ts';
import { runQpdf } from './qpdf.ts';
import { repair } from './repair.ts';
import { correctStreamLengths } from './stream-lengths.ts';

/**
 * The options of qpdf.
 *
 * - `--decrypt`: removes the encryption; a password that only restricts the use of the file has no effect.
 * - `--remove-restrictions`: removes the values of signatures, because a signature is not valid for a changed file. The
 *   appearance of signatures stays.
 */
const options = [
  '--deterministic-id',
  '--decrypt',
  '--remove-restrictions',
  '--object-streams=disable',
  '--warning-exit-0',
];

/**
 * Rewrites a PDF in a uniform form: not encrypted, with separate objects, one cross-reference table and deflated text
 * streams. Fonts and images stay unchanged; objects get new numbers.
 *
 * @throws {FileError} `protected` if opening the file requires a password, otherwise `unreadable`
 */
export async function normalize(bytes: Uint8Array): Promise<Uint8Array> {
  const first = await runQpdf(options, bytes);
  if (first.written && !lacksObjects(first.message, bytes)) return withoutObjectStreams(first.written);
  if (/invalid password/.test(first.message))
    throw new FileError('protected', 'the PDF is protected by a password');
  // This build of qpdf cannot repair cross-reference tables, stream lengths and page trees. pdf-lib finds the objects
  // without the table.
  const repaired = await rewritten(correctStreamLengths(bytes));
  const second = repaired && (await runQpdf(options, repaired));
  if (second?.written) return withoutObjectStreams(second.written);
  const message = hasHeader(bytes) ? 'the PDF is damaged and cannot be read' : 'the file is not a PDF';
  throw new FileError('unreadable', message, { cause: first.message });
}

/**
 * Returns a decrypted PDF whose streams are still compressed. Returns the file itself if it is not encrypted, or if it
 * requires a password.
 */
export async function decrypted(bytes: Uint8Array): Promise<Uint8Array> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!file.includes('/Encrypt')) return bytes;
  return (await runQpdf([...options, '--stream-data=preserve'], bytes)).written ?? bytes;
}

/** Whether qpdf has left out objects: it ignores all with numbers above a third of the size of the file in bytes. */
function lacksObjects(message: string, { length }: Uint8Array): boolean {
  return Number(/reported number of objects \((\d+)\)/.exec(message)?.[1]) > length / 3;
}

/**
 * Changes the type of each object stream that qpdf has kept as an unused object: pdf-lib would read its objects, which
 * have the numbers of the source, in place of those that now have these numbers.
 */
function withoutObjectStreams(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = '/Type /ObjStm';
  for (let at = file.indexOf(type); at >= 0; at = file.indexOf(type, at + type.length))
    file.write('/Type /Unused', at, 'latin1');
  return bytes;
}

/** Rewrites a PDF with pdf-lib. Returns undefined if the file has no catalog with pages. */
async function rewritten(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const document = await PDFDocument.load(bytes, { updateMetadata: false });
    repair(document);
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
