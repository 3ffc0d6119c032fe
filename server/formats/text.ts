/** The error for bytes that are not text in an accepted encoding. */
export class TextEncodingError extends Error {
  override name = 'TextEncodingError';
}

const accepted = 'text must be UTF-8 (byte order mark optional) or UTF-16 with a byte order mark';

/**
 * Decodes a text file in UTF-8 (with or without a byte order mark) or in UTF-16 with a byte order mark. Removes the
 * mark, and turns line ends into `\n`.
 *
 * @throws {TextEncodingError} for other encodings: invalid UTF-8, lone surrogates, UTF-32, and UTF-16 without a mark.
 *   UTF-32 and UTF-16 without a mark are detected by NUL characters, which text never contains and which the database
 *   cannot store
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
 * Counts the Unicode code points of `text`, which are the characters that the service counts and bills. A lone
 * surrogate counts as one code point.
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

/** Returns the offset that is `count` code points after `from`; the end of `text` if `text` has fewer code points. */
export function skipCodePoints(text: string, from: number, count: number): number {
  let index = from;
  for (let left = count; left > 0 && index < text.length; left--) index += isPairAt(text, index) ? 2 : 1;
  return index;
}

/** Returns the first `units` UTF-16 units of a text. If this splits a surrogate pair, its first half is removed. */
export function clip(text: string, units: number): string {
  return text.slice(0, units).replace(/[\ud800-\udbff]$/, '');
}

/** Whether a text has a surrogate pair at an index. */
export function isPairAt(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
}

/** Matches a letter. Texts without one, such as numbers, need no translation. */
export const letter = /\p{L}/u;
