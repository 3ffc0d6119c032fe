import { limits, overLimit } from '../file-error.ts';
import { decoders, expanding, inflatedSize } from './stream-decoders.ts';
import { type StreamPlace, streamsOf } from './stream-places.ts';

/** Deflate expands n bytes to at most 1,032 n; LZW to some 1,365 n. */
const greatestRatio = 1400;
/** Filters of one stream. Real files have two at most. */
const mostFilters = 8;

/**
 * The bytes that one stream may come to, and after each of several filters: as for pages and forms (`budget.ts`), in proportion to the file. A file
 * of one kilobyte gets 20 MB, which take 0.1 s.
 */
const allowed = (fileBytes: number): number => Math.min(limits.pdfStream, 20_000_000 + 30 * fileBytes);

/**
 * Refuses a PDF with a stream that decodes to more than is in proportion to the file, or than `limits.pdfStream` bytes: the libraries
 * decode whole streams, so a small file could need gigabytes. Each filter of a stream counts, before the next one is applied. Images with a
 * single filter are skipped, because they are not decoded here. In an encrypted file nothing is seen; `normalise` decrypts it before.
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

/** The greatest size of a stream after any of its filters, if it can be large; one byte more than `most` if it is larger. */
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
    // A filter of images, or none that is known: nothing decodes what comes before it.
    const decode = decoders[name];
    if (!decode) break;
    content = await decode(content, most, earlyChange);
    greatest = Math.max(greatest, content.length);
    if (greatest > most) break;
  }
  return greatest;
}

/** The filters are hidden, so the stream is inflated as often as that works. */
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
