import { findMarkup } from '#server/translation/integrity/markup.ts';
import { findPlaceholders } from '#server/translation/integrity/placeholders.ts';

/** A word of a text, in UTF-16 units. */
export interface Word {
  text: string;
  start: number;
  end: number;
}

/** The texts whose words a translation may contain although no dictionary has them. */
export interface Allowed {
  source: string;
  /** The translations of the glossary terms in the source. */
  terms: readonly string[];
  /** The language of the text. */
  language: string;
  isHtml: boolean;
}

const wordPattern = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;
/** URLs, addresses, file names, and words with digits or underscores. */
const noWords = /\b\w+:\/\/\S+|\bwww\.\S+|\S+@\S+|[\p{L}\p{M}.]+\.\p{L}{2,4}\b|[@#]\S+|\S*[\d_]\S*/gu;

/**
 * Returns the words of a translation that the dictionary must know: no placeholder, tag, URL, number, abbreviation in
 * capitals, word of a glossary term, or name that the source has, too.
 */
export function wordsToCheck(text: string, { source, terms, language, isHtml }: Allowed): Word[] {
  const { certain, conversions } = findPlaceholders(text, language);
  const skipped = [
    ...[...certain, ...conversions, ...(isHtml ? findMarkup(text).tags : [])].map(({ start, span }) => ({
      start,
      end: start + span.length,
    })),
    ...Array.from(text.matchAll(noWords), ({ index, 0: found }) => ({
      start: index,
      end: index + found.length,
    })),
  ];
  const known = new Set(terms.flatMap((term) => wordsOf(term)).map(({ text: word }) => word.toLowerCase()));
  const names = new Set(wordsOf(source).map((word) => word.text));
  return wordsOf(text).filter(
    ({ text: word, start, end }) =>
      word.length > 1 &&
      word !== word.toUpperCase() &&
      !known.has(word.toLowerCase()) &&
      !(names.has(word) && /\p{Lu}/u.test(word)) &&
      !skipped.some((part) => part.start < end && part.end > start),
  );
}

function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(wordPattern), ({ index, 0: word }) => ({
    text: word,
    start: index,
    end: index + word.length,
  }));
}

/** A word as dictionaries have it. */
export const plainOf = (word: string): string => word.normalize('NFC').replaceAll('’', "'");
