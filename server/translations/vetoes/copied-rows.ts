import { kindOf } from './running-words.ts';

/** The share of running words that makes a row of words a part of a sentence. */
const runningShare = 0.6;

/**
 * The tokens of `to` that stand in a row of `length` words, most of them running ones, that `from` has as well. Upper and
 * lower case are the same.
 */
export function copiedTokens(from: readonly string[], to: readonly string[], length: number): string[] {
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
