import { crc32, createDeflateRaw } from 'node:zlib';
import { withFileErrors } from './package.ts';
import { findEnd, localLength, localSignature, readDirectory, type ZipEntry, ZipError } from './zip.ts';

/**
 * The new content of a part: either all bytes, or a function that yields them in pieces, so that a large part is never
 * entirely in memory.
 */
export type PartContent = Uint8Array | (() => AsyncIterable<Uint8Array>);

/**
 * Returns a copy of an Office file with new content for some of its parts. Every other entry is copied byte for byte:
 * its headers, its compressed content and its data descriptor. The order of the entries and of the directory stays the
 * same, and so do names, dates and attributes of the replaced parts.
 *
 * @param parts the new contents, by the paths of the parts
 * @throws {FileError} `unreadable` if the archive is damaged, or if `rejectUnsafeEntries` rejects it
 * @throws {RangeError} if `parts` has a path that the file does not contain
 */
export function rewritePackage(
  bytes: Uint8Array,
  parts: ReadonlyMap<string, PartContent>,
): Promise<Uint8Array> {
  return withFileErrors(() => rewriteZip(bytes, parts));
}

/**
 * Rejects a file that `rewritePackage` would reject. Reads only the headers of the archive.
 *
 * @throws {FileError} `unreadable` if names of entries are unsafe or not unique, or if entries overlap
 */
export function rejectUnsafeEntries(bytes: Uint8Array): Promise<void> {
  return withFileErrors(async () => {
    locateEntries(bytes, readDirectory(bytes).values(), directoryStartOf(bytes));
  });
}

function directoryStartOf(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(findEnd(bytes) + 16, true);
}

async function rewriteZip(bytes: Uint8Array, parts: ReadonlyMap<string, PartContent>): Promise<Uint8Array> {
  const entries = readDirectory(bytes);
  for (const path of parts.keys())
    if (!entries.has(path)) throw new RangeError(`the package has no part ${path}`);
  const written: Uint8Array[] = [];
  let offset = 0;
  const write = (piece: Uint8Array): void => {
    written.push(piece);
    offset += piece.length;
    if (offset > 0xffff_ffff) throw new ZipError('the file would be too large for its format');
  };

  const directory = new Map<ZipEntry, Uint8Array>();
  for (const record of locateEntries(bytes, entries.values(), directoryStartOf(bytes))) {
    const { entry } = record;
    const header = Buffer.from(bytes.subarray(entry.headerOffset, entry.headerOffset + entry.headerLength));
    header.writeUInt32LE(offset, 42);
    const content = parts.get(entry.name);
    if (content === undefined) {
      write(bytes.subarray(record.start, record.end));
      directory.set(entry, header);
      continue;
    }
    const deflated = await deflate(content);
    write(localHeader(bytes, record, deflated));
    for (const piece of deflated.pieces) write(piece);
    directory.set(entry, directoryHeader(header, deflated));
  }

  const directoryStart = offset;
  for (const entry of entries.values()) write(directory.get(entry)!);
  const endRecord = Buffer.from(bytes.subarray(findEnd(bytes)));
  endRecord.writeUInt32LE(offset - directoryStart, 12);
  endRecord.writeUInt32LE(directoryStart, 16);
  write(endRecord);
  return Buffer.concat(written);
}

interface Deflated {
  pieces: Uint8Array[];
  crc32: number;
  compressedSize: number;
  size: number;
}

async function deflate(content: PartContent): Promise<Deflated> {
  const deflated: Deflated = { pieces: [], crc32: 0, compressedSize: 0, size: 0 };
  const deflater = createDeflateRaw({ chunkSize: 64 * 1024 });
  const finished = new Promise<void>((resolve, reject) => {
    deflater.on('data', (piece: Uint8Array) => {
      deflated.pieces.push(piece);
      deflated.compressedSize += piece.length;
    });
    deflater.on('end', resolve);
    deflater.on('error', reject);
  });
  // An error also makes the next write fail, and this write reports the error.
  finished.catch(() => {});
  try {
    let written: Promise<void> | undefined;
    for await (const piece of content instanceof Uint8Array ? [content] : content()) {
      deflated.size += piece.length;
      deflated.crc32 = crc32(piece, deflated.crc32);
      // A thread pool deflates one piece while the next piece is created. At most these two pieces are in memory.
      await written;
      written = new Promise<void>((resolve, reject) =>
        deflater.write(piece, (error) => (error ? reject(error) : resolve())),
      );
      written.catch(() => {});
    }
    await written;
    deflater.end();
    await finished;
  } finally {
    deflater.destroy();
  }
  return deflated;
}

const deflateMethod = 8;
/** The zip version that a program needs to read deflated files. */
const deflateVersion = 20;
/**
 * The flag that declares the encoding of the file name. The other flags are cleared, because they describe the
 * compression of the old content.
 */
const keptFlags = 0x0800;

/** Returns the old local header with its name and extra field, updated for the new content. */
function localHeader(zip: Uint8Array, { start, contentStart }: EntryRecord, deflated: Deflated): Uint8Array {
  const old = Buffer.from(zip.subarray(start, contentStart));
  const extraStart = localLength + old.readUInt16LE(26);
  const extra = withoutZip64(old.subarray(extraStart));
  old.writeUInt16LE(extra.length, 28);
  describe(old, 4, deflated);
  return Buffer.concat([old.subarray(0, extraStart), extra]);
}

