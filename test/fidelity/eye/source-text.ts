import { existsSync, readFileSync } from 'node:fs';
import type { Word } from './poppler.ts';
import type { Token } from './tokens.ts';
import { isTurned, type Unit } from './units.ts';
import { keyOf, type WordMap } from './word-map.ts';

/* How the text of a source was read: whether sentences are whole, and whether their characters are right. */

/**
 * The words with which a sentence continues in another segment: each is in lower case at the start of a line, in the
 * style of the line above, and no segment has it after the end of that line.
 */
export function splitSentences(units: readonly Unit[], words: readonly Word[], map: WordMap): Token[] {
  const starts = new Set(words.filter(({ line }, index) => line !== words[index - 1]?.line));
  return units.flatMap(({ tokens }) =>
    tokens.filter((next, index) => {
      const end = tokens[index - 1];
      return (
        end?.isMapped &&
        next.isMapped &&
        end.word.line !== next.word.line &&
        starts.has(next.word) &&
        /^\p{Ll}/u.test(next.word.text) &&
        !/\p{L}[./@]\p{L}/u.test(next.word.text) &&
        /[\p{L}\p{M},-]$/u.test(end.word.text) &&
        !isTurned(next.word) &&
        haveOneStyle(end, next) &&
        !map.areTogether(end.key, next.key)
      );
    }),
  );
}

function haveOneStyle({ word: { font: one } }: Token, { word: { font: other } }: Token): boolean {
  return (
    one !== null &&
    other !== null &&
    one.name === other.name &&
    Math.abs(one.size - other.size) <= 0.02 * one.size
  );
}

/** Words in lower case. */
export type Dictionary = ReadonlySet<string>;

const dictionaries = ['american-english', 'american-english-large', 'american-english-huge'].map(
  (name) => `/usr/share/dict/${name}`,
);

let english: Dictionary | null | undefined;

/** The English words of Debian's wamerican; null if it is not installed, which is printed once. */
export function readDictionary(): Dictionary | null {
  if (english !== undefined) return english;
  const path = dictionaries.find((each) => existsSync(each));
  if (!path) console.warn('wrong characters are not counted: wamerican is not installed');
  english = path ? new Set(readFileSync(path, 'utf8').toLowerCase().split('\n')) : null;
  return english;
}

/** Two or more letters with one glyph. */
const ligatures = ['th', 'ffi', 'ffl', 'fi', 'ff', 'fl', 'ti', 'tt', 'ft'];

/** The word as it would be if one of its letters were a ligature that has this letter, or if a capital were one. */
export function ligatureForms(word: string): string[] {
  return [...word].flatMap((letter, index, letters) => {
    const isOdd = index > 0 && /\p{Lu}/u.test(letter) && /\p{Ll}/u.test(letters[index - 1]!);
    return ligatures
      .filter((ligature) => isOdd || ligature.includes(letter))
      .map((ligature) => {
        // The capital of Th is lost with its ligature.
        const text = index === 0 && ligature === 'th' ? 'Th' : ligature;
        return [...letters.slice(0, index), text, ...letters.slice(index + 1)].join('');
      });
  });
}

/** Shorter words become others by chance. */
const fewestLetters = 4;
/** On a page in English, at least this part of the words is in a dictionary. */
const known = 0.75;

/** Words that are in a dictionary only with a ligature, on a page whose other words are in it. */
export function wrongCharacters(tokens: readonly Token[], dictionary: Dictionary): Token[] {
  const has = (word: string): boolean => dictionary.has(word.toLowerCase());
  const long = tokens.filter(({ key, isMapped }) => isMapped && [...key].length >= fewestLetters);
  const unknown = long.filter(({ key }) => !has(key));
  if (unknown.length > (1 - known) * long.length) return [];
  return unknown.filter(({ key }) => key !== key.toUpperCase() && ligatureForms(keyOf(key)).some(has));
}
