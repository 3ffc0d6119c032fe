import { sentencesIn } from '#server/matching/sentences/index.ts';
import { pick, type Random, seededRandom, shuffled } from '../seeded-random.ts';
import { type Corpus, contentWords, opaqueIn, type Word, wordsIn } from './corpus.ts';
import { addressOf, negationOf, unitsOf } from './language-tables.ts';
import type { Pair } from './pairs.ts';

/** A translation with exactly one error. */
export interface Erroneous {
  kind: Kind;
  variant: string;
  pair: Pair;
  wrong: string;
  /** The glossary term that the error breaks. */
  term?: readonly [source: string, target: string];
}

/** Returns the translation with one error; null if the pair has nothing to change. */
type Maker = (pair: Pair, random: Random, corpus: Corpus) => string | null;

export const kinds = [
  'omission',
  'addition',
  'number',
  'negation',
  'sense',
  'term',
  'register',
  'tag',
] as const;
export type Kind = (typeof kinds)[number];

/** The ways to make each kind of error. */
const makers: Readonly<Record<Kind, Readonly<Record<string, Maker>>>> = {
  omission: { sentence: omitSentence, clause: omitClause, words: omitWords },
  addition: { sentence: addSentence, words: addWords },
  number: { digit: changeDigit, swap: swapDigits, separator: changeSeparator, unit: changeUnit },
  negation: { dropped: dropNegation, added: addNegation },
  sense: { word: otherWord },
  term: { replaced: otherTerm },
  register: { address: otherAddress },
  tag: { lost: loseTag, doubled: doubleTag, swapped: swapTags, renamed: renameTag },
};

/** Returns up to `most` erroneous translations of each kind, in equal shares of its variants as far as possible. */
export function makeErrors(corpus: Corpus, most: number, seed: number): Erroneous[] {
  return kinds.flatMap((kind) => {
    const variants = Object.entries(makers[kind]).map(([variant, make], at) => {
      const random = seededRandom(seed + at);
      return shuffled(corpus.pairs, random)
        .values()
        .flatMap((pair): Erroneous[] => {
          const wrong = make(pair, random, corpus);
          if (wrong === null || !isChange(pair.target, wrong)) return [];
          const term = kind === 'term' ? termOf(pair, corpus) : null;
          return [{ kind, variant, pair, wrong, ...(term && { term }) }];
        });
    });
    const made: Erroneous[] = [];
    for (let open = variants; open.length > 0 && made.length < most; )
      open = open.filter((variant) => {
        const { value } = variant.next();
        if (value && made.length < most) made.push(value);
        return value !== undefined;
      });
    return made;
  });
}

/** Whether texts differ by more than spaces and the form of their characters. */
function isChange(before: string, after: string): boolean {
  const plain = (text: string) => text.normalize('NFKC').replace(/[\s.,;:،、。]+/gu, '');
  return /\p{L}/u.test(after) && (plain(before) !== plain(after) || /\d[.,]?\d/.test(before));
}

/** Replaces a part of a text. Of two spaces that meet, one stays. */
function cut(text: string, start: number, end: number, by = ''): string {
  const [before, after] = [text.slice(0, start) + by, text.slice(end)];
  return (/ $|^$/.test(before) ? before + after.replace(/^ +/, '') : before + after).trim();
}

function omitSentence({ target, lang }: Pair, random: Random): string | null {
  const sentences = sentencesIn(target, lang).filter(
    ({ start, end }) => wordCount(target.slice(start, end), lang) >= 3,
  );
  if (sentences.length < 2) return null;
  const { start, end } = pick(sentences, random);
  return cut(target, start, end);
}

/** A clause between two marks, or between a mark and the end of its sentence. */
const clauses = /(?<=\p{L})[,;:،؛、，](?:[^,;:،؛、，.!?。！？؟\n<>{}%]+)(?=[,;:،؛、，.!?。！？؟]|$)/gu;

function omitClause({ target, lang }: Pair, random: Random): string | null {
  const found = [...target.matchAll(clauses)].filter(([clause]) => wordCount(clause, lang) >= 3);
  if (found.length === 0) return null;
  const { index, 0: clause } = pick(found, random);
  return cut(target, index, index + clause.length);
}

