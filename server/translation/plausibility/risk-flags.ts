import { orders, plainOrders } from './prompt-injection-phrases.ts';
import { countLetters, isInsideWord } from './script.ts';
import { isInOtherLanguage } from './source-language.ts';

/** Tag characters: invisible characters that encode ASCII letters. */
const tags = /[\u{E0020}-\u{E007E}]/gu;

/** Emoji of regional flags, which contain tag characters. */
const flagEmoji = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}/gu;

const nothing =
  /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}]/gu;

/** Full-width, circled and mathematical letters. */
const styled = /[\uFF01-\uFF5E\u24B6-\u24E9\u{1D400}-\u{1D7FF}]+/gu;

/** Cyrillic and Greek letters that look like Latin letters, with the Latin letters. */
const lookAlikes: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['абвеёзіїјклмнорстухуѕԁԛԝһ', 'a6beezïijkлmнopcmyxysdqwh'],
    ['АВЕЅІЈКМНОРСТУХЅ', 'ABESIJKMHOPCTYXS'],
    ['αβεηικνορτυχω', 'abenikvoptuxw'],
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
  ].flatMap(([strange, plain]) => [...strange!].map((one, at) => [one, plain![at]!])),
);

const latin = /\p{Script=Latin}/u;
const strange = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;
const mixedWord = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{2,64}/gu;

/**
 * Returns `text` as a model would read it: without invisible characters, with the letters that tag characters encode,
 * with plain letters in place of full-width and mathematical ones, and, in words that mix alphabets, with Latin letters
 * in place of look-alikes.
 */
function revealed(text: string): string {
  return text
    .replace(flagEmoji, '')
    .replace(tags, (tag) => String.fromCodePoint(tag.codePointAt(0)! - 0xe0000))
    .replace(nothing, '')
    .replace(styled, (letters) => letters.normalize('NFKC'))
    .replace(mixesAlphabets(text) ? mixedWord : never, (word) =>
      latin.test(word) ? word.replace(strange, (one) => lookAlikes[one] ?? one) : word,
    );
}

const never = /(?!)/g;

function mixesAlphabets(text: string): boolean {
  const { Latin, Greek, Cyrillic } = countLetters(text);
  return Latin > 0 && Greek + Cyrillic > 0;
}

/** Whether at least three words mix letters of two alphabets that look alike. This does not happen by accident. */
function hasMixedWords(text: string): boolean {
  if (!mixesAlphabets(text)) return false;
  let words = 0;
  for (const [word] of text.matchAll(mixedWord)) {
    const odd = word.match(strange)?.length ?? 0;
    // A symbol joined to a word (µm, Ωcm, αβ-test) does not count: the look-alikes must be between letters.
    if (odd > 0 && odd < word.length && word.length > 3 && lookAlikesIn(word) === odd && ++words === 3)
      return true;
  }
  return false;
}

function lookAlikesIn(word: string): number {
  return [...word].filter((one) => one in lookAlikes).length;
}

/** The number of zero-width characters that makes a text suspicious. */
const fewSpaces = 3;

/**
 * Whether the text has characters that hide or reorder others: tag characters outside of emoji, direction overrides,
 * runs of variation selectors, or zero-width spaces inside Latin words. Joiners and direction marks that a script needs
 * do not count.
 */
function hasHiddenText(text: string): boolean {
  if (/[\u{E0020}-\u{E007E}]/u.test(text) && /[\u{E0020}-\u{E007E}]/u.test(text.replace(flagEmoji, '')))
    return true;
  if (/[\u202D\u202E]/.test(text)) return true;
  if (/[\uFE00-\uFE0F]{3}|[\u{E0100}-\u{E01EF}]{2}/u.test(text)) return true;
  if (!/[\u200B-\u200D\u2060-\u2064\uFEFF]/.test(text)) return false;
  const inside = text.match(/\p{Script=Latin}[\u200B-\u200D\u2060-\u2064\uFEFF]+(?=\p{Script=Latin})/gu);
  return (inside?.length ?? 0) >= fewSpaces || /[\u200B-\u200D\u2060-\u2064]{8}/.test(text);
}

/** A run of characters that may be base64: longer than words, with a maximum length. */
const run = /[A-Za-z0-9+/_-]{24,8192}={0,2}/g;

const maxRuns = 50;

/**
 * Returns at most 50 readable texts that `text` contains as base64. Keys, hashes and images do not decode to readable
 * text.
 */
function encodedText(text: string): string[] {
  const found: string[] = [];
  let looked = 0;
  for (const [candidate] of text.matchAll(run)) {
    if (looked++ === maxRuns) break;
    // A long word or URL usually lacks digits or capitals: it is not base64.
    if (!/[A-Z]/.test(candidate) || !/[a-z]/.test(candidate)) continue;
    const decoded = Buffer.from(candidate, 'base64').toString('utf8');
    if (isReadable(decoded)) found.push(decoded);
  }
  return found;
}

function isReadable(text: string): boolean {
  const letters = text.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  const strange = text.match(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\r\n\t]|\uFFFD/gu)?.length ?? 0;
  return strange === 0 && letters > 0.6 * text.length && /\s/.test(text);
}

