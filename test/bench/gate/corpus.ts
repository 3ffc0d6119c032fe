import { sentencesIn } from '#server/matching/sentences/index.ts';
import type { Pair } from './pairs.ts';

/** The pairs of a language, and what errors are made of. */
export interface Corpus {
  lang: string;
  pairs: readonly Pair[];
  /** Sentences of the translations without numbers and markup. */
  prose: readonly string[];
  /** Words of at least four letters that are in few translations, by shape. */
  byShape: ReadonlyMap<string, string[]>;
  shapeOf(word: string): string;
  /** English words, and the words that their translations nearly always have. */
  terms: ReadonlyMap<string, string>;
}

export interface Word {
  text: string;
  start: number;
  end: number;
}

/** Placeholders, markup, links, options, paths and names of variables. */
const opaque =
  /%[^\s%]*|\$?\{[^}]*\}|<[^>]*>|&#?\w+;|\S*[@\\/=$_#|~^]\S*|(?<!\S)-{1,2}\w\S*|`[^`]*`|[“"«„][^”"»“]{1,40}[”"»“]/gu;

export function opaqueIn(text: string): { start: number; end: number }[] {
  return [...text.matchAll(opaque)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
}

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

/** Returns the words of a text that are not part of markup, code or a quotation. */
export function wordsIn(text: string, lang: string): Word[] {
  const found =
    lang === 'ja'
      ? [...segmenter.segment(text)]
          .filter(({ segment }) => /^[\p{L}\p{M}ー]+$/u.test(segment))
          .map(({ segment, index }) => ({ text: segment, start: index, end: index + segment.length }))
      : [...text.matchAll(/\p{L}[\p{L}\p{M}]*(?:[’'-]\p{L}+)*/gu)].map(({ index, 0: word }) => ({
          text: word,
          start: index,
          end: index + word.length,
        }));
  const closed = opaqueIn(text);
  return found.filter(({ start, end }) => !closed.some((one) => one.start < end && start < one.end));
}

/** A content word is in at most this share of the translations. */
const rare = 0.02;

export function corpusOf(lang: string, pairs: readonly Pair[]): Corpus {
  const counts = new Map<string, number>();
  for (const { target } of pairs)
    for (const word of new Set(wordsIn(target, lang).map(({ text }) => text)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  const most = Math.max(3, rare * pairs.length);
  const content = [...counts.keys()].filter(
    (word) => counts.get(word)! > 1 && counts.get(word)! <= most && isContent(word, lang),
  );
  const shapeOf = (word: string) =>
    lang === 'ja'
      ? [...word].map((letter) => (/\p{Script=Han}/u.test(letter) ? 'k' : 'c')).join('')
      : `${word.length} ${word.slice(-2)} ${/^\p{Lu}/u.test(word)}`;
  return {
    lang,
    pairs,
    prose: pairs.flatMap(({ target }) =>
      sentencesIn(target, lang)
        .map(({ start, end }) => target.slice(start, end).trim())
        .filter((text) => text.length < 150 && /^[^\p{N}%{}<>&@/\\_]{15,}[.。]$/u.test(text)),
    ),
    byShape: Map.groupBy(content, shapeOf),
    shapeOf,
    terms: termsOf(pairs, lang, most),
  };
}

/** Words with capitals inside of a sentence are names, except in German. In Japanese, words have two characters or more. */
function isContent(word: string, lang: string): boolean {
  if (lang === 'ja') return /^(?:\p{Script=Han}{2,}|[\p{Script=Katakana}ー]{3,})$/u.test(word);
  return word.length >= 4 && (lang === 'de' ? /^\p{L}\p{Ll}+$/u : /^[\p{Ll}\p{Lo}\p{M}]+$/u).test(word);
}

export function contentWords(text: string, lang: string, { byShape, shapeOf }: Corpus): Word[] {
  return wordsIn(text, lang).filter(
    (word) => isContent(word.text, lang) && (byShape.get(shapeOf(word.text))?.includes(word.text) ?? false),
  );
}

/** The share (Dice) of pairs with both words from which a word counts as the term for another. */
const bound = 0.75;

function termsOf(pairs: readonly Pair[], lang: string, most: number): Map<string, string> {
  const sides = pairs.map(({ source, target }) => [
    new Set(
      wordsIn(source, 'en')
        .map(({ text }) => text)
        .filter((text) => /^[a-z]{4,}$/.test(text)),
    ),
    new Set(
      wordsIn(target, lang)
        .map(({ text }) => text)
        .filter((text) => isContent(text, lang)),
    ),
  ]) as [Set<string>, Set<string>][];
  const [sources, targets, both] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, Map<string, number>>(),
  ];
  const add = (counts: Map<string, number>, word: string) => counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const [from, to] of sides) {
    for (const word of to) add(targets, word);
    for (const word of from) {
      add(sources, word);
      const counts = both.get(word) ?? new Map<string, number>();
      both.set(word, counts);
      for (const other of to) add(counts, other);
    }
  }
  return new Map(
    [...both].flatMap(([word, counts]): [string, string][] => {
      const total = sources.get(word)!;
      if (total < 8 || total > most) return [];
      const dice = (other: string) => (2 * counts.get(other)!) / (total + targets.get(other)!);
      const best = [...counts.keys()].reduce(
        (one, other) => (dice(other) > dice(one) ? other : one),
        [...counts.keys()][0] ?? '',
      );
      return best !== '' && dice(best) >= bound && best.toLowerCase() !== word ? [[word, best]] : [];
    }),
  );
}