/** Returns runs of two or three words with nothing but spaces between them. */
function runsIn(text: string, lang: string): { start: number; end: number }[] {
  const words = wordsIn(text, lang);
  return words.flatMap((word, at) => {
    const last = words[at + (lang === 'ja' ? 3 : 2)];
    const isRun = last && /^[\p{L}\p{M}’' -]+$/u.test(text.slice(word.start, last.end));
    return isRun ? [{ start: word.start, end: last.end }] : [];
  });
}

function omitWords({ target, lang }: Pair, random: Random): string | null {
  const runs = runsIn(target, lang);
  if (runs.length < 4) return null;
  const { start, end } = pick(runs, random);
  return cut(target, start, end);
}

function addSentence({ target, lang }: Pair, random: Random, { prose }: Corpus): string | null {
  const sentences = sentencesIn(target, lang);
  const end = sentences.at(random() < 0.5 ? 0 : -1)?.end;
  if (prose.length === 0 || end === undefined || !/[.!?。！？؟]$/u.test(target.slice(0, end).trim()))
    return null;
  return cut(target, end, end, `${lang === 'ja' ? '' : ' '}${pick(prose, random)} `);
}

function addWords({ target, lang }: Pair, random: Random, { pairs }: Corpus): string | null {
  const other = pick(pairs, random).target;
  const [runs, places] = [runsIn(other, lang), runsIn(target, lang)];
  if (runs.length === 0 || places.length === 0 || other === target) return null;
  const { start, end } = pick(runs, random);
  const place = pick(places, random).start;
  return cut(target, place, place, `${other.slice(start, end)}${lang === 'ja' ? '' : ' '}`);
}

const zeros = [0x30, 0x660, 0x6f0, 0xff10];

function digitOf(digit: string): { zero: number; value: number } {
  const code = digit.codePointAt(0)!;
  const zero = zeros.findLast((one) => one <= code)!;
  return { zero, value: code - zero };
}

function numbersIn({ source, target }: Pair) {
  const opaque = opaqueIn(target);
  return [...target.matchAll(/(?<![\p{L}\d.,-])\p{Nd}+(?:[.,٫٬]\p{Nd}+)*(?![\p{L}\p{Nd}])/gu)].filter(
    ({ index }) => /\d/.test(source) && !opaque.some(({ start, end }) => start <= index && index < end),
  );
}

function changeNumber(pair: Pair, random: Random, change: (number: string) => string | null): string | null {
  const found = numbersIn(pair);
  if (found.length === 0) return null;
  const { index, 0: number } = pick(found, random);
  const other = change(number);
  return other && other !== number ? cut(pair.target, index, index + number.length, other) : null;
}

function changeDigit(pair: Pair, random: Random): string | null {
  return changeNumber(pair, random, (number) => {
    const at = pick([...number.matchAll(/\p{Nd}/gu)], random).index;
    const { zero, value } = digitOf(number[at]!);
    const other = 1 + ((value + Math.floor(random() * 8)) % 9);
    return number.slice(0, at) + String.fromCodePoint(zero + other) + number.slice(at + 1);
  });
}

function swapDigits(pair: Pair, random: Random): string | null {
  return changeNumber(pair, random, (number) => number.replace(/([1-9١-٩])(?!\1)([1-9١-٩])/u, '$2$1'));
}

/** The decimal separator is lost, or the separator of thousands becomes a decimal one. */
function changeSeparator(pair: Pair, random: Random): string | null {
  return changeNumber(pair, random, (number) => {
    const [, whole, mark, rest] = /^(\p{Nd}+)([.,])(\p{Nd}+)$/u.exec(number) ?? [];
    if (!mark) return null;
    return rest!.length === 3 ? `${whole}${mark === '.' ? ',' : '.'}${rest!.slice(0, 2)}` : `${whole}${rest}`;
  });
}

function changeUnit({ target, lang }: Pair, random: Random): string | null {
  const units = unitsOf(lang);
  const found = [
    ...target.matchAll(/(?<=\p{Nd}[\s\u00a0\u202f]?)(?:[\p{L}\p{M}]+(?!\p{Nd})|[%٪](?![\p{L}\p{Nd}$]))/gu),
  ].filter(([unit]) => Object.hasOwn(units, unit));
  if (found.length === 0) return null;
  const { index, 0: unit } = pick(found, random);
  return cut(target, index, index + unit.length, units[unit]!);
}

const negation = /\b(?:not|no|never|cannot|without|none|nothing|\w+n['’]t)\b/i;
/** Words that a translation may express by a negation. */
const negative =
  /\b(?:not|no|never|cannot|without|none|nothing|neither|nor|only|unable|unknown|missing|\w*fail\w*|(?:un|in|im)\w+|\w+less|\w+n['’]t)\b/i;

function dropNegation({ source, target, lang }: Pair): string | null {
  return negation.test(source) ? firstChange(target, negationOf(lang).drop) : null;
}

function addNegation({ source, target, lang }: Pair): string | null {
  const { drop, add } = negationOf(lang);
  return negative.test(source) || firstChange(target, drop) !== null ? null : firstChange(target, add);
}

function firstChange(text: string, rules: readonly (readonly [RegExp, string])[]): string | null {
  for (const [from, to] of rules) if (from.test(text)) return text.replace(from, to);
  return null;
}

/** A word becomes another word of the corpus with the same length, capital and ending, and another beginning. */
function otherWord({ target, lang }: Pair, random: Random, corpus: Corpus): string | null {
  const own = new Set(wordsIn(target, lang).map(({ text }) => text));
  for (const { text, start, end } of shuffled(contentWords(target, lang, corpus), random)) {
    const others = corpus.byShape.get(corpus.shapeOf(text)) ?? [];
    const fit = others.filter((word) => !own.has(word) && word.slice(0, 2) !== text.slice(0, 2));
    if (fit.length > 0) return cut(target, start, end, pick(fit, random));
  }
  return null;
}

function termOf({ source, target, lang }: Pair, { terms }: Corpus): readonly [string, string] | null {
  const [sources, targets] = [wordsIn(source, 'en'), new Set(wordsIn(target, lang).map(({ text }) => text))];
  for (const { text } of sources) {
    const term = terms.get(text);
    if (term !== undefined && targets.has(term)) return [text, term];
  }
  return null;
}

function otherTerm(pair: Pair, random: Random, corpus: Corpus): string | null {
  const term = termOf(pair, corpus);
  if (!term) return null;
  const others = [...corpus.terms.values()].filter(
    (one) => !pair.target.includes(one) && !one.includes(term[1]),
  );
  if (others.length === 0) return null;
  const other = pick(others, random);
  return wordsIn(pair.target, pair.lang)
    .filter(({ text }) => text === term[1])
    .reduceRight((text, { start, end }: Word) => cut(text, start, end, other), pair.target);
}

function otherAddress({ target, lang }: Pair): string | null {
  const changed = addressOf(lang).reduce((text, [from, to]) => text.replace(from, to), target);
  return changed === target ? null : changed;
}

/** Placeholders and markup that the source has too. */
function tagsIn({ source, target }: Pair) {
  return [
    ...target.matchAll(
      /%\([\w-]+\)[sd]|%<\w+>|%(?:\d+\$)?(?:[-+0]?\d*(?:\.\d+)?)?(?:l|ll|h|z)?[sdiufgxc](?!\p{L})|%\d+|[$%]?\{[\w.]*\}|<\/?[a-zA-Z](?!\w*:\/)[^<>]{0,200}>/gu,
    ),
  ].filter(([tag]) => source.includes(tag) && source.split(tag).length === target.split(tag).length);
}

function changeTag(pair: Pair, random: Random, change: (tag: string) => string | null): string | null {
  const found = tagsIn(pair);
  if (found.length === 0) return null;
  const { index, 0: tag } = pick(found, random);
  const other = change(tag);
  return other === null ? null : cut(pair.target, index, index + tag.length, other);
}

function loseTag(pair: Pair, random: Random): string | null {
  return changeTag(pair, random, () => '');
}

function doubleTag(pair: Pair, random: Random): string | null {
  return changeTag(pair, random, (tag) => `${tag} ${tag}`);
}

/** Names in the language of the translation, and other conversions. */
function renameTag(pair: Pair, random: Random): string | null {
  return changeTag(pair, random, (tag) =>
    /^%\d+$/.test(tag)
      ? `%${Number(tag.slice(1)) + 3}`
      : /^%.*s$/.test(tag)
        ? tag.replace(/s$/, 'd')
        : /^%.*[a-z]$/.test(tag)
          ? tag.replace(/[a-z]+$/, 's')
          : /[a-zA-Z]{2,}/.test(tag)
            ? tag.replace(/[a-zA-Z]{2,}/, 'nom')
            : null,
  );
}

/** Two placeholders or tags change places. */
function swapTags(pair: Pair): string | null {
  const [first, second] = tagsIn(pair).filter(({ 0: tag }, at, all) => at === 0 || tag !== all[0]![0]);
  if (!first || !second) return null;
  const { target } = pair;
  const between = target.slice(first.index + first[0].length, second.index);
  return cut(target, first.index, second.index + second[0].length, second[0] + between + first[0]);
}

function wordCount(text: string, lang: string): number {
  return wordsIn(text, lang).length;
}
