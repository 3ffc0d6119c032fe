import { hash } from 'node:crypto';

/**
 * What two sources must have in common to be an exact match (B 8 "Translation memory at translation time", rule 1): NFC,
 * runs of white space (Unicode's White_Space) as one space, none at the ends. Letters keep their case.
 */
/** What most texts are already: printable ASCII, and each space alone between two letters. */
const plain = /^[!-~]+(?: [!-~]+)*$/;

export function normalForm(text: string): string {
  if (plain.test(text)) return text;
  return text
    .normalize('NFC')
    .replace(/\p{White_Space}+/gu, ' ')
    .replace(/^ | $/g, '');
}

/** The first 16 bytes of the SHA-256 of a normal form in UTF-8: what the exact tier looks up. */
export function sourceHash(normal: string): Buffer {
  return Buffer.from(sourceHashHex(normal), 'hex');
}

/** `sourceHash` in hexadecimal, 32 digits. */
export function sourceHashHex(normal: string): string {
  return hash('sha256', normal, 'hex').slice(0, 32);
}
