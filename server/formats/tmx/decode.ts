import { TmxError } from './error.ts';

/** Bytes that are decoded at once: few enough that a large file never stands in memory as text. */
const pieceBytes = 65_536;

/**
 * The text of a file in pieces: UTF-8 with or without a byte order mark, or UTF-16 with one. What an XML declaration
 * says of the encoding is passed over: the bytes either are one of these or are not.
 *
 * @throws {TmxError} `encoding`
 */
export function* decodePieces(bytes: Uint8Array): Generator<string, void> {
  const encoding = encodingOf(bytes);
  const decoder = new TextDecoder(encoding, { fatal: true });
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const end = start + pieceBytes;
    const piece = decode(decoder, bytes.subarray(start, end), end < bytes.length);
    // UTF-32, and UTF-16 without its mark; XML itself never holds one.
    if (piece.includes('\0')) throw new TmxError('encoding', `${accepted}; this has NUL characters`);
    yield piece;
  }
}

const accepted = 'a TMX file must be UTF-8 (byte order mark optional) or UTF-16 with a byte order mark';

type Decoder = InstanceType<typeof TextDecoder>;

function decode(decoder: Decoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    throw new TmxError('encoding', `${accepted}; this is not valid ${decoder.encoding.toUpperCase()}`);
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}
