import { createRequire } from 'node:module';
import { languageCodes, languageName } from '#server/languages.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { scriptsOf } from './script.ts';
import { critical, type TextPair, withoutCode, word } from './text-pair.ts';

/**
 * `own`: letters that a language has and its neighbors do not. `foreign`: letters of the neighbors that the language
 * does not have.
 */
const alphabets: Readonly<Record<string, { own: string; foreign: string }>> = {
  ru: { own: 'ыэёъ', foreign: 'іїєґ' },
  uk: { own: 'іїєґ', foreign: 'ыэёъ' },
  sv: { own: 'äö', foreign: 'æø' },
  da: { own: 'æø', foreign: 'äö' },
  nb: { own: 'æø', foreign: 'äö' },
  fa: { own: '', foreign: 'ٹڈڑںےہ' },
  ar: { own: 'ةىأإ', foreign: 'ٹڈڑںےہژ' },
};

/**
 * Thresholds for foreign letters: their number, how many times the number of own letters, and their share of all
 * letters.
 */
const telling = { letters: 4, timesOwn: 4, oneIn: 80 } as const;

/**
 * Whether a text that should be in `language` uses the alphabet of a neighboring language: Russian for Ukrainian,
 * Danish for Swedish, Urdu for Persian. One or two foreign names do not suffice.
 */
