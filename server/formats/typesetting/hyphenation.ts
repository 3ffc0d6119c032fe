import { createRequire } from 'node:module';

/**
 * The files of the package `hyphen` with the patterns of a language, by its primary code. The patterns of the other
 * languages are left out, because their licenses are not permissive.
 */
const patterns: Partial<Record<string, string>> = {
  da: 'da',
  de: 'de-1996',
  en: 'en-us',
  es: 'es',
  fr: 'fr',
  it: 'it',
  nb: 'nb',
  nl: 'nl',
  pl: 'pl',
  pt: 'pt',
  uk: 'uk',
};

/** The minimum number of letters before and after a hyphen. */
const least = { before: 2, after: 3 };
/** Words that are not a part of an address, a number or a compound with hyphens. */
const words = /(?<![\p{L}\p{M}\p{N}@./_‐-])\p{L}{6,50}(?![\p{L}\p{M}\p{N}@/_‐-]|\.[\p{L}\p{N}])/gu;

const softHyphen = '\u00ad';
const load = createRequire(import.meta.url);

/** Returns the offsets in a text at which its words may be divided; none for a language without patterns. */
export function divisionsOf(text: string, language: string): number[] {
  const file = patterns[language.split('-', 1)[0]!.toLowerCase()];
  if (!file) return [];
  const { hyphenateSync } = load(`hyphen/${file}`) as { hyphenateSync(word: string): string };
  return [...text.matchAll(words)].flatMap(({ 0: word, index }) => {
    // An abbreviation, or a title in capitals.
    if (word === word.toUpperCase()) return [];
    let length = 0;
    return hyphenateSync(word)
      .split(softHyphen)
      .flatMap((part) => {
        const at = length;
        length += part.length;
        return at >= least.before && word.length - at >= least.after ? [index + at] : [];
      });
  });
}
