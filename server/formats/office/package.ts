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
  /** The id by which the referring part's XML names the relationship; '' if it has none. */
  id: string;
  /**
   * The last segment of the relationship type's URI: `officeDocument`, `footer`, … It is the same in transitional and
   * strict files.
   */
  type: string;
  /** The path of the part, as the zip contains it; undefined if the target is outside the file. */
  target: string | undefined;
}

/** An opened Office file: a zip of XML parts that refer to each other. */
export interface OfficePackage {
  /**
   * Returns the parts to which the part at `path` refers, in the order of its list of relationships. The path '' stands
   * for the package.
   */
  relationships(path: string): Promise<Relationship[]>;
  /** Parses the XML of a part, and passes it to `events`. */
  readPart(path: string, events: XmlEvents): Promise<void>;
  readWhole(path: string): Promise<PartText>;
  /** Returns the inflated size of a part in bytes, as declared in the zip directory. */
  sizeOf(path: string): number;
  /**
   * Yields the inflated bytes of a part of any size. Throws a ZipError if they exceed the size that the directory
   * declares.
   */
  pieces(path: string): AsyncIterable<Uint8Array>;
}

/**
 * Opens a DOCX or XLSX. Before anything is inflated, the sizes that the zip directory declares are checked against the
 * limits. Reading a part fails if the part is larger than declared.
 *
 * @throws {FileError} `protected` if the file requires a password, `too_large` or `unreadable`; `readPart` and
 *   `relationships` throw the same errors
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
  /**
   * Returns the name of the part at a path. Names of parts are case-insensitive, and some programs write the path of a
   * part with percent-encoding although its name is not encoded.
   */
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

/** Resolves the path `target` relative to `folder`. `..` segments cannot leave the root of the package. */
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
 * Rejects compound files: files of Word 97 and similar versions, and newer files with a password, which are stored in a
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

/** Runs `read`. If it fails because of a damaged archive or a wrong encoding, throws a FileError `unreadable`. */
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

/** Whether the error comes from a TextDecoder with `fatal: true`. */
function isEncodingError(error: unknown): error is TypeError {
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}