export function hasForeignLetters(text: string, language: string): boolean {
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

/** Scripts that several supported languages use. For all other scripts, `scriptIssue` suffices. */
export const sharedScripts: ReadonlySet<string> = new Set(['Latin', 'Cyrillic', 'Arabic', 'Devanagari']);

/**
 * UTF-16 units of a window: the length that the identification library reads, plus some for source words that are left
 * out.
 */
const windowLength = 600;
const maxWindows = 12;

/** Maximum UTF-16 units of a short message with plural branches, including syntax. */
const shortMessage = 400;

/** The share of letters in another language above which they are more than a quotation. */
const wrongShare = 0.3;

/** Minimum number of letters that identify a language. */
const minLetters = 20;

/** If more than this share of the letters is in words that the source does not have, only those words are checked. */
const mostlyOwn = 0.8;

/** Minimum number of words if source words are checked too: fewer words may be a title or a command. */
const mixedWords = 6;
const mixedLetters = 40;

/**
 * Returns an issue if a translation is clearly in the wrong language. Similar languages are never distinguished. The
 * fewer letters there are, the clearer the result has to be. Checks windows from the whole text.
 */
export function languageIssue(pair: TextPair): QualityIssue | undefined {
  const { target, targetLang } = pair;
  // The branches of a short message repeat the same words.
  if (pair.branching && target.length < shortMessage) return undefined;
  if (!scriptsOf(targetLang).some((script) => sharedScripts.has(script))) return undefined;
  if (hasForeignLetters(target, targetLang))
    return critical(
      'accuracy',
      `The translation has letters of a language other than ${languageName(targetLang)}.`,
      target,
    );
  const found = otherLanguageIn(pair);
  if (!found || found.share < wrongShare) return undefined;
  return critical(
    'accuracy',
    `The translation is not in ${languageName(targetLang)}; it looks like ${languageName(found.language)}.`,
    found.example,
  );
}

/** Returns the share of a text's letters that is in windows clearly not in its language, and the first such window. */
export function otherLanguageIn(
  pair: TextPair,
): { share: number; example: string; language: string } | undefined {
  let letters = 0;
  let wrong = 0;
  let first: { example: string; language: string } | undefined;
  for (const text of windows(pair.target)) {
    const words = withoutCode(text).match(word) ?? [];
    if (isTitle(words)) continue;
    const own = words.filter((one) => !pair.sourceWords.has(one.toLowerCase()));
    const verdict =
      (lettersIn(own) >= minLetters ? otherLanguage(own, pair) : undefined) ??
      (lettersIn(own) < mostlyOwn * lettersIn(words) ? sourceLanguage(words, pair) : undefined);
    const weight = lettersIn(words);
    letters += weight;
    if (!verdict) continue;
    wrong += weight;
    first ??= { example: text, language: verdict };
  }
  return first && { ...first, share: wrong / letters };
}

/** Whether a few words are nearly all capitalized, as in a name, which is not translated. */
function isTitle(words: readonly string[]): boolean {
  return words.length < 8 && words.filter((one) => !/^\p{Lu}/u.test(one)).length < 2;
}

function* windows(text: string): Generator<string> {
  const count = Math.ceil(text.length / windowLength);
  const step = count <= maxWindows ? windowLength : (text.length - windowLength) / (maxWindows - 1);
  for (let at = 0; at < Math.min(count, maxWindows); at++) {
    const start = Math.round(at * step);
    yield text.slice(start, start + windowLength);
  }
}

function lettersIn(words: readonly string[]): number {
  return words.reduce((sum, { length }) => sum + length, 0);
}

/**
 * Returns the source's language or English, if `words` are in it. Words that also occur in the source are no evidence
 * for another language. Names are ignored.
 */
function sourceLanguage(words: readonly string[], pair: TextPair): string | undefined {
  const common = words.filter((one) => !/^\p{Lu}/u.test(one));
  if (common.length < mixedWords || lettersIn(common) < mixedLetters) return undefined;
  return otherLanguage(common, pair, [primaryLanguage(pair.sourceLang), 'en']);
}

/**
 * Returns the language of `words`, if it is clearly not the target language.
 * @param among the possible languages
 */
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
 * The required lead of another language, depending on the number of letters; for real translations of that length, the
 * lead stays well below. English and the source language need a smaller lead, because models tend to return these.
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

/** Returns how well a text fits the target language or a similar one, and which other supported language fits best. */
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

export type Scores = Readonly<Record<string, number>>;

let profiles: typeof import('./language-profiles.ts') | undefined;

/**
 * Loads the language profiles. `identify` does this on first use, but loading blocks the event loop for 0.2 to 0.4 s:
 * a service calls this before it listens. Uses `require`, because `import()` cannot load a module synchronously.
 */
export function loadLanguageProfiles(): NonNullable<typeof profiles> {
  profiles ??= createRequire(import.meta.url)(
    './language-profiles.ts',
  ) as typeof import('./language-profiles.ts');
  return profiles;
}

export function identify(text: string): Scores {
  return loadLanguageProfiles().identify(text);
}

/**
 * Languages so similar that a sentence can be correct in both. ISO 639-1 codes; some are unsupported languages that the
 * identification library returns.
 */
const confusable: readonly (readonly string[])[] = [
  ['da', 'nb'],
  ['ms', 'id', 'tl'],
  ['hi', 'mr', 'ne'],
  ['cs', 'sk'],
  ['es', 'ca'],
  ['fr', 'ca'],
  ['it', 'ca'],
  ['ru', 'bg'],
];

/** Languages whose short sentences often look alike, in addition to the confusable languages. */
const related: readonly (readonly string[])[] = [
  ['es', 'pt'],
  ['es', 'it'],
  ['it', 'pt'],
  ['da', 'nb', 'sv'],
  ['ru', 'uk'],
  ['ar', 'fa', 'ur'],
];

/** The primary subtag of a language code: `pt` for `pt-BR`. */
function primaryLanguage(code: string): string {
  return code.split('-', 1)[0]!;
}

/** Returns how similar two written languages are. */
export function kinship(a: string, b: string): 'same' | 'confusable' | 'related' | 'apart' {
  const [one, other] = [primaryLanguage(a), primaryLanguage(b)];
  const share = (groups: readonly (readonly string[])[]): boolean =>
    groups.some((group) => group.includes(one) && group.includes(other));
  if (one === other) return 'same';
  if (share(confusable)) return 'confusable';
  return share(related) ? 'related' : 'apart';
}
