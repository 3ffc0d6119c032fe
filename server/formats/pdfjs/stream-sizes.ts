import { limits, overLimit } from '../file-error.ts';
import { decoders, expandingFilters, inflatedSize } from './stream-decoders.ts';

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

/** The maximum distance from the start of a stream's dictionary to the keyword `stream`, in bytes. */
const maxDictionaryLength = 4096;

const keyword = Buffer.from('stream');
const endKeyword = Buffer.from('endstream');

/**
 * A stream of a PDF, found by searching the bytes of the file. No PDF reader is used, because a hostile file could
 * deceive it.
 */
interface StreamPlace {
  bytes: Buffer;
  /**
   * The names of the filters of each /Filter entry in the dictionary; undefined if the text of the file does not
   * contain them.
   */
  chains: readonly (readonly string[])[] | undefined;
  isImage: boolean;
  /** Whether the width of LZW codes increases one code early. */
  earlyChange: boolean;
}

/** Yields the streams of a PDF. If the PDF is encrypted, these streams cannot be decoded. */
function* streamsOf(file: Buffer): Generator<StreamPlace> {
  const objects = new Objects(file);
  for (let at = file.indexOf(keyword); at >= 0; at = file.indexOf(keyword, at + 1)) {
    const start = startOfData(file, at);
    if (start === undefined) continue;
    const dictionary = dictionaryBefore(file, at);
    const stop = endOfData(
      file,
      start,
      dictionary === undefined ? undefined : objects.numberOf(dictionary, 'Length'),
    );
    yield {
      bytes: file.subarray(start, stop),
      chains: dictionary === undefined ? undefined : objects.chainsOf(dictionary),
      isImage: dictionary !== undefined && /\/Subtype\s*\/Image\b/.test(dictionary),
      earlyChange: dictionary === undefined || !/\/EarlyChange\s+0/.test(dictionary),
    };
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

/**
 * Returns the end of a stream: after its declared length if the keyword `endstream` is there, otherwise at the next
 * `endstream`.
 */
function endOfData(file: Buffer, start: number, length: number | undefined): number {
  const claimed = start + (length ?? Number.NaN);
  if (claimed <= file.length && file.subarray(claimed, claimed + 12).includes(endKeyword)) return claimed;
  const end = file.indexOf(endKeyword, start);
  return end < 0 ? file.length : end;
}

/**
 * Returns the text of the dictionary before the keyword at `at`; undefined if the dictionary starts too far before the
 * keyword.
 */
function dictionaryBefore(file: Buffer, at: number): string | undefined {
  const before = file.toString('latin1', Math.max(0, at - maxDictionaryLength), at);
  const begin = before.lastIndexOf('obj');
  return begin < 0 ? undefined : plainText(before.slice(begin + 3));
}

/** Decodes #-codes in names: `/Fl#61te` becomes `/Flate`. */
function plainText(text: string): string {
  return text.replace(/#([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Finds the objects to which dictionaries refer, if the text of the file contains them. */
class Objects {
  readonly #file: Buffer;
  #offsets: Map<string, number> | undefined;

  constructor(file: Buffer) {
    this.#file = file;
  }

  numberOf(dictionary: string, key: string): number | undefined {
    const [, value, reference] = new RegExp(
      `/${key}\\s+(?:(\\d+)(?!\\d|\\s+\\d+\\s+R)|(\\d+\\s+\\d+)\\s+R)`,
    ).exec(dictionary) ?? [undefined, undefined, undefined];
    if (reference === undefined) return value === undefined ? undefined : Number(value);
    const object = this.#object(reference);
    return object && /^\s*\d+/.test(object) ? Number.parseInt(object, 10) : undefined;
  }

  /**
   * Returns the filters of each /Filter entry in a dictionary. The text is searched with and without comments, because
   * a percent sign may start a comment or be part of a string.
   */
  chainsOf(dictionary: string): string[][] | undefined {
    const chains: string[][] = [];
    for (const text of new Set([dictionary, dictionary.replace(/%[^\r\n]*/g, ' ')]))
      for (const [, value] of text.matchAll(/\/Filter\s*(\[[^\]]*\]?|\/[^\s/<>[\]()]+|\d+\s+\d+\s+R)/g)) {
        const resolved = this.#resolved(value!);
        if (resolved === undefined) return undefined;
        chains.push([...resolved.matchAll(/\/([^\s/<>[\]()]+)/g)].map(([, name]) => name!));
      }
    return chains.length === 0 ? undefined : chains;
  }

  /**
   * Replaces references by the text of the objects to which they refer, also inside these objects. Returns undefined if
   * an object is missing.
   */
  #resolved(value: string, depth = 0): string | undefined {
    if (depth > 4) return undefined;
    let isKnown = true;
    const resolved = value.replace(/(\d+\s+\d+)\s+R\b/g, (_, reference: string) => {
      const object = this.#object(reference);
      const inner = object === undefined ? undefined : this.#resolved(object, depth + 1);
      if (inner === undefined) isKnown = false;
      return inner ?? '';
    });
    return isKnown ? resolved : undefined;
  }

  #object(reference: string): string | undefined {
    this.#offsets ??= offsetsOf(this.#file);
    const offset = this.#offsets.get(reference.replace(/\s+/, ' '));
    if (offset === undefined) return undefined;
    const text = plainText(this.#file.toString('latin1', offset, offset + 1024));
    const end = text.indexOf('endobj');
    return end < 0 ? text : text.slice(0, end);
  }
}

/**
 * Returns the offset of each object's content. If several objects have the same number, the last one is used, as in PDF
 * readers.
 */
function offsetsOf(file: Buffer): Map<string, number> {
  const offsets = new Map<string, number>();
  const text = file.toString('latin1');
  for (const match of text.matchAll(/\b(\d{1,10})\s+(\d{1,5})\s+obj\b/g))
    offsets.set(`${match[1]} ${match[2]}`, match.index + match[0].length);
  return offsets;
}
