import { hash } from 'node:crypto';

/** Printable ASCII with single spaces, which is already in normal form. Most texts are. */
const plain = /^[!-~]+(?: [!-~]+)*$/;

/**
 * Returns the normal form of a text: NFC, each run of white space (Unicode's White_Space) as one space, none at the ends.
 * Letters keep their case. Two sources with the same normal form are an exact match
 * (B 8 "Translation memory at translation time", rule 1).
 */
export function normalForm(text: string): string {
  if (plain.test(text)) return text;
  return composed(text)
    .replace(/\p{White_Space}+/gu, ' ')
    .replace(/^ | $/g, '');
}

/** More combining marks in a row than any script uses. */
const manyMarks = /(\p{M}{32})/u;

/** Returns the NFC of a text. Composes long runs of marks in pieces, because sorting 50,000 of them at once takes a second. */
function composed(text: string): string {
  if (!manyMarks.test(text)) return text.normalize('NFC');
  return text
    .split(manyMarks)
    .map((piece) => piece.normalize('NFC'))
    .join('');
}

/** The key of the exact tier: the first 16 bytes of the SHA-256 of a normal form in UTF-8. */
export function sourceHash(normal: string): Buffer {
  return Buffer.from(sourceHashHex(normal), 'hex');
}

/** `sourceHash` in hexadecimal, 32 digits. */
export function sourceHashHex(normal: string): string {
  return hash('sha256', normal, 'hex').slice(0, 32);
}
