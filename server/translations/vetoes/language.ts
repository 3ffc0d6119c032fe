import type { QualityIssue } from '#server/engines/engine.ts';
import { languageCodes } from '#server/languages.ts';
import { identified, type Scores } from './identification.ts';
import { kinship, primaryLanguage } from './near-languages.ts';
import { scriptsOf } from './script.ts';
import { critical, type TextPair, withoutCode, word } from './text-pair.ts';

/** Scripts that several languages share; in the others the script tells enough. */
const sharedScripts: ReadonlySet<string> = new Set(['Latin', 'Cyrillic', 'Arabic', 'Devanagari']);

/** UTF-16 units of a window: what the identification reads at most, and the words of the source that it is spared. */
const windowLength = 600;
const mostWindows = 16;

/** The share of the letters looked at that is too much in another language to be a quotation. */
const wrongShare = 0.3;

/** Fewer letters tell no language. */
const fewestLetters = 20;

/** Where words of the source are not left out: so few may be a title or a command. */
const mixedWords = 6;
const mixedLetters = 40;

/**
 * An answer in another language than it should be, as far as that is beyond doubt: never between languages that are
 * alike, and the fewer letters, the clearer it has to be. Looked at are windows over the whole of the text.
 */
export function languageIssue(pair: TextPair): QualityIssue | undefined {
  const { target, targetLang, sourceLang } = pair;
  if (!scriptsOf(targetLang).some((script) => sharedScripts.has(script))) return undefined;
  let letters = 0;
  let wrong = 0;
  let example: { text: string; language: string } | undefined;
  for (const text of windows(target)) {
    const words = withoutCode(text).match(word) ?? [];
    if (isTitle(words)) continue;
    const own = words.filter((one) => !pair.sourceWords.has(one.toLowerCase()));
    const verdict =
      lettersIn(own) >= fewestLetters
        ? otherLanguage(own, pair)
        : // Words that the source has as well speak only for its own language, and for English.
          words.length >= mixedWords && lettersIn(words) >= mixedLetters
          ? otherLanguage(words, pair, [primaryLanguage(sourceLang), 'en'])
          : undefined;
    const weight = lettersIn(words);
    letters += weight;
    if (!verdict) continue;
    wrong += weight;
    example ??= { text, language: verdict };
  }
  if (!example || wrong < wrongShare * letters) return undefined;
  return critical(
    'accuracy',
    `The translation is not in its language: ${example.language} was found for ${targetLang}.`,
    example.text,
  );
}

/** Whether nearly all of a few words are capitalised: a name, which stays as it is. */
function isTitle(words: readonly string[]): boolean {
  return words.length < 8 && words.filter((one) => !/^\p{Lu}/u.test(one)).length < 2;
}

function* windows(text: string): Generator<string> {
  const count = Math.ceil(text.length / windowLength);
  const step = count <= mostWindows ? windowLength : (text.length - windowLength) / (mostWindows - 1);
  for (let at = 0; at < Math.min(count, mostWindows); at++) {
    const start = Math.round(at * step);
    yield text.slice(start, start + windowLength);
  }
}

function lettersIn(words: readonly string[]): number {
  return words.reduce((sum, { length }) => sum + length, 0);
}

/** The language that `words` are in, if that is clearly not the target's; `among` narrows what it may be. */
function otherLanguage(
  words: readonly string[],
  { targetLang, sourceLang }: TextPair,
  among?: readonly string[],
): string | undefined {
  const { own, other, otherScore } = compare(identified(words.join(' ').toLowerCase()), targetLang);
  if (other === undefined || (among && !among.includes(other))) return undefined;
  const expected = other === 'en' || kinship(other, sourceLang) === 'same';
  return otherScore - own > marginFor(lettersIn(words), expected) ? other : undefined;
}

/** By how much another language must be likelier: what no true translation of that length came near. */
function marginFor(letters: number, expected: boolean): number {
  if (process.env.M) { const m = process.env.M.split(',').map(Number); return letters<30? m[expected?0:1]!: letters<40?m[expected?2:3]!:letters<60?m[expected?4:5]!:letters<80?m[expected?6:7]!:letters<160?.05:.03; }
  if (letters < 40) return expected ? 0.35 : 0.5;
  if (letters < 80) return expected ? 0.08 : 0.12;
  return letters < 160 ? 0.05 : 0.03;
}

const supported: ReadonlySet<string> = new Set(languageCodes.map(primaryLanguage));

/** How well a text fits the target language or one like it, and which other supported language it fits best. */
function compare(scores: Scores, targetLang: string) {
  let own = 0;
  let other: string | undefined;
  let otherScore = 0;
  for (const [code, score] of Object.entries(scores)) {
    const language = code === 'no' ? 'nb' : code;
    const kin = kinship(language, targetLang);
    if (kin === 'same' || kin === 'confusable') own = Math.max(own, score);
    else if (supported.has(language) && score > otherScore) [other, otherScore] = [language, score];
  }
  return { own, other, otherScore };
}
