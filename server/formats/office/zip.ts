import { crc32, createInflateRaw } from 'node:zlib';

/**
 * The error for a file that is not a readable zip archive: another format, a truncated file, or an archive with
 * features that Office files do not use.
 */
export class ZipError extends Error {
  override name = 'ZipError';
}

/** A file in a zip, as the zip's central directory describes it. The sizes are not verified. */
export interface ZipEntry {
  name: string;
  encrypted: boolean;
  /** The compression method: 0 is stored, 8 is deflated. */
  method: number;
  crc32: number;
  compressedSize: number;
  size: number;
  /** The offset of the file's local header. */
  offset: number;
  /** The offset of the file's header in the central directory. */
  headerOffset: number;
  headerLength: number;
}

const endSignature = 0x06054b50;
const endLength = 22;
const entrySignature = 0x02014b50;
const entryLength = 46;

/**
 * Returns the entries of a zip by name, in the order of its central directory. Does not inflate content.
 *
 * @throws {ZipError} if the zip cannot be read, uses zip64, or has two entries with the same name. Programs differ in
 *   which of these two entries they read
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
    // File names in Office files are ASCII. For a name in another encoding it is enough that it differs from these.
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

/**
 * Returns the inflated size of all entries together, as the zip directory declares it; 0 if the zip is not readable.
 */
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
 * Returns the offset of the end record. The search runs backward, because a comment of up to 65,535 bytes may follow
 * the record.
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
 * Yields the content of an entry in pieces, so that only one piece is in memory. Throws if the size or the checksum of
 * the content differs from the directory, because the caller has checked the limits against the declared sizes.
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

/** The maximum ratio of output to input of the Deflate method. */
const maxRatio = 1032;

/**
 * Rejects a zip in which an entry is larger than its directory declares. This applies even to entries that are never
 * read, because such a declaration is an attempt to evade limits. Entries that are damaged in other ways are accepted
 * here.
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
 * Rejects a zip whose directory declares entries that share bytes, because a few megabytes could then be read thousands
 * of times. This check uses only the offsets and sizes in the directory. Before a file is changed, `locateEntries` also
 * checks the local records.
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
