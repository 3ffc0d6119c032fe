import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { kinship } from './language.ts';
import { weightedLength } from './script.ts';
import { critical, type TextPair } from './text-pair.ts';

/** `running`: a word of ordinary prose. `word`: a capitalized or hyphenated word. `other`: code or a number. */
type TokenKind = 'running' | 'word' | 'other';

const runningWord = /^[("'«„“‘¿¡[]?[\p{Ll}\p{Lo}\p{M}’']{2,40}[.,;:!?)"'»“”’\]।؟،؛۔…]{0,3}$/u;
const anyWord = /^[("'«„“‘¿¡[]?[\p{L}\p{M}’'-]{1,40}[.,;:!?)"'»“”’\]।؟،؛۔…]{0,3}$/u;

/** Splits a text at white space and classifies each token. */
function tokensOf(text: string): string[] {
  return text.match(/\S+/g) ?? [];
}

function kindOf(token: string): TokenKind {
  if (token.length > 45) return 'other';
  if (runningWord.test(token)) return 'running';
  return anyWord.test(token) ? 'word' : 'other';
}

/** Returns the number of letters of `tokens`, including the punctuation around them. */
function lettersOf(tokens: readonly string[]): number {
  return tokens.reduce((sum, { length }) => sum + length, 0);
}

/** The share of running words that a sequence of words must have to be part of a sentence. */
const runningShare = 0.6;

/**
 * Returns the tokens of `to` that also occur in `from` as part of a sequence of `length` words, most of them running
 * words. Ignores letter case.
 */
function copiedTokens(from: readonly string[], to: readonly string[], length: number): string[] {
  const numbers = new Map<string, number>();
  const rows = new Set<number>();
  const hashFrom = rowHash(length);
  from.forEach((token, at) => {
    const text = token.toLowerCase();
    const number = numbers.get(text) ?? numbers.size + 1;
    numbers.set(text, number);
    const row = hashFrom(number);
    if (at >= length - 1) rows.add(row);
  });
  const copied: string[] = [];
  const hashTo = rowHash(length);
  let taken = 0;
  to.forEach((token, at) => {
    const row = hashTo(numbers.get(token.toLowerCase()) ?? 0);
    if (at < length - 1 || !rows.has(row)) return;
    const start = at - length + 1;
    if (!isSentencePart(to.slice(start, at + 1))) return;
    copied.push(...to.slice(Math.max(taken, start), at + 1));
    taken = at + 1;
  });
  return copied;
}

function isSentencePart(tokens: readonly string[]): boolean {
  const kinds = tokens.map(kindOf);
  return (
    !kinds.includes('other') &&
    kinds.filter((kind) => kind === 'running').length >= runningShare * tokens.length
  );
}

/**
 * Returns a rolling hash: a function that accepts one number per call and returns a hash of the last `length` numbers.
 */
function rowHash(length: number): (number: number) => number {
  const last = new Int32Array(length);
  const factor = 0x01000193;
  let leaving = 1;
  for (let power = 0; power < length; power++) leaving = Math.imul(leaving, factor);
  let at = 0;
  let hash = 0;
  return (number) => {
    const mixed = Math.imul(number + 1, 0x9e3779b1);
    hash = (Math.imul(hash, factor) + mixed - Math.imul(last[at]!, leaving)) | 0;
    last[at] = mixed;
    at = (at + 1) % length;
    return hash;
  };
}

/**
 * The number of consecutive running words that count as untranslated if they are equal to the source, by the kinship of
 * the languages.
 */
const wordsInARow = { apart: 5, related: 12, confusable: 20 } as const;

/** The share of the translation, and the number of letters, above which copied text is more than a quotation. */
const copiedShare = 0.25;
const copiedLetters = 60;

/**
 * The lower thresholds for a translation that is equal to the whole source: letters, share of running words, number of
 * running words.
 */
const wholeLetters = 20;
const wholeShare = 0.4;
const wholeWords = { apart: 4, related: 8, confusable: 20 } as const;

/**
 * Returns an issue if the translation repeats the source, completely or in a considerable part. Only running words
 * count, because names, codes, commands, URLs and short labels may be the same in both languages. In related languages,
 * only long sequences count.
 */
export function echoIssue({ source, target, sourceLang, targetLang }: TextPair): QualityIssue | undefined {
  const kin = kinship(sourceLang, targetLang);
  if (kin === 'same') return undefined;
  const from = tokensOf(source);
  const to = tokensOf(target);
  if (isSame(from, to)) {
    const words = to.filter((token) => kindOf(token) === 'running');
    if (
      words.length >= wholeWords[kin] &&
      words.length >= wholeShare * to.length &&
      lettersOf(words) >= wholeLetters
    )
      return critical('accuracy', 'The translation is the source text, untranslated.', target);
  }
  const copied = copiedTokens(from, to, wordsInARow[kin]);
  const letters = lettersOf(copied);
  if (letters < copiedLetters || letters < copiedShare * weightedLength(target)) return undefined;
  const excerpt = copied.slice(0, 40).join(' ');
  return critical('accuracy', 'A considerable part of the source is not translated.', excerpt);
}

function isSame(from: readonly string[], to: readonly string[]): boolean {
  return (
    from.length === to.length && to.every((token, at) => token.toLowerCase() === from[at]!.toLowerCase())
  );
}