/**
 * The flags that `riskFlags` returns, in this order; then one for other data of a task (`hasInstructions`), and one for a
 * source that could not be checked.
 */
export type RiskFlag =
  | 'instruction_like_source'
  | 'hidden_text'
  | 'mixed_script_words'
  | 'encoded_text'
  | 'other_source_language'
  | 'instruction_like_data'
  | 'unchecked_source';

/**
 * The reasons why a source text is suspicious: instructions to a model (plain, hidden, in look-alike letters or
 * encoded), hidden text, or a language other than the stated one (English by default). A flag is a warning and blocks
 * nothing, unless the workspace demands it, so false positives are acceptable: documentation about models contains the same phrases.
 *
 * Accepts any string; time and memory are linear in its length.
 */
export function riskFlags(source: { sourceText: string; sourceLang: string }): RiskFlag[] {
  const { sourceText } = source;
  const text = revealed(sourceText);
  const encoded = encodedText(text);
  const flags: Record<Exclude<RiskFlag, 'instruction_like_data' | 'unchecked_source'>, boolean> = {
    instruction_like_source: isInstructionLike(text) || encoded.some(isInstructionLike),
    hidden_text: hasHiddenText(sourceText),
    mixed_script_words: hasMixedWords(sourceText),
    encoded_text: encoded.length > 0,
    other_source_language: isInOtherLanguage(source),
  };
  return (Object.keys(flags) as (keyof typeof flags)[]).filter((flag) => flags[flag]);
}

/** Orders that are usual in style guides and notes for translators. */
const usualOrders = /\b(?:do not|don['’]t|never) translate\b/giu;

/** A source, and the other data that a model gets with it. */
export interface RiskyTexts {
  sourceText: string;
  sourceLang: string;
  data: readonly string[];
}

/** Returns the risk flags of a source and of the other data. */
export function allRisks({ data, ...source }: RiskyTexts): RiskFlag[] {
  return [...riskFlags(source), ...(hasInstructions(data) ? (['instruction_like_data'] as const) : [])];
}

/** Whether other data that a model gets with a text, such as a note or an example, looks like instructions to the model. */
function hasInstructions(data: readonly string[]): boolean {
  return data.some((one) => {
    const text = revealed(one);
    return [text, ...encodedText(text)].some((given) => isInstructionLike(given.replace(usualOrders, '')));
  });
}

/** Maximum distance between an instruction's verb and its object, in UTF-16 units. */
const reach = 48;

/** A text with more instruction verbs than this counts as a prompt injection without further checks. */
const maxVerbs = 2000;

/**
 * Whether `text` looks like a prompt injection: it asks a model to ignore its instructions, to play a role, to reply
 * with given words or to give a score, or it imitates part of a prompt.
 */
function isInstructionLike(text: string): boolean {
  const said = text.toLowerCase().replace(/[’ʼ]/g, "'").replace(/\s+/g, ' ');
  let verbs = 0;
  for (const { value: object, start, end } of matches(said)) {
    if (object === undefined || ++verbs > maxVerbs) return true;
    // In the same sentence, the object follows its verb or, as in Japanese, precedes it.
    const after = said.slice(end, end + reach).split(sentenceEnd, 1)[0]!;
    const before = said
      .slice(Math.max(0, start - reach), start)
      .split(sentenceEnd)
      .at(-1)!;
    if (object.test(after) || object.test(before)) return true;
  }
  return false;
}

const sentenceEnd = /[.!?।]\s|[。！？]/;

/** Each verb with the pattern of its object; undefined for phrases that need no object. */
const matches = keyedPatterns<RegExp | undefined>([
  ...plainOrders.map((source) => [source, undefined] as const),
  ...orders.flatMap(({ verbs, objects }) => {
    const object = new RegExp(objects, 'u');
    return verbs.split('|').map((verb) => [verb, object] as const);
  }),
]);

/** A pattern with the value that a match returns. */
interface Keyed<T> {
  pattern: RegExp;
  value: T;
}

/**
 * Finds many patterns in one pass over a text. A pattern is tried only where its first two characters occur; in scripts
 * with spaces, only at the start of a word. So the cost hardly depends on the number of patterns.
 *
 * @param sources regular expressions (flags `uy`) that begin with two plain characters
 */
function keyedPatterns<T>(sources: Iterable<readonly [source: string, value: T]>) {
  const byKey = new Map<number, Keyed<T>[]>();
  for (const [source, value] of sources) {
    const key = keyAt(source.replaceAll('\\', ''), 0);
    byKey.set(key, [...(byKey.get(key) ?? []), { pattern: new RegExp(source, 'uy'), value }]);
  }
  return function* matches(text: string): Generator<{ value: T; start: number; end: number }> {
    for (let at = 0; at + 1 < text.length; at++) {
      const candidates = byKey.get(keyAt(text, at));
      if (!candidates || isInsideWord(text, at)) continue;
      for (const { pattern, value } of candidates) {
        pattern.lastIndex = at;
        if (pattern.test(text)) yield { value, start: at, end: pattern.lastIndex };
      }
    }
  };
}

function keyAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x1_0000 + text.charCodeAt(at + 1);
}
