import { FileError, limits, overLimit } from '../file-error.ts';
import { createXmlReader, type XmlEvents } from '../flatten/xml.ts';
import { decodePart, encodingOf, type PartText } from './part-text.ts';
import {
  inflateEntry,
  readDirectory,
  rejectOverlaps,
  rejectUnderstatedSizes,
  type ZipEntry,
  ZipError,
} from './zip.ts';

/** A part of an Office file that another part refers to. */
export interface Relationship {
  /** The id in the referring part's XML; '' if it has none. */
  id: string;
  /** The last segment of its type's URI, which transitional and strict files share: `officeDocument`, `footer`, … */
  type: string;
  /** The part's path, as written in the zip; undefined if it is outside the file. */
  target: string | undefined;
}

/** An opened Office file: a zip of XML parts that refer to each other. */
export interface OfficePackage {
  /** Returns the parts to which the part at `path` refers, in its order; for '', those to which the package refers. */
  relationships(path: string): Promise<Relationship[]>;
  /** Feeds the XML of a part to `events`. */
  readPart(path: string, events: XmlEvents): Promise<void>;
  /** Returns a whole part. */
  readWhole(path: string): Promise<PartText>;
  /** The inflated size of a part in bytes, as declared in the directory. */
  sizeOf(path: string): number;
  /** Yields the inflated bytes of a part of any size. Throws a ZipError if they exceed the declared size. */
  pieces(path: string): AsyncIterable<Uint8Array>;
}

/**
 * Opens a DOCX or XLSX. Checks the sizes that its directory declares against the limits before it inflates anything. Reading a
 * part fails if it exceeds its declared size.
 *
 * @throws {FileError} `protected` if it requires a password, `too_large` or `unreadable`; so do `readPart` and `relationships`
 */
export async function openPackage(bytes: Uint8Array): Promise<OfficePackage> {
  rejectCompoundFile(bytes);
  const entries = await withFileErrors(async () => readDirectory(bytes));
  if (entries.size > limits.officeEntries)
    throw overLimit('the number of files in the Office file', limits.officeEntries);
  let unpacked = 0;
  for (const { size } of entries.values()) unpacked += size;
  if (unpacked > limits.officeUnpacked)
    throw overLimit('the unpacked size in bytes of the Office file', limits.officeUnpacked);
  await withFileErrors(async () => {
    rejectOverlaps(entries.values());
    await rejectUnderstatedSizes(bytes, entries.values());
  });
  const names = new Map<string, string>();
  for (const name of entries.keys()) if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  /** The names of parts are case-insensitive. Some programs refer to a part by its decoded name. */
  const nameOf = (path: string): string =>
    names.get(path.toLowerCase()) ?? names.get(decodePath(path).toLowerCase()) ?? path;

  const entryOf = (path: string): ZipEntry => {
    const entry = entries.get(path);
    if (!entry) throw new FileError('unreadable', 'the Office file refers to a missing part');
    if (entry.encrypted) throw new FileError('protected', 'the file is protected by a password');
    return entry;
  };
  const wholeEntryOf = (path: string): ZipEntry => {
    const entry = entryOf(path);
    if (entry.size > limits.officeXmlPart)
      throw overLimit('the size in bytes of one XML part of the Office file', limits.officeXmlPart);
    return entry;
  };
  const readPart = async (path: string, events: XmlEvents): Promise<void> =>
    readXmlEntry(bytes, wholeEntryOf(path), events);
  return {
    readPart,
    readWhole: async (path) => readWholeEntry(bytes, wholeEntryOf(path)),
    sizeOf: (path) => entryOf(path).size,
    pieces: (path) => inflateEntry(bytes, entryOf(path)),
    relationships: async (path) => {
      const slash = path.lastIndexOf('/') + 1;
      const folder = path.slice(0, slash);
      const listPath = nameOf(`${folder}_rels/${path.slice(slash)}.rels`);
      if (!entries.has(listPath)) return [];
      const found: Relationship[] = [];
      await readPart(listPath, {
        openTag: ({ attributes: { Id = '', Type, Target, TargetMode } }) => {
          if (Type === undefined || Target === undefined) return;
          const target = TargetMode === 'External' ? undefined : nameOf(resolve(folder, Target));
          found.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), target });
        },
        closeTag: () => {},
        text: () => {},
      });
      return found;
    },
  };
}

async function readXmlEntry(zip: Uint8Array, entry: ZipEntry, events: XmlEvents): Promise<void> {
  const reader = createXmlReader(events);
  await withFileErrors(async () => {
    let decoder: InstanceType<typeof TextDecoder> | undefined;
    for await (const piece of inflateEntry(zip, entry)) {
      decoder ??= new TextDecoder(encodingOf(piece), { fatal: true });
      reader.write(decoder.decode(piece, { stream: true }));
    }
    reader.write(decoder?.decode() ?? '');
    reader.close();
  });
}

function readWholeEntry(zip: Uint8Array, entry: ZipEntry): Promise<PartText> {
  return withFileErrors(async () => {
    const content = Buffer.allocUnsafe(entry.size);
    let length = 0;
    // `inflateEntry` throws before a piece would exceed the buffer.
    for await (const piece of inflateEntry(zip, entry)) {
      content.set(piece, length);
      length += piece.length;
    }
    return decodePart(content);
  });
}

/** Resolves `target` relative to `folder`. A path that points outside the package does not refer to a part. */
function resolve(folder: string, target: string): string {
  const segments = target.startsWith('/') ? [] : folder.split('/').filter(Boolean);
  for (const segment of target.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const compoundFile = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const encryptedStream = Buffer.from('EncryptedPackage', 'utf16le');

/**
 * Rejects compound files. Word 97 files are compound files, and so are newer files with a password, which are streams in a
 * compound file.
 */
function rejectCompoundFile(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!file.subarray(0, compoundFile.length).equals(compoundFile)) return;
  if (file.includes(encryptedStream)) throw new FileError('protected', 'the file is protected by a password');
  throw new FileError(
    'unreadable',
    'the file is of an Office version before 2007; save it in the newer format',
  );
}

/** Runs `read`, and throws a FileError `unreadable` for a damaged archive or a wrong encoding. */
export async function withFileErrors<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isExpected = error instanceof ZipError || isEncodingError(error);
    if (!isExpected) throw error;
    throw new FileError('unreadable', `the Office file cannot be read: ${error.message}`, {
      cause: error,
    });
  }
}

/** Whether a fatal TextDecoder threw the error. */
function isEncodingError(error: unknown): error is TypeError {
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}