/** Returns the old header from the central directory, updated for the new content. */
function directoryHeader(old: Buffer, deflated: Deflated): Uint8Array {
  const extraStart = 46 + old.readUInt16LE(28);
  const extraEnd = extraStart + old.readUInt16LE(30);
  const extra = withoutZip64(old.subarray(extraStart, extraEnd));
  old.writeUInt16LE(extra.length, 30);
  describe(old, 6, deflated);
  return Buffer.concat([old.subarray(0, extraStart), extra, old.subarray(extraEnd)]);
}

/**
 * Writes the fields that local headers and directory headers have in the same order, starting with the required zip
 * version. The date stays unchanged.
 */
function describe(header: Buffer, at: number, { crc32, compressedSize, size }: Deflated): void {
  header.writeUInt16LE(deflateVersion, at);
  header.writeUInt16LE(header.readUInt16LE(at + 2) & keptFlags, at + 2);
  header.writeUInt16LE(deflateMethod, at + 4);
  header.writeUInt32LE(crc32, at + 10);
  header.writeUInt32LE(compressedSize, at + 14);
  header.writeUInt32LE(size, at + 18);
}

/** The position of a zip entry's local record, as byte offsets in the zip. */
interface EntryRecord {
  entry: ZipEntry;
  /** The offset of the local header. */
  start: number;
  /** The offset of the compressed content, which follows the header, the name and the extra field. */
  contentStart: number;
  contentEnd: number;
  /** The offset after the content and the data descriptor, if there is a descriptor. */
  end: number;
}

/**
 * Returns the local records of all entries, in the order of the zip. Rejects content that programs would read
 * differently or unpack outside of the target directory: unsafe names, names that differ only by case, a local header
 * whose name differs from the name in the central directory, and records that overlap.
 *
 * @param directoryStart the offset of the central directory
 * @throws {ZipError}
 */
function locateEntries(zip: Uint8Array, entries: Iterable<ZipEntry>, directoryStart: number): EntryRecord[] {
  const names = new Set<string>();
  const records: EntryRecord[] = [];
  for (const entry of entries) {
    if (isUnsafe(entry.name)) throw new ZipError('the archive has a file with an unsafe name');
    // The names of parts are case-insensitive.
    const name = entry.name.toLowerCase();
    if (names.has(name)) throw new ZipError('the archive has two files with the same name');
    names.add(name);
    records.push(locate(zip, entry));
  }
  records.sort((a, b) => a.start - b.start);
  let free = 0;
  for (const record of records) {
    if (record.start < free || record.end > directoryStart)
      throw new ZipError('files in the archive overlap');
    free = record.end;
  }
  return records;
}

/**
 * Whether a file name is absolute, points outside the archive, or contains characters at which some programs truncate
 * or split it.
 */
function isUnsafe(name: string): boolean {
  return name === '' || /^\/|^[a-z]:|[\\\0]|(^|\/)\.\.(\/|$)/i.test(name);
}

const descriptorSignature = 0x08074b50;
const zip64Extra = 1;

function locate(zip: Uint8Array, entry: ZipEntry): EntryRecord {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const { offset: start, compressedSize, headerOffset } = entry;
  if (start + localLength > zip.length || view.getUint32(start, true) !== localSignature)
    throw new ZipError('a file in the archive has a wrong offset');
  const nameLength = view.getUint16(start + 26, true);
  const nameStart = start + localLength;
  const contentStart = nameStart + nameLength + view.getUint16(start + 28, true);
  const contentEnd = contentStart + compressedSize;
  if (contentEnd > zip.length) throw new ZipError('a file in the archive is truncated');
  const ownName = zip.subarray(nameStart, nameStart + nameLength);
  const directoryName = zip.subarray(
    headerOffset + 46,
    headerOffset + 46 + view.getUint16(headerOffset + 28, true),
  );
  if (Buffer.compare(ownName, directoryName) !== 0) throw new ZipError('a file in the archive has two names');
  const hasDescriptor = (view.getUint16(start + 6, true) & 8) !== 0;
  const extra = zip.subarray(nameStart + nameLength, contentStart);
  const end = hasDescriptor ? descriptorEnd(view, contentEnd, entry, extra) : contentEnd;
  return { entry, start, contentStart, contentEnd, end };
}

/**
 * Returns the end of a data descriptor. A descriptor has an optional signature, the checksum and two sizes, which have
 * eight bytes each if the local header has a zip64 field. Returns `at` if the descriptor is missing: most programs use
 * the central directory, so they can read such a file.
 */
function descriptorEnd(view: DataView, at: number, entry: ZipEntry, extra: Uint8Array): number {
  const sizes = findExtra(extra, zip64Extra) ? 16 : 8;
  for (const signature of [4, 0]) {
    const end = at + signature + 4 + sizes;
    if (end > view.byteLength) continue;
    if (signature === 4 && view.getUint32(at, true) !== descriptorSignature) continue;
    if (view.getUint32(at + signature, true) === entry.crc32) return end;
  }
  return at;
}

function findExtra(extra: Uint8Array, wanted: number): boolean {
  for (const [id] of extraFields(extra)) if (id === wanted) return true;
  return false;
}

/** Removes the zip64 sizes from an extra field. */
function withoutZip64(extra: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  for (const [id, field] of extraFields(extra)) if (id !== zip64Extra) kept.push(field);
  return Buffer.concat(kept);
}

/** Yields the fields of an extra field, each with its id. Skips a rest that is too short for a field. */
function* extraFields(extra: Uint8Array): Generator<[id: number, field: Uint8Array]> {
  const view = new DataView(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + view.getUint16(at + 2, true);
    if (end > extra.length) return;
    yield [view.getUint16(at, true), extra.subarray(at, end)];
    at = end;
  }
}
