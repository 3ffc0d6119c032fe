import { createInflate } from 'node:zlib';
import { limits, overLimit } from '../file-error.ts';

/** Deflate expands n bytes to at most 1,032 n. */
const greatestRatio = 1032;
/** The number of bytes before a stream's keyword in which its dictionary is searched. */
const longestDictionary = 4096;

const keyword = Buffer.from('stream');
const endKeyword = Buffer.from('endstream');

/**
 * Refuses a PDF in which a deflated stream inflates to more than `limits.pdfStream` bytes. pdf.js inflates whole streams, so
 * a small file could need gigabytes. The inflated bytes are counted, not kept. Images are skipped, because they are not
 * decoded. Streams in an encrypted file or with two filters are not seen here; the sandbox limits them.
 *
 * @throws {FileError} `too_large`
 */
export async function refuseLargeStreams(bytes: Uint8Array): Promise<void> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let total = 0;
  for (let at = file.indexOf(keyword); at >= 0; at = file.indexOf(keyword, at + 1)) {
    const start = startOfData(file, at);
    if (start === undefined) continue;
    const end = file.indexOf(endKeyword, start);
    const stop = end < 0 ? file.length : end;
    if ((stop - start) * greatestRatio > limits.pdfStream && isDeflatedText(file, at)) {
      total += await inflatedSize(file.subarray(start, stop));
      if (total > limits.pdfStreams)
        throw overLimit('the unpacked size in bytes of the PDF', limits.pdfStreams);
    }
    at = stop;
  }
}

/** Returns the offset of a stream's first byte; undefined if the keyword at `at` does not start a stream. */
function startOfData(file: Buffer, at: number): number | undefined {
  const after = at + keyword.length;
  if (file[after] === 0x0a) return after + 1;
  if (file[after] === 0x0d) return file[after + 1] === 0x0a ? after + 2 : after + 1;
  return undefined;
}

function isDeflatedText(file: Buffer, at: number): boolean {
  const before = file.toString('latin1', Math.max(0, at - longestDictionary), at);
  const dictionary = before.slice(before.lastIndexOf(' obj') + 1);
  return /\/(?:FlateDecode|Fl)\b/.test(dictionary) && !/\/Subtype\s*\/Image\b/.test(dictionary);
}

async function inflatedSize(deflated: Buffer): Promise<number> {
  const inflater = createInflate({ chunkSize: 256 * 1024 });
  inflater.end(deflated);
  let size = 0;
  try {
    for await (const piece of inflater) {
      size += (piece as Buffer).length;
      if (size > limits.pdfStream)
        throw overLimit('the unpacked size in bytes of one stream of the PDF', limits.pdfStream);
    }
  } catch (error) {
    // The data is damaged here. pdf.js stops at the same place.
    if (!isZlibError(error)) throw error;
  } finally {
    inflater.destroy();
  }
  return size;
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
