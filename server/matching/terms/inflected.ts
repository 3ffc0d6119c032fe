import type { LanguageCode } from '#server/languages.ts';
import { buildTrie, type Trie } from './automaton.ts';
import type { Boundaries } from './boundaries.ts';
import { type FoldedTerm, type FoldedText, stringToUnits, unitsToString } from './fold.ts';
import { type Inflection, inflections, type Stem } from './forms/index.ts';
import { hyphenated, apart, type Words, wordsOf } from './words.ts';

/** Where a form of a term stands: units of the text, and the number of the term. */
export interface Occurrence {
  start: number;
  end: number;
  term: number;
}

/** A word of a term and the stems of its forms. */
interface TermWord {
  cased: Uint16Array;
  folded: Uint16Array;
  caseSensitive: boolean;
  capitalised: boolean;
  last: boolean;
}

/** A term as a sequence of words, by their numbers. */
interface Sequence {
  term: number;
  words: number[];
}

export type FindInflected = (text: FoldedText, boundaries: Boundaries) => Occurrence[];

export interface SoughtTerm extends FoldedTerm {
  caseSensitive: boolean;
}
