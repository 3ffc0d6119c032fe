import { createInflateRaw } from 'node:zlib';

/** Returns the output of a filter: everything that can be decoded, but at most `maxLength` + 1 bytes. */
type Decoder = (
  bytes: Uint8Array,
  maxLength: number,
  earlyChange: boolean,
) => Promise<Uint8Array> | Uint8Array;

/** The decoders of all filters except those for images, by the names and abbreviations of the filters. */
export const decoders: Record<string, Decoder> = {
  FlateDecode: inflate,
  Fl: inflate,
  LZWDecode: decodeLzw,
  LZW: decodeLzw,
  RunLengthDecode: decodeRunLengths,
  RL: decodeRunLengths,
  ASCIIHexDecode: decodeHex,
  AHx: decodeHex,
  ASCII85Decode: decodeAscii85,
  A85: decodeAscii85,
  // This filter has no effect in a file that requires no password.
  Crypt: (bytes) => bytes,
};

/** Filters whose output may be many times as long as their input. */
export const expandingFilters = new Set(['FlateDecode', 'Fl', 'LZWDecode', 'LZW', 'RunLengthDecode', 'RL']);

/**
 * Inflates a deflated stream. Skips the header and ignores the checksum, because pdf.js and qpdf accept more headers
 * than zlib does.
 */
async function inflate(bytes: Uint8Array, maxLength: number): Promise<Uint8Array> {
  const inflater = createInflateRaw({ chunkSize: 256 * 1024 });
  inflater.end(bytes.subarray(2));
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of inflater) {
      pieces.push(piece as Uint8Array);
      size += (piece as Uint8Array).length;
      if (size > maxLength) break;
    }
  } catch (error) {
    // The data is damaged here. pdf.js and qpdf stop at the same position.
    if (!isZlibError(error)) throw error;
  } finally {
    inflater.destroy();
  }
  return Buffer.concat(pieces).subarray(0, maxLength + 1);
}

/** Returns the size of a deflated stream's output without keeping the output; at most `maxLength` + 1. */
export async function inflatedSize(deflated: Uint8Array, maxLength: number): Promise<number> {
  const inflater = createInflateRaw({ chunkSize: 256 * 1024 });
  inflater.end(deflated.subarray(2));
  let size = 0;
  try {
    for await (const piece of inflater) {
      size += (piece as Uint8Array).length;
      if (size > maxLength) return maxLength + 1;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
  } finally {
    inflater.destroy();
  }
  return size;
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

/** A growing array of output bytes. Its length is limited. */
class Output {
  #bytes = new Uint8Array(64 * 1024);
  #length = 0;
  readonly #limit: number;

  constructor(maxLength: number) {
    this.#limit = maxLength + 1;
  }

  get isFull(): boolean {
    return this.#length >= this.#limit;
  }

  push(byte: number): void {
    if (this.isFull) return;
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(Math.min(this.#limit, 2 * this.#length));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#length++] = byte;
  }

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

const maxCodes = 4096;

function decodeLzw(bytes: Uint8Array, maxLength: number, earlyChange: boolean): Uint8Array {
  const output = new Output(maxLength);
  const prefixes = new Uint16Array(maxCodes);
  const suffixes = new Uint8Array(maxCodes);
  const lengths = new Uint16Array(maxCodes);
  for (let code = 0; code < 256; code++) {
    suffixes[code] = code;
    lengths[code] = 1;
  }
  const early = earlyChange ? 1 : 0;
  const sequence = new Uint8Array(maxCodes);
  let [next, width, previous] = [258, 9, -1];
  let [held, bits] = [0, 0];
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffffff;
    bits += 8;
    if (bits < width) continue;
    bits -= width;
    const code = (held >> bits) & ((1 << width) - 1);
    if (code === 257) break;
    if (code === 256) {
      [next, width, previous] = [258, 9, -1];
      continue;
    }
    if (code > next || (code === next && previous < 0)) break;
    // A code that is not defined yet stands for the previous sequence followed by the first byte of this sequence.
    const known = code < next ? code : previous;
    const length = lengths[known]!;
    for (let at = length - 1, from = known; at >= 0; at--, from = prefixes[from]!)
      sequence[at] = suffixes[from]!;
    for (let at = 0; at < length; at++) output.push(sequence[at]!);
    if (code === next) output.push(sequence[0]!);
    if (previous >= 0 && next < maxCodes) {
      prefixes[next] = previous;
      suffixes[next] = sequence[0]!;
      lengths[next] = lengths[previous]! + 1;
      next++;
    }
    previous = code;
    width = next + early >= 2048 ? 12 : next + early >= 1024 ? 11 : next + early >= 512 ? 10 : 9;
    if (output.isFull) break;
  }
  return output.taken();
}

function decodeRunLengths(bytes: Uint8Array, maxLength: number): Uint8Array {
  const output = new Output(maxLength);
  for (let at = 0; at < bytes.length && bytes[at] !== 128 && !output.isFull; ) {
    const length = bytes[at++]!;
    if (length < 128) {
      for (let count = 0; count <= length && at < bytes.length; count++) output.push(bytes[at++]!);
      continue;
    }
    const byte = bytes[at++] ?? 0;
    for (let count = length; count < 257; count++) output.push(byte);
  }
  return output.taken();
}

function decodeHex(bytes: Uint8Array, maxLength: number): Uint8Array {
  const output = new Output(maxLength);
  let high = -1;
  for (const byte of bytes) {
    if (byte === 0x3e || output.isFull) break;
    const digit = Number.parseInt(String.fromCharCode(byte), 16);
    if (Number.isNaN(digit)) continue;
    if (high < 0) {
      high = digit;
      continue;
    }
    output.push(16 * high + digit);
    high = -1;
  }
  if (high >= 0) output.push(16 * high);
  return output.taken();
}

function decodeAscii85(bytes: Uint8Array, maxLength: number): Uint8Array {
  const output = new Output(maxLength);
  let [value, digits] = [0, 0];
  const write = (count: number): void => {
    for (let at = 0; at < count; at++) output.push((value / 256 ** (3 - at)) & 0xff);
  };
  for (const byte of bytes) {
    if (byte === 0x7e || output.isFull) break;
    if (byte === 0x7a && digits === 0) {
      value = 0;
      write(4);
    }
    if (byte < 0x21 || byte > 0x75) continue;
    value = value * 85 + byte - 0x21;
    if (++digits < 5) continue;
    write(4);
    [value, digits] = [0, 0];
  }
  if (digits > 1) {
    const given = digits;
    for (; digits < 5; digits++) value = value * 85 + 84;
    write(given - 1);
  }
  return output.taken();
}
