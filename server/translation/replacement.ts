import type { LanguageCode } from '#server/languages.ts';
import { foldText, unitsToString } from '#server/matching/terms/index.ts';

/**
 * Returns the preferred words as they stand in the place of forbidden ones: with a capital if only the translation has
 * one there, such as at the beginning of a sentence.
 * @param found the words of the translation
 * @param term the forbidden words, as they were written down
 * @returns undefined if the translation has another form of the words, which the preferred ones may not fit
 */
export function replacementOf(
  found: string,
  { term, use, language }: { term: string; use: string; language: string },
): string | undefined {
  const [[first = ''], [own = '']] = [found, term];
  const folded = [found, term].map((words) =>
    unitsToString(foldText(words.trim(), language as LanguageCode).folded),
  );
  if (folded[0] !== folded[1]) return undefined;
  const hasCapital = first !== own && /\p{Lu}/u.test(first) && /\p{Ll}/u.test(own);
  return hasCapital ? use.replace(/^./u, (letter) => letter.toLocaleUpperCase(language)) : use;
}
