/** A zip that cannot be read: not one, cut short, or using what office files do not use. */
export class ZipError extends Error {
  override name = 'ZipError';
}

/** A file in a zip, as its central directory tells; the sizes are claims. */
export interface ZipEntry {
  name: string;
  encrypted: boolean;
  /** 0 stored, 8 deflated. */
  method: number;
  crc32: number;
  compressedSize: number;
  size: number;
  /** Offset of its local header. */
  offset: number;
}

const endSignature = 0x06054b50;
const endLength = 22;
const entrySignature = 0x02014b50;
const entryLength = 46;

/**
 * The entries of a zip by name, in the order of its central directory. Nothing is inflated.
 *
 * @throws {ZipError} also for zip64 and for two entries of one name, of which programs pick different ones
 */
export function readDirectory(zip: Uint8Array): Map<string, ZipEntry> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  const size = view.getUint32(end + 12, true);
  const start = view.getUint32(end + 16, true);
  if (start + size > end) throw new ZipError('the directory of the archive is cut short');
  const entries = new Map<string, ZipEntry>();
  let at = start;
  for (let index = 0; index < count; index++) {
    if (at + entryLength > end || view.getUint32(at, true) !== entrySignature)
      throw new ZipError('the directory of the archive is damaged');
    const nameLength = view.getUint16(at + 28, true);
    const next =
      at + entryLength + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > end) throw new ZipError('the directory of the archive is damaged');
    // Names are ASCII in office files; in any other encoding a name only has to differ from those.
    const name = Buffer.from(zip.subarray(at + entryLength, at + entryLength + nameLength)).toString('utf8');
    if (entries.has(name)) throw new ZipError('the archive has two files of one name');
    entries.set(name, {
      name,
      encrypted: (view.getUint16(at + 8, true) & 1) === 1,
      method: view.getUint16(at + 10, true),
      crc32: view.getUint32(at + 16, true),
      compressedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    });
    at = next;
  }
  return entries;
}

/** The offset of the end record: the last, as a comment of up to 65,535 bytes may follow it. */
function findEnd(view: DataView): number {
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
