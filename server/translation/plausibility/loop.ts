import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { isLetter } from './script.ts';
import { critical, type TextPair } from './text-pair.ts';

/** Number of characters that are compared as one piece, without spaces; dense scripts need fewer. */
const pieceLength = { dense: 6, other: 14 } as const;

/** The first code point of the dense scripts: kana, Han and Hangul come after all other scripts. */
const firstDense = 0x3041;

/**
 * Minimum size of a loop: number of repeated characters, and by how much their share must exceed the share in the
 * source.
 */
const repeatedCharacters = 60;
const repeatedShare = 0.2;

/** Minimum length of a run of one character, or of two alternating characters. */
const run = 40;

/** Returns an issue if the model was caught in a loop: it repeats a phrase, much more than the source does. */
export function loopIssue({ source, target, branching }: TextPair): QualityIssue | undefined {
  if (branching) return undefined;
  const to = repeated(target);
  if (to.characters >= repeatedCharacters) {
    const from = repeated(source);
    // The translation of a repetitive source is repetitive too.
    if (to.share - from.share > repeatedShare && to.share > 1.5 * from.share)
      return critical(
        'fluency',
        'The translation repeats the same text again and again.',
        target.slice(-200),
      );
  }
  const longest = longestRun(target);
  if (longest >= run && longest > 2 * longestRun(source))
    return critical('fluency', 'The translation repeats a character again and again.');
  return undefined;
}

/** Returns the number of characters that repeat an earlier part of the text, and their share of the text. */
function repeated(text: string): { characters: number; share: number } {
  const units = new Uint16Array(text.length);
  let length = 0;
  let dense = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Digits and signs do not count: they may be the only difference between table cells.
    if (!isLetter(unit)) continue;
    if (unit >= firstDense) dense++;
    units[length++] = unit;
  }
  const piece = 2 * dense > length ? pieceLength.dense : pieceLength.other;
  const pieces = length - piece + 1;
  if (pieces < 1) return { characters: 0, share: 0 };
  const seen = hashTable(pieces);
  let again = 0;
  let leaving = 1;
  for (let power = 0; power < piece; power++) leaving = Math.imul(leaving, factor);
  let hash = 0;
  for (let at = 0; at < length; at++) {
    const left = at < piece ? 0 : Math.imul(units[at - piece]!, leaving);
    hash = (Math.imul(hash, factor) + units[at]! - left) | 0;
    if (at >= piece - 1 && !seen(hash)) again++;
  }
  return { characters: again, share: again / pieces };
}

const factor = 0x01000193;

/** Creates a set of at most `count` hashes. The returned function adds a hash and returns whether it is new. */
function hashTable(count: number): (hash: number) => boolean {
  const bits = Math.ceil(Math.log2(2 * count + 2));
  const slots = new Int32Array(2 ** bits);
  return (hash) => {
    const mixed = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) || 1;
    let slot = mixed >>> (32 - bits);
    while (slots[slot] !== 0 && slots[slot] !== mixed) slot = (slot + 1) & (slots.length - 1);
    if (slots[slot] === mixed) return false;
    slots[slot] = mixed;
    return true;
  };
}

/** Returns the length of the longest run in which every second character is the same, without spaces. */
function longestRun(text: string): number {
  let longest = 0;
  let length = 0;
  for (let at = 2; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    length = unit === text.charCodeAt(at - 2) && unit > 0x20 ? length + 1 : 0;
    if (length > longest) longest = length;
  }
  return longest;
}
