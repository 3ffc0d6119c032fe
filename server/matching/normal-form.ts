import { hash } from 'node:crypto';

/** Matches printable ASCII with single spaces. Such a text is already in normal form; most texts are like this. */
const plain = /^[!-~]+(?: [!-~]+)*$/;

/**
 * Returns the normal form of a text: NFC, each run of white space (Unicode's White_Space) replaced by one space, and no
 * white space at the ends. Letters keep their case. Two sources are an exact match if their normal forms are equal.
 */
export function normalForm(text: string): string {
  if (plain.test(text)) return text;
  return composed(text)
    .replace(/\p{White_Space}+/gu, ' ')
    .replace(/^ | $/g, '');
}

/** Matches more consecutive combining marks than any language uses. */
const manyMarks = /(\p{M}{32})/u;

/**
 * Returns the NFC of a text. Long runs of marks are composed in parts, because sorting 50,000 marks at once takes a
 * second.
 */
function composed(text: string): string {
  if (!manyMarks.test(text)) return text.normalize('NFC');
  return text
    .split(manyMarks)
    .map((piece) => piece.normalize('NFC'))
    .join('');
}

/** Returns the key by which exact matches are found: the first 16 bytes of the SHA-256 of a normal form in UTF-8. */
export function sourceHash(normal: string): Buffer {
  return Buffer.from(sourceHashHex(normal), 'hex');
}

/** Returns `sourceHash` as 32 hexadecimal digits. */
export function sourceHashHex(normal: string): string {
  return hash('sha256', normal, 'hex').slice(0, 32);
}

/** The first 8 bytes of the hashes of the texts before and after a text of a document, in hexadecimal; null at its ends. */
export interface TextContext {
  before: string | null;
  after: string | null;
}

/** @param before the previous text of the document; null for its first text */
export function textContext(before: string | null, after: string | null): TextContext {
  const hashOf = (text: string | null) =>
    text === null ? null : sourceHashHex(normalForm(text)).slice(0, 16);
  return { before: hashOf(before), after: hashOf(after) };
}
