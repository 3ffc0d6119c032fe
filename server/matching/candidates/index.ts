import { isUnspaced, type LanguageCode } from '#server/languages.ts';
import { inflections } from '../inflection/index.ts';
import { generalWords, grammar, hasGeneralWords } from './function-words.ts';

/*
 * Candidates for glossary terms in texts: noun groups that occur often, by their places in sentences and their frequency
 * (C-value of Frantzi, Ananiadou and Mima 2000), and their translations, by what occurs in the translations of the same
 * texts and rarely in others (Dice's coefficient). Pure functions; the time is linear in the texts.
 */

/** A text, with its translation if there is one. */
export interface CandidateText {
  source: string;
  target: string | null;
}

interface TermCandidate {
  /** The most frequent form. */
  term: string;
  /** All forms with their numbers, the most frequent first; at most 10. */
  forms: { form: string; count: number }[];
  count: number;
  /** The positions of texts with the term, in order; at most `maxTexts`. */
  texts: number[];
  /** Proposed translations, the most likely first; at most 3. */
  targets: { target: string; count: number; score: number }[];
  /** Whether the term is a name: it has capital letters also within sentences, and is often not translated. */
  isName: boolean;
}

interface CandidateOptions {
  language: LanguageCode;
  targetLanguage: LanguageCode | null;
  /** The least number of occurrences. */
  minCount: number;
  /** The maximum number of candidates. */
  limit: number;
  /** Terms in lower case that are left out, such as those of glossaries. */
  known?: readonly string[];
}

/** Maximum number of words of a term, and of a proposed translation. */
const maxWords = 4;
const maxTargetWords = 5;

/** Maximum number of texts of a candidate that are kept, and from which translations are proposed. */
const maxTexts = 200;

interface Token {
  text: string;
  lower: string;
  /** Whether the word follows the one before it in the same phrase. */
  joined: boolean;
  /** Whether the word starts a sentence or line. */
  starts: boolean;
  /** Whether a term can begin and end with the word. */
  bounds: boolean;
  /** Its place in the text. */
  start: number;
  end: number;
}

