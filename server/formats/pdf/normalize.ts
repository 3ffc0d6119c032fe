import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFDocument,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib';
import { FileError } from '../file-error.ts';
import { hasHeader } from '../pdfjs/open-pdfjs.ts';
import { getArray, getDict } from './objects.ts';
import { runQpdf } from './qpdf.ts';

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

/** Removes two faults of a PDF that qpdf rejects and other programs ignore. */
function repair(document: PDFDocument): void {
  flattenPageTree(document);
  renumberObjects(document.context);
}

/** The entries of a page that it inherits from the nodes above it in the page tree. */
const inheritable = ['Resources', 'MediaBox', 'CropBox', 'Rotate'];

/**
 * Makes all pages children of the root of the page tree. Ignores a node that occurs a second time, as in a
 * loop.
 */
function flattenPageTree({ context, catalog }: PDFDocument): void {
  const root = getDict(catalog, 'Pages');
  if (!root) return;
  const refs = new Map(context.enumerateIndirectObjects().map(([ref, object]) => [object, ref]));
  const refOf = (node: PDFDict): PDFRef => refs.get(node) ?? context.register(node);
  const pages: PDFDict[] = [];
  const seen = new Set<PDFDict>([root]);
  const kidsOf = (node: PDFDict): PDFObject[] => getArray(node, 'Kids')?.toReversed() ?? [];
  const open = kidsOf(root).map((kid) => ({ kid, parent: root }));
  for (let next = open.pop(); next; next = open.pop()) {
    const node = next.kid;
    if (!(node instanceof PDFDict) || seen.has(node)) continue;
    seen.add(node);
    // Nodes above this one have their inherited entries already.
    for (const key of inheritable.map((name) => PDFName.of(name))) {
      const value = next.parent.get(key);
      if (value && !node.has(key)) node.set(key, value);
    }
    if (node.has(PDFName.of('Kids'))) for (const kid of kidsOf(node)) open.push({ kid, parent: node });
    else pages.push(node);
  }
  const parent = refOf(root);
  for (const page of pages) page.set(PDFName.of('Parent'), parent);
  root.set(PDFName.of('Kids'), context.obj(pages.map(refOf)));
  root.set(PDFName.of('Count'), PDFNumber.of(pages.length));
}

/** Numbers the objects from 1, without gaps. A reference to an object that does not exist becomes null. */
function renumberObjects(context: PDFContext): void {
  const objects = context.enumerateIndirectObjects();
  const numbers = new Map(objects.map(([ref], index) => [ref, PDFRef.of(index + 1)]));
  const renumbered = (value: PDFObject): PDFObject =>
    value instanceof PDFRef ? (numbers.get(value) ?? PDFNull) : value;
  const open = objects.map(([, object]) => renumbered(object));
  const seen = new Set<PDFObject>();
  for (let next = open.pop(); next; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next instanceof PDFStream) open.push(next.dict);
    else if (next instanceof PDFDict)
      for (const [key, value] of next.entries()) {
        next.set(key, renumbered(value));
        open.push(value);
      }
    else if (next instanceof PDFArray)
      for (const [index, value] of next.asArray().entries()) {
        next.set(index, renumbered(value));
        open.push(value);
      }
  }
  for (const [ref] of objects) context.delete(ref);
  for (const [index, [, object]] of objects.entries())
    context.assign(PDFRef.of(index + 1), renumbered(object));
  context.largestObjectNumber = objects.length;
  const { trailerInfo } = context;
  for (const name of ['Root', 'Info', 'ID'] as const)
    if (trailerInfo[name]) trailerInfo[name] = renumbered(trailerInfo[name]);
}

const keyword = Buffer.from('stream');
const endKeyword = Buffer.from('endstream');
const endOfObject = Buffer.from('endobj');

/** The maximum distance from the start of a stream's dictionary to the keyword `stream`, in bytes. */
const maxDictionaryLength = 4096;

/** A replacement in the file, by byte offsets. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

/**
 * Corrects the declared lengths of the streams of a PDF, and adds missing `endstream` keywords. Such errors are caused
 * by programs that convert line ends or truncate a file. PDF readers then search for the end of the stream, but this
 * build of qpdf and parts of pdf-lib do not. The offsets of objects change.
 */
function correctStreamLengths(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const edits: Edit[] = [];
  for (let at = file.indexOf(keyword); at >= 0; at = file.indexOf(keyword, at + 1)) {
    const start = startOfData(file, at);
    const length = start === undefined ? undefined : declaredLength(file, at);
    if (start === undefined || length === undefined) continue;
    const end = start + length.value;
    if (isAtEndKeyword(file, end)) {
      at = end;
      continue;
    }
    const { dataEnd, hasKeyword } = endOfData(file, start);
    edits.push({ start: length.start, end: length.end, text: String(dataEnd - start) });
    if (!hasKeyword) edits.push({ start: dataEnd, end: dataEnd, text: '\nendstream\n' });
    at = dataEnd;
  }
  return edits.length === 0 ? bytes : applied(file, edits);
}

/** Returns the offset of a stream's first byte; undefined if the keyword at `at` does not start a stream. */
function startOfData(file: Buffer, at: number): number | undefined {
  const after = at + keyword.length;
  if (file[after] === 0x0a) return after + 1;
  return file[after] === 0x0d && file[after + 1] === 0x0a ? after + 2 : undefined;
}

/**
 * Returns the length in the dictionary of a stream, and the position of this number; undefined if the length is a
 * reference to another object.
 */
function declaredLength(file: Buffer, at: number): { value: number; start: number; end: number } | undefined {
  const from = Math.max(0, at - maxDictionaryLength);
  const before = file.toString('latin1', from, at);
  const dictionary = Math.max(0, before.lastIndexOf(' obj'));
  const found = /\/Length\s+(\d{1,10})(?!\d|\s+\d+\s+R)/.exec(before.slice(dictionary));
  if (!found) return undefined;
  const end = from + dictionary + found.index + found[0].length;
  return { value: Number(found[1]), start: end - found[1]!.length, end };
}

function isAtEndKeyword(file: Buffer, at: number): boolean {
  let start = at;
  while (start < at + 3 && (file[start] === 0x0d || file[start] === 0x0a || file[start] === 0x20)) start++;
  return file.subarray(start, start + endKeyword.length).equals(endKeyword);
}

/**
 * Returns the end of a stream's data: at the keyword `endstream`, or at the end of the object if the keyword is
 * missing.
 */
function endOfData(file: Buffer, start: number): { dataEnd: number; hasKeyword: boolean } {
  const [end, objectEnd] = [file.indexOf(endKeyword, start), file.indexOf(endOfObject, start)];
  if (end >= 0 && (objectEnd < 0 || end < objectEnd)) return { dataEnd: end, hasKeyword: true };
  return { dataEnd: objectEnd < 0 ? file.length : objectEnd, hasKeyword: false };
}

function applied(file: Buffer, edits: readonly Edit[]): Uint8Array {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of edits) {
    pieces.push(file.subarray(at, start), Buffer.from(text, 'latin1'));
    at = end;
  }
  pieces.push(file.subarray(at));
  return Buffer.concat(pieces);
}
