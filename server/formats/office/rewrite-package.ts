import { crc32, createDeflateRaw } from 'node:zlib';
import { type EntryRecord, locateEntries, withoutZip64 } from './entry-records.ts';
import { withFileErrors } from './package.ts';
import { findEnd, localLength, readDirectory, type ZipEntry, ZipError } from './zip.ts';

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
