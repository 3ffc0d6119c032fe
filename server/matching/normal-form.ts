import { hash } from 'node:crypto';

/** What most texts are already: printable ASCII, and each space alone between two letters. */
const plain = /^[!-~]+(?: [!-~]+)*$/;

/**
 * What two sources must have in common to be an exact match (B 8 "Translation memory at translation time", rule 1): NFC,
 * runs of white space (Unicode's White_Space) as one space, none at the ends. Letters keep their case.
 */
export function normalForm(text: string): string {
  if (plain.test(text)) return text;
  return composed(text)
    .replace(/\p{White_Space}+/gu, ' ')
    .replace(/^ | $/g, '');
}

/** Marks in a row; no writing has as many. */
const manyMarks = /(\p{M}{32})/u;

/**
 * NFC. A row of very many marks is composed in pieces: sorting 50,000 of them in one takes a second, and nobody means
 * anything by their order.
 */
function composed(text: string): string {
  if (!manyMarks.test(text)) return text.normalize('NFC');
  return text
    .split(manyMarks)
    .map((piece) => piece.normalize('NFC'))
    .join('');
}

/** The first 16 bytes of the SHA-256 of a normal form in UTF-8: what the exact tier looks up. */
export function sourceHash(normal: string): Buffer {
  return Buffer.from(sourceHashHex(normal), 'hex');
}

/** `sourceHash` in hexadecimal, 32 digits. */
export function sourceHashHex(normal: string): string {
  return hash('sha256', normal, 'hex').slice(0, 32);
}
