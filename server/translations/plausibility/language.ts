import { createRequire } from 'node:module';
import type { QualityIssue } from '#server/engines/engine.ts';
import { languageCodes, languageName } from '#server/languages.ts';
import { kinship, primaryLanguage } from './language-kinship.ts';
import { scriptsOf } from './script.ts';
import { critical, type TextPair, withoutCode, word } from './text-pair.ts';

/** Letters that a language has and its neighbours have not, and letters of these that it never has itself. */
const alphabets: Readonly<Record<string, { own: string; foreign: string }>> = {
  ru: { own: 'ыэёъ', foreign: 'іїєґ' },
  uk: { own: 'іїєґ', foreign: 'ыэёъ' },
  sv: { own: 'äö', foreign: 'æø' },
  da: { own: 'æø', foreign: 'äö' },
  nb: { own: 'æø', foreign: 'äö' },
  fa: { own: '', foreign: 'ٹڈڑںےہ' },
  ar: { own: 'ةىأإ', foreign: 'ٹڈڑںےہژ' },
};

/** How many foreign letters it takes, how many times the own ones, and of how many letters one. */
const telling = { letters: 4, timesOwn: 4, oneIn: 80 } as const;

/**
 * Whether a text that should be in `language` is in a neighbour's alphabet: Russian for Ukrainian, Danish for Swedish,
 * Urdu for Persian. A foreign name or two is not enough.
 */
function hasForeignLetters(text: string, language: string): boolean {
  const alphabet = alphabets[language];
  if (!alphabet) return false;
  const lower = text.toLowerCase();
  const foreign = count(lower, alphabet.foreign);
  return (
    foreign >= telling.letters &&
    foreign > telling.timesOwn * count(lower, alphabet.own) &&
    foreign * telling.oneIn >= (lower.match(/\p{L}/gu)?.length ?? 0)
  );
}

function count(text: string, letters: string): number {
  let found = 0;
  for (let at = 0; at < text.length; at++) if (letters.includes(text[at]!)) found++;
  return found;
}

/** Scripts that several languages share; in the others the script tells enough. */
const sharedScripts: ReadonlySet<string> = new Set(['Latin', 'Cyrillic', 'Arabic', 'Devanagari']);

/** UTF-16 units of a window: what the identification reads at most, and the words of the source that it is spared. */
const windowLength = 600;
const mostWindows = 12;

/** UTF-16 units of a message with branches, its syntax included. */
const shortMessage = 400;

/** The share of the letters looked at that is too much in another language to be a quotation. */
const wrongShare = 0.3;

/** Fewer letters tell no language. */
const fewestLetters = 20;

/** The share of letters in words that the source has not, above which only these words are looked at. */
const mostlyOwn = 0.8;

/** Where words of the source are not left out, fewer may be a title or a command. */
const mixedWords = 6;
const mixedLetters = 40;

/**
 * An answer in another language than it should be, as far as that is beyond doubt: never between languages that are
 * alike, and the fewer letters, the clearer it has to be. Looked at are windows over the whole of the text.
 */
export function languageIssue(pair: TextPair): QualityIssue | undefined {
  const { target, targetLang } = pair;
  // The branches of a short message say the same words over and over.
  if (pair.branching && target.length < shortMessage) return undefined;
  if (!scriptsOf(targetLang).some((script) => sharedScripts.has(script))) return undefined;
  if (hasForeignLetters(target, targetLang))
    return critical(
      'accuracy',
      `The translation has the letters of another language than ${languageName(targetLang)}.`,
      target,
    );
  let letters = 0;
  let wrong = 0;
  let example: { text: string; language: string } | undefined;
  for (const text of windows(target)) {
    const words = withoutCode(text).match(word) ?? [];
    if (isTitle(words)) continue;
    const own = words.filter((one) => !pair.sourceWords.has(one.toLowerCase()));
    const verdict =
      (lettersIn(own) >= fewestLetters ? otherLanguage(own, pair) : undefined) ??
      (lettersIn(own) < mostlyOwn * lettersIn(words) ? sourceLanguage(words, pair) : undefined);
    const weight = lettersIn(words);
    letters += weight;
    if (!verdict) continue;
    wrong += weight;
    example ??= { text, language: verdict };
  }
  if (!example || wrong < wrongShare * letters) return undefined;
  return critical(
    'accuracy',
    `The translation is not in ${languageName(targetLang)}: it reads like ${languageName(example.language)}.`,
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

/**
 * The source's language or English, where `words` are in it: words that the source has as well speak for no other. Names
 * are left out.
 */
function sourceLanguage(words: readonly string[], pair: TextPair): string | undefined {
  const common = words.filter((one) => !/^\p{Lu}/u.test(one));
  if (common.length < mixedWords || lettersIn(common) < mixedLetters) return undefined;
  return otherLanguage(common, pair, [primaryLanguage(pair.sourceLang), 'en']);
}

/** The language that `words` are in, if that is clearly not the target's; `among` narrows what it may be. */
function otherLanguage(
  words: readonly string[],
  { targetLang, sourceLang }: TextPair,
  among?: readonly string[],
): string | undefined {
  const { own, other, otherScore } = compare(identify(words.join(' ').toLowerCase()), targetLang);
  if (other === undefined || (among && !among.includes(other))) return undefined;
  const kind = other === 'en' || kinship(other, sourceLang) === 'same' ? 'expected' : 'other';
  return otherScore - own > marginFor(lettersIn(words), kind) ? other : undefined;
}

/**
 * By how much another language must be likelier, by number of letters: what no true translation of that length came
 * near. English and the source's language are what a model falls into, and need less.
 */
const margins = [
  { below: 30, expected: 0.25, other: 0.5 },
  { below: 40, expected: 0.1, other: 0.2 },
  { below: 80, expected: 0.06, other: 0.07 },
  { below: 160, expected: 0.05, other: 0.05 },
  { below: Infinity, expected: 0.03, other: 0.03 },
] as const;

function marginFor(letters: number, kind: 'expected' | 'other'): number {
  return margins.find(({ below }) => letters < below)![kind];
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

type Scores = Readonly<Record<string, number>>;

let profiles: typeof import('./language-profiles.ts') | undefined;

/** Loads the language profiles on first use. `require` loads an ES module synchronously, which `import()` cannot. */
function identify(text: string): Scores {
  profiles ??= createRequire(import.meta.url)(
    './language-profiles.ts',
  ) as typeof import('./language-profiles.ts');
  return profiles.identify(text);
}
