import { FileError } from '../file-error.ts';

export type PartEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** The whole text of an XML part, with the encoding of its bytes. */
export interface PartText {
  /** The text without a byte order mark. */
  source: string;
  encoding: PartEncoding;
  /** Whether the part starts with a byte order mark. */
  marked: boolean;
}

/** Returns the encoding of a part: UTF-8, unless a byte order mark declares UTF-16. */
export function encodingOf(start: Uint8Array): PartEncoding {
  const isMarked = (first: number, second: number): boolean => start[0] === first && start[1] === second;
  return isMarked(0xff, 0xfe) ? 'utf-16le' : isMarked(0xfe, 0xff) ? 'utf-16be' : 'utf-8';
}

/**
 * Decodes a part.
 *
 * @throws {FileError} `unreadable` if the part declares an encoding that is not allowed in Office files. Programs would
 *   read a changed part in this encoding
 * @throws {TypeError} if bytes of the part are invalid in the part's encoding
 */
export function decodePart(bytes: Uint8Array): PartText {
  const encoding = encodingOf(bytes);
  const marked = encoding !== 'utf-8' || (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf);
  const source = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  rejectOtherEncoding(source);
  return { source, encoding, marked };
}

/**
 * Rejects a part that declares an encoding that is not allowed in Office files. A part with only ASCII characters could
 * be read, but translations could not be written into it.
 *
 * @param start the start of the part's text, with or without its byte order mark
 * @throws {FileError} `unreadable`
 */
export function rejectOtherEncoding(start: string): void {
  const declared = /^\ufeff?<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)/.exec(start.slice(0, 1000))?.[1];
  if (declared !== undefined && !/^utf-?(8|16(le|be)?)$/i.test(declared))
    throw new FileError('unreadable', `the Office file has XML in the encoding ${declared}, not UTF-8`);
}

/**
 * Encodes the new content of a part in the encoding of the old content, so that the encoding in the XML declaration
 * stays correct.
 */
export async function* encodePart(
  { encoding, marked }: PartText,
  pieces: Iterable<string>,
): AsyncGenerator<Uint8Array> {
  if (marked) yield encode('\ufeff', encoding);
  for (const piece of pieces) yield encode(piece, encoding);
}

/** Encodes a piece of a part's text. */
export function encode(text: string, encoding: PartEncoding): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}
