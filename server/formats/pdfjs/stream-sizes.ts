import { limits, overLimit } from '../file-error.ts';
import { decoders, expandingFilters, inflatedSize } from './stream-decoders.ts';
import { type StreamPlace, streamsOf } from './stream-places.ts';

/** The maximum ratio of output to input of the filters that expand data: 1,032 for Deflate, about 1,365 for LZW. */
const maxRatio = 1400;
/** The maximum number of filters of one stream. Streams of real files have at most two. */
const maxFilters = 8;

/**
 * Returns the maximum decoded size of one stream, in bytes. If a stream has several filters, the limit applies to the
 * output of each. The limit grows with the size of the file, as for pages and forms (`budget.ts`). A file of one
 * kilobyte may have a stream of 20 MB, which takes 0.1 s to decode.
 */
const sizeLimit = (fileBytes: number): number => Math.min(limits.pdfStream, 20_000_000 + 30 * fileBytes);

/**
 * Rejects a PDF with a stream whose decoded size is too large for the size of the file, or exceeds `limits.pdfStream`
 * bytes. pdf.js and pdf-lib decode whole streams, so without this check a small file could need gigabytes of memory.
 * The size is checked after each filter of a stream. Images with a single filter are skipped, because these libraries
 * are not used to decode them. The streams of an encrypted file are not readable here; before a file is translated, it
 * is decrypted (`normalize.ts`).
 *
 * @throws {FileError} `too_large`
 */
export async function rejectLargeStreams(bytes: Uint8Array): Promise<void> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const limit = sizeLimit(file.length);
  const totalLimit = Math.min(limits.pdfStreams, 4 * limit);
  let total = 0;
  for (const stream of streamsOf(file)) {
    const size = await decodedSize(stream, limit);
    if (size > limit) throw overLimit('the unpacked size in bytes of one stream of the PDF', limit);
    total += size;
    if (total > totalLimit) throw overLimit('the unpacked size in bytes of the PDF', totalLimit);
  }
}

/**
 * Returns the greatest size of a stream after any of its filters, but at most `limit` + 1. Returns 0 if the stream
 * cannot become large.
 */
async function decodedSize(stream: StreamPlace, limit: number): Promise<number> {
  if (!stream.chains) return unknownSize(stream.bytes, limit);
  let greatest = 0;
  for (const filters of stream.chains)
    if (greatest <= limit) greatest = Math.max(greatest, await sizeThrough(filters, stream, limit));
  return greatest;
}

async function sizeThrough(
  filters: readonly string[],
  { bytes, isImage, earlyChange }: StreamPlace,
  limit: number,
): Promise<number> {
  if (filters.length > maxFilters)
    throw overLimit('the number of filters of one stream of the PDF', maxFilters);
  const expansions = filters.filter((name) => expandingFilters.has(name)).length;
  if (expansions === 0 || (expansions === 1 && (isImage || bytes.length * maxRatio <= limit))) return 0;
  if (filters.length === 1 && filters[0]!.startsWith('Fl')) return inflatedSize(bytes, limit);
  let [content, greatest]: [Uint8Array, number] = [bytes, 0];
  for (const name of filters) {
    // Data for an image filter or an unknown filter is not decoded any further.
    const decode = decoders[name];
    if (!decode) break;
    content = await decode(content, limit, earlyChange);
    greatest = Math.max(greatest, content.length);
    if (greatest > limit) break;
  }
  return greatest;
}

/**
 * Returns the decoded size of a stream whose filters are unknown. Inflates the data repeatedly, as long as it looks
 * deflated.
 */
async function unknownSize(bytes: Uint8Array, limit: number): Promise<number> {
  let [content, greatest]: [Uint8Array, number] = [bytes, 0];
  for (let count = 0; count < maxFilters && isDeflated(content); count++) {
    content = await decoders['FlateDecode']!(content, limit, true);
    greatest = Math.max(greatest, content.length);
    if (greatest > limit) break;
  }
  return greatest;
}

function isDeflated([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (256 * first + second) % 31 === 0;
}
