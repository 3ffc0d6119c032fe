import type { QualityIssue } from '#server/engines/engine.ts';
import { weightedLength } from './length-ratio.ts';
import { kinship } from './near-languages.ts';
import { critical, type TextPair } from './text-pair.ts';

/** How many running words in a row must be the source's own before they count as not translated. */
const wordsInARow = { apart: 5, related: 12, confusable: 20 } as const;

/** The share of the answer, and its letters, from which on copied text is more than a quotation. */
const copiedShare = 0.25;
const copiedLetters = 60;

/** An answer that is the source as a whole needs less to be seen as such: letters and running words. */
const wholeLetters = 20;
const wholeWords = { apart: 4, related: 8, confusable: 20 } as const;

/**
 * The source handed back, as a whole or in a considerable part. What is rightly the same in two languages (names, codes,
 * commands, addresses, short labels) does not count: only running words do, and in languages that write many words
 * alike only long runs of them.
 */
export function echoIssue({ source, target, sourceLang, targetLang }: TextPair): QualityIssue | undefined {
  const kin = kinship(sourceLang, targetLang);
  if (kin === 'same') return undefined;
  const from = tokens(source);
  const to = tokens(target);
  if (to.length === from.length && to.every(({ text }, at) => text === from[at]!.text)) {
    const words = to.filter(({ kind }) => kind === 'running');
    if (words.length >= wholeWords[kin] && words.length >= 0.4 * to.length && lettersOf(words) >= wholeLetters)
      return critical('accuracy', 'The translation is the source text, untranslated.', target);
  }
  const copied = copiedTokens(from, to, wordsInARow[kin]);
  const letters = lettersOf(copied);
  if (letters < copiedLetters || letters < copiedShare * weightedLength(target)) return undefined;
  return critical(
    'accuracy',
    'A considerable part of the source is left untranslated.',
    copied
      .slice(0, 40)
      .map(({ text }) => text)
      .join(' '),
  );
}

interface Token {
  /** In lower case. */
  text: string;
  /** `running`: a word as sentences are made of. `word`: what may stand between such words. `other`: code, numbers. */
  kind: 'running' | 'word' | 'other';
}

const runningWord = /^[("'«„“‘¿¡[]?[\p{Ll}\p{Lo}\p{M}’']{2,40}[.,;:!?)"'»“”’\]।؟،؛۔…]{0,3}$/u;
const anyWord = /^[("'«„“‘¿¡[]?[\p{L}\p{M}’'-]{1,40}[.,;:!?)"'»“”’\]।؟،؛۔…]{0,3}$/u;

function tokens(text: string): Token[] {
  return (text.match(/\S+/g) ?? []).map((token) => ({
    text: token.toLowerCase(),
    kind:
      token.length > 45
        ? 'other'
        : runningWord.test(token)
          ? 'running'
          : anyWord.test(token)
            ? 'word'
            : 'other',
  }));
}

function lettersOf(tokens: readonly Token[]): number {
  return tokens.reduce((sum, { text }) => sum + text.length, 0);
}

/** The tokens of `to` that stand in a row of `length` words, most of them running ones, that `from` has as well. */
function copiedTokens(from: readonly Token[], to: readonly Token[], length: number): Token[] {
  const numbers = new Map<string, number>();
  const rows = new Set<number>();
  const hash = rowHash(length);
  from.forEach(({ text }, at) => {
    let number = numbers.get(text);
    if (number === undefined) numbers.set(text, (number = numbers.size + 1));
    const row = hash(number);
    if (at >= length - 1) rows.add(row);
  });
  const copied: Token[] = [];
  const hashTo = rowHash(length);
  let running = 0;
  let others = 0;
  let taken = 0;
  to.forEach(({ text, kind }, at) => {
    const row = hashTo(numbers.get(text) ?? 0);
    running += Number(kind === 'running');
    others += Number(kind === 'other');
    const left = to[at - length];
    running -= Number(left?.kind === 'running');
    others -= Number(left?.kind === 'other');
    if (at < length - 1 || others > 0 || running < 0.6 * length || !rows.has(row)) return;
    copied.push(...to.slice(Math.max(taken, at - length + 1), at + 1));
    taken = at + 1;
  });
  return copied;
}

/** Takes one number after the other and answers a hash of the last `length` of them. */
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
