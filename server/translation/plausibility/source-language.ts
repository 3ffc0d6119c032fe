import { countCodePoints } from '#server/formats/text.ts';
import { hasForeignLetters, otherLanguageIn, sharedScripts } from './language.ts';
import { scriptIssue, scriptsOf } from './script.ts';
import { textPair, word } from './text-pair.ts';

/** Minimum number of characters: shorter texts are often names, labels or commands. */
const minCharacters = 40;

/**
 * If a larger share of the letters is in another language, that is the language of the whole text and not only of a
 * quotation.
 */
const maxOfIt = 0.6;

/** With larger shares of tokens that are code, or of capitalized words, a text is not prose. */
const maxCode = 0.25;
const maxCapitalized = 0.75;

/** Words that are frequent in English prose and do not exist in any other supported language. */
const englishWords = new Set(
  'the and of with this that which from have has are were will would should your you their they been when what'.split(
    ' ',
  ),
);

/** A text with a larger share of these words is clearly English. */
const englishShare = 0.12;

/**
 * Whether a source text is clearly not in its stated language: it has another script or foreign letters, or most of it
 * looks like another language. Always false for fewer than 40 characters. Distinguishes similar languages no better
 * than `languageIssue`.
 */
export function isInOtherLanguage({
  sourceText,
  sourceLang,
}: {
  sourceText: string;
  sourceLang: string;
}): boolean {
  if (countCodePoints(sourceText.trim()) < minCharacters) return false;
  // Here the text is both source and target, and words of the source are not exempt.
  const texts = { sourceText, targetText: sourceText, sourceLang, targetLang: sourceLang };
  const pair = { ...textPair(texts), sourceWords: new Set<string>() };
  if (!isProse(pair.target)) return false;
  // Most texts are English; for them, the language profiles need not be loaded, which saves memory.
  if (sourceLang === 'en' && isPlainlyEnglish(pair.target)) return false;
  if (scriptIssue(pair)) return true;
  if (pair.branching || !scriptsOf(sourceLang).some((script) => sharedScripts.has(script))) return false;
  if (hasForeignLetters(pair.target, sourceLang)) return true;
  return (otherLanguageIn(pair)?.share ?? 0) > maxOfIt;
}

function isPlainlyEnglish(text: string): boolean {
  const words = text.slice(0, 2000).toLowerCase().match(word) ?? [];
  return (
    words.filter((one) => englishWords.has(one)).length >= englishShare * words.length && words.length > 0
  );
}

/** Matches a token that is code, a number or only signs. */
const noProse = /[{}=<>;_\\|`$]|\w\(|\w[.:]\w|^[^\p{L}]+$/u;

/** In scripts without spaces, one token is a whole sentence. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Whether a text consists of sentences, rather than code, figures or a list of names: few tokens are code, and most
 * words are not capitalized.
 */
function isProse(text: string): boolean {
  const tokens = text.match(/\S+/g) ?? [];
  const words = text.match(word) ?? [];
  const capitalised = words.filter((one) => /^\p{Lu}/u.test(one)).length;
  return (
    tokens.filter((token) => noProse.test(token) && !unspaced.test(token)).length < maxCode * tokens.length &&
    capitalised < maxCapitalized * words.length
  );
}
