import { countCodePoints } from '#server/formats/text.ts';
import { hasForeignLetters, otherLanguageIn, sharedScripts } from './language.ts';
import { scriptIssue, scriptsOf } from './script.ts';
import { textPair, word } from './text-pair.ts';

/** Shorter texts are names, labels and commands too often. */
const fewestCharacters = 40;

/** The share of letters in another language that makes the whole text one in that language, and not one that quotes it. */
const mostOfIt = 0.6;

/** The shares of tokens that are code, and of words that begin with a capital, from which a text is no prose. */
const mostCode = 0.25;
const mostCapitalised = 0.75;

/** Words that English prose is full of and that no other supported language writes. */
const englishWords = new Set(
  'the and of with this that which from have has are were will would should your you their they been when what'.split(
    ' ',
  ),
);

/** The share of these words above which a text is English beyond doubt. */
const englishShare = 0.12;

/**
 * Whether a source text is plainly not in the language that it is said to be in: its script or its letters are others, or most of it reads like
 * another language. Never says so of fewer than 40 characters, and tells similar languages apart no better than `languageIssue`.
 */
export function isInOtherLanguage({
  sourceText,
  sourceLang,
}: {
  sourceText: string;
  sourceLang: string;
}): boolean {
  if (countCodePoints(sourceText.trim()) < fewestCharacters) return false;
  // Compared with itself, but no word of it is known from elsewhere.
  const texts = { sourceText, targetText: sourceText, sourceLang, targetLang: sourceLang };
  const pair = { ...textPair(texts), sourceWords: new Set<string>() };
  if (!isProse(pair.target)) return false;
  // Most texts are English, and stay without the profiles of languages, which take memory.
  if (sourceLang === 'en' && isPlainlyEnglish(pair.target)) return false;
  if (scriptIssue(pair)) return true;
  if (pair.branching || !scriptsOf(sourceLang).some((script) => sharedScripts.has(script))) return false;
  if (hasForeignLetters(pair.target, sourceLang)) return true;
  return (otherLanguageIn(pair)?.share ?? 0) > mostOfIt;
}

function isPlainlyEnglish(text: string): boolean {
  const words = text.slice(0, 2000).toLowerCase().match(word) ?? [];
  return (
    words.filter((one) => englishWords.has(one)).length >= englishShare * words.length && words.length > 0
  );
}

/** A token of code, of a number or of signs alone. */
const noProse = /[{}=<>;_\\|`$]|\w\(|\w[.:]\w|^[^\p{L}]+$/u;

/** Scripts without spaces: a token is a sentence. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Whether a text is sentences, not code, figures or a list of names: few tokens are code, and not most words begin with a capital. */
function isProse(text: string): boolean {
  const tokens = text.match(/\S+/g) ?? [];
  const words = text.match(word) ?? [];
  const capitalised = words.filter((one) => /^\p{Lu}/u.test(one)).length;
  return (
    tokens.filter((token) => noProse.test(token) && !unspaced.test(token)).length <
      mostCode * tokens.length && capitalised < mostCapitalised * words.length
  );
}