const word = /[\p{L}\p{M}\p{N}]+(?:[-_./+&’'][\p{L}\p{M}\p{N}]+)*\+*/gu;
/** In French and Italian, an article before a vowel is joined to the noun by an apostrophe. */
const elided = /[\p{L}\p{M}\p{N}]+(?:[-_./+&][\p{L}\p{M}\p{N}]+)*\+*[’']?/gu;

const segmenters = new Map<string, Intl.Segmenter>();

function tokensOf(text: string, language: LanguageCode): Token[] {
  const tokens: Token[] = [];
  let end = -1;
  const add = (found: string, at: number, space: RegExp) => {
    const between = end === -1 ? '' : text.slice(end, at);
    const joined = end !== -1 && space.test(between);
    const starts = end === -1 || /[.!?。！？\n:]/.test(between);
    const lower = found.toLowerCase().replace(/[’']$/, '');
    end = at + found.length;
    tokens.push({ text: found, lower, joined, starts, bounds: canBound(lower, language), start: at, end });
  };
  if (isUnspaced(language)) {
    const segmenter = segmenters.get(language) ?? new Intl.Segmenter(language, { granularity: 'word' });
    segmenters.set(language, segmenter);
    for (const { segment, index, isWordLike } of segmenter.segment(text))
      if (isWordLike) add(segment, index, /^$/);
  } else {
    const elides = /^(?:fr|it)/.test(language);
    const space = elides ? /^[ \u00a0\t]?$/ : /^[ \u00a0\t]$/;
    for (const { 0: found, index } of text.matchAll(elides ? elided : word)) add(found, index, space);
  }
  return tokens;
}

interface Group {
  words: string[];
  count: number;
  texts: number[];
  forms: Map<string, number>;
  /** Occurrences after a determiner, before one, and at the end of a noun group. */
  determined: number;
  before: number;
  ending: number;
  /** Occurrences with a capital letter that is not due to the start of a sentence. */
  capitals: number;
  within: number;
}

/** Finds candidates, the best first. */
export function findCandidates({
  texts,
  ...options
}: CandidateOptions & { texts: readonly CandidateText[] }): TermCandidate[] {
  const { language, minCount, limit } = options;
  const known = new Set(options.known);
  const groups = countGroups(texts, language, minCount);
  joinForms(groups, language, minCount);
  const nested = nestedIn(groups);
  const ranked = [...groups]
    .filter(([, group]) => isNoun(group, language) && !isKnown(group, known))
    .map(([key, group]) => {
      const { longer, occurrences, most } = nested.get(key) ?? { longer: 0, occurrences: 0, most: 0 };
      // A group that occurs almost only in one longer term is a part of that term.
      const own = most > 0.8 * group.count ? 0 : group.count - (longer === 0 ? 0 : occurrences / longer);
      return { group, score: Math.log2(group.words.length + 1) * own };
    })
    .filter(({ group, score }) => score >= Math.min(minCount, group.count / 2))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ group }) => group);
  const targets = options.targetLanguage
    ? proposeTargets(texts, ranked, options.targetLanguage)
    : ranked.map(() => []);
  return ranked.map((group, at) => {
    const forms = [...group.forms].sort(([, a], [, b]) => b - a);
    return {
      term: forms[0]?.[0] ?? '',
      forms: forms.slice(0, 10).map(([form, count]) => ({ form, count })),
      count: group.count,
      texts: group.texts,
      targets: targets[at] ?? [],
      isName: isName(group, language),
    };
  });
}

const isKnown = ({ forms }: Group, known: ReadonlySet<string>) =>
  [...forms.keys()].some((form) => known.has(form.toLowerCase()));

const isName = ({ within, capitals }: Group, language: LanguageCode) =>
  inflections[language]?.isNoun === undefined && within > 0 && capitals / within > 0.8;

/**
 * Counts groups of one word, then of two, and so on. A longer group counts only if its beginning is frequent, so that the
 * memory does not grow with all groups of words of a large text.
 */
function countGroups(
  texts: readonly CandidateText[],
  language: LanguageCode,
  minCount: number,
): Map<string, Group> {
  const groups = new Map<string, Group>();
  const read = readTexts(texts, language);
  let frequent: ReadonlySet<string> | undefined;
  for (let words = 1; words <= maxWords; words++) {
    const counts = new Map<string, number>();
    for (const text of read)
      for (let from = 0; from + words <= text.tokens.length; from++) {
        const key = keyAt(text.tokens.slice(from, from + words), language, frequent);
        if (key === undefined) continue;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (text.tokens[from + words - 1]?.bounds)
          countOccurrence(groups, key, text, { from, words, language });
      }
    frequent = new Set([...counts].flatMap(([key, count]) => (count >= minCount ? [key] : [])));
  }
  for (const group of groups.values()) keepCapitals(group);
  return groups;
}

interface ReadText {
  source: string;
  position: number;
  tokens: Token[];
}

/** Reads texts. Titles and remarks that a document repeats are not more important, so they are read once. */
function readTexts(texts: readonly CandidateText[], language: LanguageCode): ReadText[] {
  const seen = new Set<string>();
  return texts.flatMap(({ source }, position) => {
    if (seen.has(source)) return [];
    seen.add(source);
    return { source, position, tokens: tokensOf(source, language) };
  });
}

/** Returns the key of some words; undefined if they are not the beginning of a term. */
function keyAt(
  tokens: readonly Token[],
  language: LanguageCode,
  frequent: ReadonlySet<string> | undefined,
): string | undefined {
  const last = tokens.at(-1) as Token;
  if (!tokens[0]?.bounds || (tokens.length > 1 && !last.joined)) return undefined;
  if (!last.bounds && !grammar(language).inner.has(last.lower)) return undefined;
  const space = isUnspaced(language) ? '' : ' ';
  const beginning = tokens
    .slice(0, -1)
    .map(({ lower }) => lower)
    .join(space);
  if (frequent && !frequent.has(beginning)) return undefined;
  return tokens.length === 1 ? last.lower : beginning + space + last.lower;
}

function countOccurrence(
  groups: Map<string, Group>,
  key: string,
  { source, position, tokens }: ReadText,
  { from, words, language }: { from: number; words: number; language: LanguageCode },
): void {
  const { determiners } = grammar(language);
  const [before, first, last, after] = [from - 1, from, from + words - 1, from + words].map(
    (at) => tokens[at],
  ) as [Token | undefined, Token, Token, Token | undefined];
  const group = groups.get(key) ?? newGroup(tokens.slice(from, from + words));
  groups.set(key, group);
  group.count += 1;
  if (first.joined && before && determiners.has(before.lower)) group.determined += 1;
  if (after?.joined && determiners.has(after.lower)) group.before += 1;
  if (!after?.joined || !after.bounds) group.ending += 1;
  const form = source.slice(first.start, last.end);
  const shown = first.starts ? lowered(form, first.text, language) : form;
  group.forms.set(shown, (group.forms.get(shown) ?? 0) + 1);
  if (!first.starts) {
    group.within += 1;
    if (first.text !== first.lower) group.capitals += 1;
  }
  if (group.texts.at(-1) !== position && group.texts.length < maxTexts) group.texts.push(position);
}

const newGroup = (tokens: readonly Token[]): Group => ({
  words: tokens.map(({ lower }) => lower),
  count: 0,
  texts: [],
  forms: new Map(),
  determined: 0,
  before: 0,
  ending: 0,
  capitals: 0,
  within: 0,
});

/** The form at the start of a sentence without its first capital letter, unless more letters are capital. */
function lowered(form: string, first: string, language: LanguageCode): string {
  const isOrdinary = !inflections[language]?.isNoun && /^\p{Lu}[^\p{Lu}]*$/u.test(first);
  return isOrdinary ? first.toLowerCase() + form.slice(first.length) : form;
}

/** If all other occurrences are capital, those at starts of sentences are, too. */
function keepCapitals({ forms, within, capitals }: Group): void {
  if (within === 0 || capitals < within) return;
  for (const [form, count] of forms) {
    const upper = (form[0] ?? '').toUpperCase() + form.slice(1);
    if (upper === form) continue;
    forms.delete(form);
    forms.set(upper, (forms.get(upper) ?? 0) + count);
  }
}

/** Whether a term can begin and end with a word. */
function canBound(lower: string, language: LanguageCode): boolean {
  const least = isUnspaced(language) ? 1 : 2;
  return (
    lower.length >= least &&
    /\p{L}/u.test(lower) &&
    !/^\p{L}?[.\d]*$/u.test(lower) &&
    !generalWords(language).has(lower)
  );
}

/** Whether the places of a group are those of nouns. In languages without determiners, all groups are. */
function isNoun({ words, count, determined, before, ending }: Group, language: LanguageCode): boolean {
  // An adjective or a part of a longer term is followed by another word of the group.
  if (ending / count < (words.length > 1 ? 0.2 : 0.35) && hasGeneralWords(language)) return false;
  const { determiners } = grammar(language);
  if (determiners.size === 0)
    return words.length > 1 || (words[0] ?? '').length > (isUnspaced(language) ? 1 : 3);
  // A verb is often followed by a determiner: "install the".
  if (before / count > 0.25 && before > determined) return false;
  return words.length > 1 || ((words[0] as string).length > 2 && determined / count > 0.12);
}

/**
 * Joins the forms of a term that differ only in the inflection of the last word, such as a plural, and removes groups that
 * are rarer than `minCount`.
 */
function joinForms(groups: Map<string, Group>, language: LanguageCode, minCount: number): void {
  const buckets = Map.groupBy(groups, ([, { words }]) =>
    [...words.slice(0, -1), (words.at(-1) as string).slice(0, 3)].join(' '),
  );
  groups.clear();
  for (const bucket of buckets.values()) {
    if (bucket.reduce((sum, [, { count }]) => sum + count, 0) < minCount) continue;
    bucket.sort(([a], [b]) => a.length - b.length);
    const joined = new Set<string>();
    const sorted = bucket.map(([, group]) => group).sort((a, b) => (lastOf(a) < lastOf(b) ? -1 : 1));
    for (const [key, group] of bucket) {
      if (joined.has(key)) continue;
      for (const form of formsOf(group, sorted, language)) {
        const other = keyOf(form, language);
        if (joined.has(other)) continue;
        absorb(group, form);
        joined.add(other);
        groups.delete(other);
      }
      if (group.count >= minCount) groups.set(key, group);
    }
  }
}

const lastOf = ({ words }: Group) => words.at(-1) as string;

const keyOf = ({ words }: Group, language: LanguageCode) => words.join(isUnspaced(language) ? '' : ' ');

/** Maximum number of words with the same stem that are looked at. Only hostile texts have more. */
const maxForms = 50;

/** Returns the other groups of a sorted list whose last word is a form of that of a group. */
function formsOf(group: Group, sorted: readonly Group[], language: LanguageCode): Group[] {
  if (sorted.length === 1) return [];
  const last = lastOf(group);
  const context = {
    ...{ inPhrase: group.words.length > 1, last: true },
    ...{ capitalized: language === 'de', isForbidden: true },
  };
  return (inflections[language]?.stems(last, context) ?? []).flatMap(({ stem, endings }) => {
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (lastOf(sorted[middle] as Group) < stem) from = middle + 1;
      else to = middle;
    }
    return sorted.slice(from, from + maxForms).filter((form) => {
      const word = lastOf(form);
      if (form === group || !word.startsWith(stem) || !endings.has(word.slice(stem.length))) return false;
      // In English, these endings make another noun or a verb: "partition" and "partitioning".
      return language !== 'en' || !/(?:ed|ing)$/.test(word) || /(?:ed|ing)$/.test(last);
    });
  });
}

function absorb(
  group: Group,
  { count, texts, forms, determined, before, ending, capitals, within }: Group,
): void {
  group.count += count;
  group.determined += determined;
  group.before += before;
  group.ending += ending;
  group.capitals += capitals;
  group.within += within;
  for (const [form, number] of forms) group.forms.set(form, (group.forms.get(form) ?? 0) + number);
  group.texts = [...new Set([...group.texts, ...texts])].sort((a, b) => a - b).slice(0, maxTexts);
}

interface Nesting {
  /** The number of longer groups, how often they occur, and how often the most frequent one does. */
  longer: number;
  occurrences: number;
  most: number;
}

/** Returns the longer groups in which each group is. */
function nestedIn(groups: ReadonlyMap<string, Group>): Map<string, Nesting> {
  const nested = new Map<string, Nesting>();
  for (const { words, count } of groups.values()) {
    const parts = new Set<string>();
    for (let from = 0; from < words.length; from++)
      for (let to = from + 1; to <= words.length; to++)
        if (to - from < words.length) parts.add(words.slice(from, to).join(' '));
    for (const part of parts) {
      const sum = nested.get(part) ?? { longer: 0, occurrences: 0, most: 0 };
      nested.set(part, {
        longer: sum.longer + 1,
        occurrences: sum.occurrences + count,
        most: Math.max(sum.most, count),
      });
    }
  }
  return nested;
}

/** Proposes translations for each group, from the translations of its texts. */
function proposeTargets(
  texts: readonly CandidateText[],
  groups: readonly Group[],
  language: LanguageCode,
): TermCandidate['targets'][] {
  const grams = new Map<number, Map<string, string>>();
  const gramsAt = (position: number) => {
    const known = grams.get(position);
    if (known) return known;
    const found = targetGrams(texts[position]?.target ?? '', language);
    grams.set(position, found);
    return found;
  };
  const counted = groups.map((group) => {
    const counts = new Map<string, number>();
    let pairs = 0;
    for (const position of group.texts) {
      if (!texts[position]?.target) continue;
      pairs += 1;
      for (const gram of gramsAt(position).keys()) counts.set(gram, (counts.get(gram) ?? 0) + 1);
    }
    const frequent = [...counts].filter(([, count]) => count >= Math.max(2, pairs / 8));
    return { pairs, counts: new Map(frequent.sort(([, a], [, b]) => b - a).slice(0, 300)) };
  });
  const wanted = new Map<string, number>();
  for (const { counts } of counted) for (const gram of counts.keys()) wanted.set(gram, 0);
  const forms = new Map<string, Map<string, number>>();
  texts.forEach(({ target }, position) => {
    if (!target) return;
    for (const [gram, form] of gramsAt(position)) {
      const seen = wanted.get(gram);
      if (seen === undefined) continue;
      wanted.set(gram, seen + 1);
      const of = forms.get(gram) ?? new Map<string, number>();
      forms.set(gram, of.set(form, (of.get(form) ?? 0) + 1));
    }
    grams.delete(position);
  });
  return counted.map(({ pairs, counts }) => {
    const scored = [...counts].map(([gram, count]) => {
      const words = gram.split(' ').length;
      // Of equally likely groups, the longer one is the whole term.
      const score = (2 * count) / (pairs + (wanted.get(gram) ?? 0));
      return { gram, count, score, rank: score + 0.06 * Math.min(words, 3) };
    });
    return scored
      .sort((a, b) => b.rank - a.rank)
      .filter(({ gram }, at, all) => !all.slice(0, at).some((better) => isPart(gram, better.gram)))
      .slice(0, 3)
      .map(({ gram, count, score }) => ({
        target: formOf(forms.get(gram)) ?? gram,
        count,
        score,
      }));
  });
}

const isPart = (gram: string, of: string) =>
  ` ${of} `.includes(` ${gram} `) || ` ${gram} `.includes(` ${of} `);

function formOf(forms: ReadonlyMap<string, number> | undefined): string | undefined {
  return forms && [...forms].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** The groups of words of a translation by their lower case, with their forms. */
function targetGrams(text: string, language: LanguageCode): Map<string, string> {
  const found = new Map<string, string>();
  const tokens = tokensOf(text, language);
  const { inner } = grammar(language);
  for (let from = 0; from < tokens.length; from++) {
    const first = tokens[from] as Token;
    if (!first.bounds) continue;
    let gram = '';
    for (let to = from; to < Math.min(from + maxTargetWords, tokens.length); to++) {
      const token = tokens[to] as Token;
      if (to > from && !token.joined) break;
      gram += (to > from ? ' ' : '') + token.lower;
      if (!token.bounds) {
        if (inner.has(token.lower)) continue;
        break;
      }
      const form = text.slice(first.start, token.end);
      found.set(gram, first.starts ? lowered(form, first.text, language) : form);
    }
  }
  return found;
}
