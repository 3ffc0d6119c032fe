import { expect, test } from 'vitest';
import type { TaskStyle } from '#server/platform/engines/engine.ts';
import { forbiddenWords } from '#server/translation/style/forbidden-words.ts';
import { seededRandom } from '#test/bench/seeded-random.ts';

type Word = TaskStyle['forbiddenWords'][number];

// The classes are compiled for each pattern, which takes milliseconds: hence few rounds with long texts.
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const letter = String.raw`(?!${unspaced})[\p{L}\p{M}\p{N}_]`;

/** The rules of docs/style-guides.md with a pattern for each word, which is correct and slow. */
function byPatterns(text: string, words: readonly Word[], language: string) {
  const bounded = (term: string) => {
    const [first, last] = [[...term][0]!, [...term].at(-1)!];
    const spelled = term.split(/\s+/).map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
    const start = new RegExp(letter, 'u').test(first) ? `(?<!${letter})` : '';
    const end = new RegExp(letter, 'u').test(last) && language !== 'ko' ? `(?!${letter})` : '';
    return `${start}${spelled.join(String.raw`\s+`)}${end}`;
  };
  return words
    .flatMap(({ term, use_instead: useInstead }, word) => {
      const flags = /\p{Lu}/u.test(term) ? 'gu' : 'giu';
      // A lookahead, because replacements may overlap.
      const replacements =
        useInstead === null ? [] : [...text.matchAll(new RegExp(`(?=(${bounded(useInstead)}))`, flags))];
      const isAllowed = (start: number, end: number) =>
        replacements.some(({ index, 1: found }) => index <= start && end <= index + found!.length);
      const pattern = new RegExp(bounded(term), flags);
      const found: { start: number; end: number; word: number }[] = [];
      for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
        const [start, end] = [match.index, match.index + match[0].length];
        if (isAllowed(start, end)) pattern.lastIndex = start + [...match[0]][0]!.length;
        else found.push({ start, end, word });
      }
      return found;
    })
    .sort((one, other) => one.start - other.start);
}

/** Few characters, so that words occur, overlap and contain each other. */
const alphabets = [
  'aAb !',
  'ab \n-',
  'aßẞ ſsS',
  'ıiIİ k\u212aK',
  'σΣς ΐ\u1fd3',
  'éE\u0301e_1 ',
  'あア漢aA ',
  'ก\u0e31a ',
  '가나a ',
  '😀\u{10400}\u{10428} \0',
].map((characters) => [...characters]);

test('random words are found in random texts by the rules of docs/style-guides.md', () => {
  const random = seededRandom(15);
  const below = (limit: number) => Math.floor(random() * limit);
  for (let round = 0; round < 50; round++) {
    const alphabet = alphabets[round % alphabets.length]!;
    const string = (length: number) =>
      Array.from({ length }, () => alphabet[below(alphabet.length)]!).join('');
    const term = () => string(1 + below(4)).trim() || 'a';
    const words = Array.from({ length: 1 + below(4) }, () => {
      const word = term();
      return { term: word, use_instead: [null, term(), `${term()} ${word}`, `${word}${term()}`][below(4)]! };
    });
    const text = string(below(400));
    for (const language of ['en', 'ko'])
      expect([...forbiddenWords(text, words, language)], JSON.stringify({ text, words, language })).toEqual(
        byPatterns(text, words, language),
      );
  }
});
