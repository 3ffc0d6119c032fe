import { limits, overLimit } from '../file-error.ts';
import { decoders, expanding, inflatedSize } from './stream-decoders.ts';
import { type StreamPlace, streamsOf } from './stream-places.ts';

/** The maximum ratio of output to input: 1,032 for Deflate, about 1,365 for LZW. */
const greatestRatio = 1400;
/** The maximum number of filters of one stream. Real files have at most two. */
const mostFilters = 8;

/**
 * Returns the maximum decoded size of one stream, which also applies after each of several filters. It is in proportion to the
 * file, as for pages and forms (`budget.ts`). A file of one kilobyte may have 20 MB, which take 0.1 s.
 */
const allowed = (fileBytes: number): number => Math.min(limits.pdfStream, 20_000_000 + 30 * fileBytes);

/**
 * Rejects a PDF with a stream whose decoded size is out of proportion to the file, or exceeds `limits.pdfStream` bytes. The
 * libraries decode whole streams, so a small file could otherwise take gigabytes. The size is checked after each filter of a
 * stream. Images with a single filter are skipped, because they are not decoded here. In an encrypted file the streams are not
 * readable; `normalize` decrypts it before.
 *
 * @throws {FileError} `too_large`
 */
export async function refuseLargeStreams(bytes: Uint8Array): Promise<void> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const most = allowed(file.length);
  const mostTogether = Math.min(limits.pdfStreams, 4 * most);
  let total = 0;
  for (const stream of streamsOf(file)) {
    const size = await decodedSize(stream, most);
    if (size > most) throw overLimit('the unpacked size in bytes of one stream of the PDF', most);
    total += size;
    if (total > mostTogether) throw overLimit('the unpacked size in bytes of the PDF', mostTogether);
  }
}

/**
 * Returns the maximum size of a stream after any of its filters, if the stream can be large; `limit` plus one byte if it
 * exceeds `limit`.
 */
async function decodedSize(stream: StreamPlace, most: number): Promise<number> {
  if (!stream.chains) return unknownSize(stream.bytes, most);
  let greatest = 0;
  for (const filters of stream.chains)
    if (greatest <= most) greatest = Math.max(greatest, await sizeThrough(filters, stream, most));
  return greatest;
}

async function sizeThrough(
  filters: readonly string[],
  { bytes, isImage, earlyChange }: StreamPlace,
  most: number,
): Promise<number> {
  if (filters.length > mostFilters)
    throw overLimit('the number of filters of one stream of the PDF', mostFilters);
  const expansions = filters.filter((name) => expanding.has(name)).length;
  if (expansions === 0 || (expansions === 1 && (isImage || bytes.length * greatestRatio <= most))) return 0;
  if (filters.length === 1 && filters[0]!.startsWith('Fl')) return inflatedSize(bytes, most);
  let [content, greatest]: [Uint8Array, number] = [bytes, 0];
  for (const name of filters) {
    // For a filter of images, or an unknown filter, its input is not decoded any further.
    const decode = decoders[name];
    if (!decode) break;
    content = await decode(content, most, earlyChange);
    greatest = Math.max(greatest, content.length);
    if (greatest > most) break;
  }
  return greatest;
}

/** Inflates the stream repeatedly while that works, because the filters are unknown. */
async function unknownSize(bytes: Uint8Array, most: number): Promise<number> {
  let [content, greatest]: [Uint8Array, number] = [bytes, 0];
  for (let count = 0; count < mostFilters && isDeflated(content); count++) {
    content = await decoders['FlateDecode']!(content, most, true);
    greatest = Math.max(greatest, content.length);
    if (greatest > most) break;
  }
  return greatest;
}

function isDeflated([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (256 * first + second) % 31 === 0;
}
