import { localLength, localSignature, type ZipEntry, ZipError } from './zip.ts';

/** The position of a zip entry's local record, as byte offsets in the zip. */
export interface EntryRecord {
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
export function locateEntries(
  zip: Uint8Array,
  entries: Iterable<ZipEntry>,
  directoryStart: number,
): EntryRecord[] {
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
export function withoutZip64(extra: Uint8Array): Uint8Array {
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
