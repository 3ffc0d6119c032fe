import { readFileSync } from 'node:fs';

const common: ReadonlySet<string> = new Set(
  readFileSync(new URL('./common-words.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.split(' ')),
);

/** Endings of English words, with what the word in the list has instead. */
const endings: readonly [RegExp, string][] = [
  [/(?:'s|s|'|d)$/, ''],
  [/(?:es|ed|ing|er|ers)$/, ''],
  [/(?:ed|ing|er|ers)$/, 'e'],
  [/ie[sdr]$/, 'y'],
  [/(.)\1(?:ed|ing|er|ers)$/, '$1'],
];

/** Whether a word, in any case, is also a usual word that is not a name: “stones” in “Mr. Stones”. */
export function isCommonWord(word: string): boolean {
  const lower = word.toLowerCase();
  return (
    common.has(lower) ||
    endings.some(([ending, stem]) => ending.test(lower) && common.has(lower.replace(ending, stem)))
  );
}
