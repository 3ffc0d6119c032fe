import { crc32, createInflateRaw } from 'node:zlib';
import { type ZipEntry, ZipError } from './directory.ts';

const localSignature = 0x04034b50;
const localLength = 30;

/**
 * What an entry holds, piece by piece, so that no more than a piece of it is in memory. Ends with an error where it
 * holds more than its directory claims, or something else than that: the claim is what the caller's limits were
 * compared with.
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

/** Deflate makes of n bytes at most 1,032 n. */
const greatestRatio = 1032;

/**
 * Refuses a zip in which an entry holds more than its directory claims, whether or not the entry will be read: such
 * a claim is made to pass under limits. Entries that are damaged in other ways are let be.
 *
 * @throws {ZipError}
 */
export async function refuseUnderstatedSizes(zip: Uint8Array, entries: Iterable<ZipEntry>): Promise<void> {
  for (const entry of entries) {
    if (entry.method !== 8 || entry.compressedSize * greatestRatio <= entry.size) continue;
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

const understated = 'a file in the archive is larger than the archive says';

async function* piecesOf(compressed: Uint8Array, { method }: ZipEntry): AsyncGenerator<Uint8Array> {
  if (method === 0) {
    yield compressed;
    return;
  }
  if (method !== 8) throw new ZipError('the archive uses a compression that office files do not use');
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
    throw new ZipError('a file in the archive is not where the archive says');
  const start = offset + localLength + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + compressedSize > zip.length) throw new ZipError('a file in the archive is cut short');
  return zip.subarray(start, start + compressedSize);
}
