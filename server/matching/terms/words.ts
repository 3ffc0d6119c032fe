import type { LanguageCode } from '#server/languages.ts';
import { classAt, joinsWord } from './character-class.ts';
import { apostrophe, hyphen, space } from './letters.ts';

/** The words of a text in scripts that separate words by spaces. */
export interface Words {
  count: number;
  /** The indexes of the units at which each word starts and (`ends`) ends. */
  starts: Int32Array;
  ends: Int32Array;
  /** For each word, the kind of separator after the word: one of the constants below. */
  gaps: Uint8Array;
}

/** A separator that ends a phrase: punctuation, a symbol, or the end of the text. */
export const apart = 0;
export const spaced = 1;
export const hyphenated = 2;
export const elided = 3;

/**
 * Splits a text into runs of letters, digits and marks. Words are separated by spaces, hyphens and other characters. An
 * apostrophe also separates words, except in Ukrainian.
 */
export function wordsOf(units: Uint16Array, language: LanguageCode): Words {
  const isLetter = (index: number): boolean => index < units.length && joinsWord(classAt(units, index));
  const isInside = (index: number): boolean =>
    isLetter(index) || (language === 'uk' && units[index] === apostrophe && isLetter(index + 1));
  const starts = new Int32Array((units.length + 1) >>> 1);
  const ends = new Int32Array(starts.length);
  const gaps = new Uint8Array(starts.length);
  let count = 0;
  for (let index = 0; index < units.length; index++) {
    if (!isLetter(index)) continue;
    starts[count] = index;
    while (isInside(index)) index++;
    ends[count] = index;
    gaps[count] = isLetter(index + 1) ? gapOf(units[index]!) : apart;
    count++;
  }
  return { count, starts, ends, gaps };
}

function gapOf(unit: number): number {
  if (unit === space) return spaced;
  if (unit === hyphen) return hyphenated;
  return unit === apostrophe ? elided : apart;
}
