import type { LanguageCode } from '#server/languages.ts';
import type { Endings, Inflection, Stem } from '../inflection/index.ts';
import { Trie } from './automaton.ts';
import { classAt, joinsWord } from './character-class.ts';
import { type FoldedTerm, stringToUnits, unitsToString } from './fold.ts';
import { apostrophe, hyphen, space } from './letters.ts';

export interface SearchTerm extends FoldedTerm {
  caseSensitive: boolean;
  /** Whether a translation must not contain the term. It is found in fewer compounds. */
  isForbidden?: boolean;
}

/** A word of a search term. Its inflected forms also match. */
export interface SearchWord {
  /** For each letter, whether it must be a capital; undefined if letter case does not matter. */
  capitals: boolean[] | undefined;
  /** Whether the word is a noun whose forms must start with a capital letter. */
  isNoun: boolean;
}

/** The stems of all search words, as the patterns of a trie. */
interface SearchStems {
  trie: Trie;
  /** The words with each stem, by the number of the stem in the trie. */
  stems: { word: number; endings: Endings; after: ((beginning: string) => boolean) | undefined }[][];
  /** Whether any stem may be inside a word, as in compounds. */
  inCompounds: boolean;
}

/** A term as a sequence of search words, given by their numbers. */
export interface Sequence {
  term: number;
  words: number[];
}

export interface SearchWords {
  words: SearchWord[];
  sequences: Sequence[];
  stems: SearchStems;
}

/** The maximum number of words of a term that may be inflected. */
const maxWords = 12;
/** The maximum number of letters of a word that may be inflected. */
export const maxWordLetters = 100;

/**
 * Returns the words to search for. Terms that do not consist of words, such as "C++" and "50%", have no such words;
 * they match only if they are spelled as in the glossary.
 */
export function searchWordsOf(
  terms: readonly SearchTerm[],
  inflection: Inflection,
  language: LanguageCode,
): SearchWords {
  const words: SearchWord[] = [];
  const numbers = new Map<string, number>();
  const byStem = new Map<string, SearchStems['stems'][number]>();
  const wordNumber = (part: SearchTerm, inPhrase: boolean, last: boolean): number => {
    const isForbidden = part.isForbidden === true;
    const key = `${unitsToString(part.cased)} ${part.caseSensitive} ${isForbidden} ${inPhrase} ${last}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const word = words.length;
    numbers.set(key, word);
    const capitalized = part.cased[0] !== part.folded[0];
    const letters = replaceEquivalents(unitsToString(part.folded), inflection);
    words.push({
      capitals: part.caseSensitive
        ? Array.from(part.cased, (unit, at) => unit !== part.folded[at])
        : undefined,
      isNoun: capitalized && last && inflection.isNoun?.(letters) === true,
    });
    const own: Stem = { stem: letters, endings: nothing };
    for (const { stem, endings, after } of [
      own,
      ...inflection.stems(letters, { inPhrase, last, capitalized, isForbidden }),
    ]) {
      if (stem === '') continue;
      const found = byStem.get(stem);
      if (found) found.push({ word, endings, after });
      else byStem.set(stem, [{ word, endings, after }]);
    }
    return word;
  };
  const sequences = [...terms.entries()].flatMap(([term, searchTerm]) =>
    splitIntoWords(searchTerm, language).map((parts) => ({
      term,
      words: parts.map((part, at) => wordNumber(part, parts.length > 1, at === parts.length - 1)),
    })),
  );
  return {
    words,
    sequences,
    stems: {
      trie: new Trie([...byStem.keys()].map(stringToUnits)),
      stems: [...byStem.values()],
      inCompounds: [...byStem.values()].some((stems) => stems.some(({ after }) => after !== undefined)),
    },
  };
}

const nothing: Endings = { has: (ending) => ending === '' };

function replaceEquivalents(word: string, { equivalents }: Inflection): string {
  return equivalents ? word.replace(/./gs, (letter) => equivalents[letter] ?? letter) : word;
}

/**
 * Splits a term into words. A term with hyphens is split in two ways: with its parts as separate words, and with its
 * parts joined to one word. Returns no split for a term that does not consist of words.
 */
function splitIntoWords(term: SearchTerm, language: LanguageCode): SearchTerm[][] {
  const { count, starts, ends, gaps } = wordsOf(term.folded, language);
  const isPhrase =
    count > 0 && count <= maxWords && starts[0] === 0 && ends[count - 1] === term.folded.length;
  if (!isPhrase || gaps.subarray(0, count - 1).includes(apart)) return [];
  if (ends.some((end, at) => end - starts[at]! > maxWordLetters)) return [];
  const parts = Array.from({ length: count }, (_, at) => ({
    ...term,
    cased: term.cased.subarray(starts[at], ends[at]),
    folded: term.folded.subarray(starts[at], ends[at]),
  }));
  if (!gaps.subarray(0, count - 1).includes(hyphenated)) return [parts];
  const joined: SearchTerm[] = [];
  for (const [at, part] of parts.entries()) {
    const before = gaps[at - 1] === hyphenated ? joined.pop() : undefined;
    joined.push(before ? joinParts(before, part) : part);
  }
  return [parts, joined];
}

function joinParts(one: SearchTerm, other: SearchTerm): SearchTerm {
  return {
    ...one,
    cased: Uint16Array.of(...one.cased, ...other.cased),
    folded: Uint16Array.of(...one.folded, ...other.folded),
  };
}

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
const elided = 3;

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
