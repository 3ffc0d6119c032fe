import { constants, deflateSync } from 'node:zlib';
import { writePdf } from './hostile-files.ts';

/** Encoders of the filters of a PDF stream. */
const encoders = {
  FlateDecode: (bytes: Uint8Array) => deflateSync(bytes, { level: 9 }),
  ASCIIHexDecode: (bytes: Uint8Array) => Buffer.from(`${Buffer.from(bytes).toString('hex')}>`),
  /** Encodes only runs of at most 128 equal bytes, and no literal bytes. */
  RunLengthDecode: (bytes: Uint8Array) => {
    const out: number[] = [];
    for (let at = 0; at < bytes.length; ) {
      let end = at + 1;
      while (end < bytes.length && end < at + 128 && bytes[end] === bytes[at]) end++;
      if (end === at + 1) out.push(0, bytes[at]!);
      else out.push(257 - (end - at), bytes[at]!);
      at = end;
    }
    out.push(128);
    return Buffer.from(out);
  },
  ASCII85Decode: (bytes: Uint8Array) => {
    let text = '';
    for (let at = 0; at < bytes.length; at += 4) {
      const part = Buffer.alloc(4);
      part.set(bytes.subarray(at, at + 4));
      const given = Math.min(4, bytes.length - at);
      let value = part.readUInt32BE(0);
      let digits = '';
      for (let count = 0; count < 5; count++) {
        digits = String.fromCharCode(33 + (value % 85)) + digits;
        value = Math.floor(value / 85);
      }
      text += value === 0 && digits === '!!!!!' && given === 4 ? 'z' : digits.slice(0, given + 1);
    }
    return Buffer.from(`${text}~>`);
  },
};

export type ChainedFilter = keyof typeof encoders;

/** Compresses repetitions of a piece without keeping all of them in memory. */
export function deflatedRepetitions(piece: Uint8Array, times: number): Buffer {
  const block = deflateSync(piece, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const body = Array.from({ length: times }, () => block.subarray(2));
  return Buffer.concat([block.subarray(0, 2), ...body, deflateSync('').subarray(2, 4), adler(piece, times)]);
}

/** The checksum that follows compressed data. */
function adler(piece: Uint8Array, times: number): Buffer {
  let [plain, weighted] = [0, 0];
  for (const [at, byte] of piece.entries()) {
    plain = (plain + byte) % 65521;
    weighted = (weighted + (piece.length - at) * byte) % 65521;
  }
  let [a, b] = [1, 0];
  for (let time = 0; time < times; time++) {
    b = (b + piece.length * a + weighted) % 65521;
    a = (a + plain) % 65521;
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(b * 65536 + a);
  return sum;
}

export interface ChainedOptions {
  /** After these filters, the content is also compressed with deflate. */
  filters?: readonly ChainedFilter[];
  /** The size of the content in megabytes. */
  megabytes?: number;
  /** The text that the content repeats. */
  content?: string;
  /** Writes the filters' names into the file; by default as an array. */
  filter?: (names: readonly string[]) => string;
  /** Text that is inserted into the dictionary before the filters. */
  before?: string;
  /** More objects; their numbers begin with 5. */
  objects?: readonly string[];
}

/**
 * Creates a PDF of a few kilobytes with one page. The content of the page passes through several filters, each of which
 * multiplies its size.
 */
export function chainedFilters({
  filters = ['FlateDecode'],
  megabytes = 100,
  content = ' ',
  filter = (names) => `[${names.map((name) => `/${name}`).join('')}]`,
  before = '',
  objects = [],
}: ChainedOptions = {}): Buffer {
  let bytes: Buffer = deflatedRepetitions(Buffer.alloc(2 ** 20, content), megabytes);
  for (const name of filters.toReversed()) bytes = encoders[name](bytes);
  const names = [...filters, 'FlateDecode'];
  return writePdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<<>>>>',
    { dictionary: `${before}/Filter ${filter(names)}`, content: bytes, deflated: false },
    ...objects,
  ]);
}
