import { crc32, createInflateRaw } from 'node:zlib';

/** A zip that cannot be read: not a zip, truncated, or with features that Office files do not use. */
export class ZipError extends Error {
  override name = 'ZipError';
}

/** A file in a zip, as its central directory describes it. The sizes are not verified. */
export interface ZipEntry {
  name: string;
  encrypted: boolean;
  /** 0 is stored, 8 is deflated. */
  method: number;
  crc32: number;
  compressedSize: number;
  size: number;
  /** The offset of its local header. */
  offset: number;
  /** The position of its description in the directory. */
  headerOffset: number;
  headerLength: number;
}

const endSignature = 0x06054b50;
const endLength = 22;
const entrySignature = 0x02014b50;
const entryLength = 46;

/**
 * Returns the entries of a zip by name, in the order of its central directory. Inflates nothing.
 *
 * @throws {ZipError} also for zip64, and for two entries with the same name, because programs differ in which one they read
 */
export function readDirectory(zip: Uint8Array): Map<string, ZipEntry> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const end = findEnd(zip);
  const count = view.getUint16(end + 10, true);
  const size = view.getUint32(end + 12, true);
  const start = view.getUint32(end + 16, true);
  if (start + size > end) throw new ZipError('the directory of the archive is truncated');
  const entries = new Map<string, ZipEntry>();
  let at = start;
  for (let index = 0; index < count; index++) {
    if (at + entryLength > end || view.getUint32(at, true) !== entrySignature)
      throw new ZipError('the directory of the archive is damaged');
    const nameLength = view.getUint16(at + 28, true);
    const next =
      at + entryLength + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > end) throw new ZipError('the directory of the archive is damaged');
    // Names are ASCII in Office files; a name in another encoding only has to differ from those.
    const name = Buffer.from(zip.subarray(at + entryLength, at + entryLength + nameLength)).toString('utf8');
    if (entries.has(name)) throw new ZipError('the archive has two files with the same name');
    entries.set(name, {
      name,
      encrypted: (view.getUint16(at + 8, true) & 1) === 1,
      method: view.getUint16(at + 10, true),
      crc32: view.getUint32(at + 16, true),
      compressedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
      headerOffset: at,
      headerLength: next - at,
    });
    at = next;
  }
  return entries;
}

/** Returns the inflated size of all entries together, as declared in the directory; 0 if the zip is not readable. */
export function declaredSize(zip: Uint8Array): number {
  try {
    return readDirectory(zip)
      .values()
      .reduce((sum, { size }) => sum + size, 0);
  } catch (error) {
    if (error instanceof ZipError) return 0;
    throw error;
  }
}

/**
 * Finds the end record by a backward search, because a comment of up to 65,535 bytes may follow it.
 *
 * @throws {ZipError}
 */
export function findEnd(zip: Uint8Array): number {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const last = view.byteLength - endLength;
  for (let at = last; at >= 0 && at >= last - 0xffff; at--) {
    if (
      view.getUint32(at, true) === endSignature &&
      at + endLength + view.getUint16(at + 20, true) <= view.byteLength
    )
      return at;
  }
  throw new ZipError('the file is not a zip archive, or its end is missing');
}

export const localSignature = 0x04034b50;
export const localLength = 30;

/**
 * Yields the content of an entry in pieces, so that only one piece is in memory. Throws if the content is larger than or
 * different from the directory's declaration, because the caller checked its limits against that declaration.
 *
 * @throws {ZipError}
 */
export async function* inflateEntry(zip: Uint8Array, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const compressed = bodyOf(zip, entry);
  let size = 0;
  let sum = 0;
  for await (const piece of piecesOf(compressed, entry)) {
    size += piece.length;
    if (size > entry.size) throw new ZipError(understated);
    sum = crc32(piece, sum);
    yield piece;
  }
  if (size !== entry.size || sum !== entry.crc32) throw new ZipError('a file in the archive is damaged');
}

/** Deflate expands n bytes to at most 1,032 n. */
const maxRatio = 1032;

/**
 * Rejects a zip with an entry that is larger than its directory declares, even if the entry is never read, because such a
 * declaration is an attempt to evade limits. Ignores entries that are damaged in other ways.
 *
 * @throws {ZipError}
 */
export async function rejectUnderstatedSizes(zip: Uint8Array, entries: Iterable<ZipEntry>): Promise<void> {
  for (const entry of entries) {
    if (entry.method !== 8 || entry.compressedSize * maxRatio <= entry.size) continue;
    let size = 0;
    try {
      for await (const piece of piecesOf(bodyOf(zip, entry), entry)) {
        size += piece.length;
        if (size > entry.size) break;
      }
    } catch (error) {
      if (!(error instanceof ZipError)) throw error;
    }
    if (size > entry.size) throw new ZipError(understated);
  }
}

/**
 * Rejects a zip in which entries share bytes according to its directory, because a few megabytes could then be read thousands
 * of times. `locateEntries` compares the records themselves before such a file is changed.
 *
 * @throws {ZipError}
 */
export function rejectOverlaps(entries: Iterable<ZipEntry>): void {
  let free = 0;
  for (const { offset, compressedSize } of [...entries].sort((a, b) => a.offset - b.offset)) {
    if (offset < free) throw new ZipError('files in the archive overlap');
    free = offset + localLength + compressedSize;
  }
}

const understated = 'a file in the archive is larger than declared';

async function* piecesOf(compressed: Uint8Array, { method }: ZipEntry): AsyncGenerator<Uint8Array> {
  if (method === 0) {
    yield compressed;
    return;
  }
  if (method !== 8) throw new ZipError('the archive uses a compression method that Office files do not use');
  const inflater = createInflateRaw({ chunkSize: 64 * 1024 });
  inflater.end(compressed);
  try {
    for await (const piece of inflater) yield piece as Uint8Array;
  } catch (error) {
    if (error instanceof ZipError) throw error;
    throw new ZipError('a file in the archive is damaged', { cause: error });
  } finally {
    inflater.destroy();
  }
}

function bodyOf(zip: Uint8Array, { offset, compressedSize }: ZipEntry): Uint8Array {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  if (offset + localLength > zip.length || view.getUint32(offset, true) !== localSignature)
    throw new ZipError('a file in the archive has a wrong offset');
  const start = offset + localLength + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + compressedSize > zip.length) throw new ZipError('a file in the archive is truncated');
  return zip.subarray(start, start + compressedSize);
}
