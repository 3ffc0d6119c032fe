/** Bytes that are not text in an accepted encoding. */
export class TextEncodingError extends Error {
  override name = 'TextEncodingError';
}

const accepted = 'text must be UTF-8 (byte order mark optional) or UTF-16 with a byte order mark';

/**
 * Decodes a text file: UTF-8 with or without a byte order mark, or UTF-16 with one. Removes the mark and turns line ends into
 * `\n`, so that a text from every system is the same.
 *
 * @throws {TextEncodingError} for anything else: invalid UTF-8, lone surrogates, UTF-32, UTF-16 without its mark. The last two
 *   are detected by their NUL characters, which text never contains and the database cannot store.
 */
export function decodeText(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes);
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new TextEncodingError(`${accepted}; this is not valid ${encoding.toUpperCase()}`);
  }
  if (text.includes('\0')) throw new TextEncodingError(`${accepted}; this has NUL characters`);
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

/**
 * Counts the Unicode code points of `text`, which are the characters that the service counts and bills. A lone surrogate counts
 * as one.
 */
export function countCodePoints(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length; index++) {
    if (!isPairAt(text, index)) continue;
    pairs++;
    index++;
  }
  return text.length - pairs;
}

/** Returns the offset `count` code points after `from`, or the end of `text` if it has fewer. */
export function skipCodePoints(text: string, from: number, count: number): number {
  let index = from;
  for (let left = count; left > 0 && index < text.length; left--) index += isPairAt(text, index) ? 2 : 1;
  return index;
}

/** Returns the first `units` UTF-16 units of a text, without half of a surrogate pair at the end. */
export function clip(text: string, units: number): string {
  return text.slice(0, units).replace(/[\ud800-\udbff]$/, '');
}

function isPairAt(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
}
