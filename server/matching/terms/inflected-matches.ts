import type { LanguageCode } from '#server/languages.ts';
import { type Inflection, inflections } from '../inflection/index.ts';
import type { Boundaries } from './boundaries.ts';
import { type FoldedText, unitsToString } from './fold.ts';
import {
  apart,
  hyphenated,
  maxWordLetters,
  type SearchTerm,
  type SearchWord,
  type SearchWords,
  type Sequence,
  searchWordsOf,
  spaced,
  type Words,
  wordsOf,
} from './search-terms.ts';

/** An occurrence of a term in any form: its start and end in the units of the text, and the number of the term. */
interface Occurrence {
  start: number;
  end: number;
  term: number;
}

/**
 * Finds terms whose words occur in any of their forms. The words must be in the order of the term and separated by
 * hyphens, spaces or apostrophes. There may be one other word between two of them.
 */
export function findInflected(
  terms: readonly SearchTerm[],
  text: FoldedText,
  boundaries: Boundaries,
  language: LanguageCode,
): Occurrence[] {
  const inflection = inflections[language];
  if (inflection === undefined) return [];
  const search = searchWordsOf(terms, inflection, language);
  const words = wordsOf(text.folded, language);
  const forms = findForms(search, inflection, text, words);

  const byFirst = new Map<number, Sequence[]>();
  for (const sequence of search.sequences) {
    const first = sequence.words[0]!;
    const known = byFirst.get(first);
    if (known) known.push(sequence);
    else byFirst.set(first, [sequence]);
  }
  const found: Occurrence[] = [];
  const steps = { left: 40 * words.count + 100_000 };
  for (const [at, begun] of forms) {
    for (const { word, to } of begun) {
      for (const { term, words: rest } of byFirst.get(word) ?? []) {
        const after = follow(rest, 1, to, forms, words, steps);
        if (after === undefined) continue;
        const occurrence = { start: words.starts[at]!, end: words.ends[after - 1]!, term };
        if (boundaries.allows(occurrence.start, occurrence.end)) found.push(occurrence);
      }
    }
  }
  return found;
}

/**
 * Matches the words of a sequence from the index `next` on with the words of the text from the index `at` on. Returns
 * the index of the word of the text after the match; undefined if they do not match. The number of steps is limited,
 * because repetitive glossaries and texts could take very long. At the limit, phrases match only if they are spelled as
 * in the glossary.
 */
function follow(
  sequence: readonly number[],
  next: number,
  at: number,
  forms: ReadonlyMap<number, readonly Form[]>,
  words: Words,
  steps: { left: number },
): number | undefined {
  if (next === sequence.length) return at;
  if (words.gaps[at - 1] === apart || steps.left-- <= 0) return undefined;
  const continueAt = (begin: number): number | undefined => {
    for (const { word, to } of forms.get(begin) ?? []) {
      if (word !== sequence[next]) continue;
      const end = follow(sequence, next + 1, to, forms, words, steps);
      if (end !== undefined) return end;
    }
    return undefined;
  };
  const end = continueAt(at);
  if (end !== undefined) return end;
  const mayInsert = words.gaps[at - 1] === spaced && words.gaps[at] === spaced;
  return mayInsert ? continueAt(at + 1) : undefined;
}

/**
 * A form of a search word in a text: the number of the search word, and the index of the word of the text after the
 * form.
 */
interface Form {
  word: number;
  to: number;
}

/** Returns the forms of search words in a text, by the index of the word of the text at which they start. */
function findForms(
  search: SearchWords,
  inflection: Inflection,
  { cased, folded }: FoldedText,
  words: Words,
): Map<number, Form[]> {
  const forms = new Map<number, Form[]>();
  const units: Units = { letters: replaceEquivalents(folded, inflection), cased, folded };
  for (let at = 0; at < words.count; at++) {
    let found = formsIn(search, inflection, units, words.starts[at]!, words.ends[at]!).map((word) => ({
      word,
      to: at + 1,
    }));
    // A search word may be written as up to three parts with hyphens: "Kauf-Vertrag" for "Kaufvertrag", "E-Mail" for
    // "Email".
    for (let last = at + 1; last < at + 3 && words.gaps[last - 1] === hyphenated; last++) {
      const joined = join(units, words, at, last);
      const inJoined = formsIn(search, inflection, joined, 0, joined.letters.length);
      found = [...found, ...inJoined.map((word) => ({ word, to: last + 1 }))];
    }
    if (found.length > 0) forms.set(at, found);
  }
  return forms;
}

/**
 * The units of a text in three variants: `letters` with equivalent letters replaced, `cased` with letter case, and
 * `folded` without letter case.
 */
interface Units {
  letters: Uint16Array;
  cased: Uint16Array;
  folded: Uint16Array;
}

function replaceEquivalents(units: Uint16Array, inflection: Inflection): Uint16Array {
  if (inflection.equivalents === undefined) return units;
  const equivalents = new Map(
    Object.entries(inflection.equivalents).map(([from, to]) => [from.charCodeAt(0), to.charCodeAt(0)]),
  );
  return units.map((unit) => equivalents.get(unit) ?? unit);
}

/** Returns the words from `first` to `last` as one word, without separators. */
function join({ letters, cased, folded }: Units, words: Words, first: number, last: number): Units {
  const joined = (units: Uint16Array): Uint16Array => {
    const parts: number[] = [];
    for (let at = first; at <= last; at++) parts.push(...units.subarray(words.starts[at], words.ends[at]));
    return Uint16Array.from(parts);
  };
  return { letters: joined(letters), cased: joined(cased), folded: joined(folded) };
}

/** Returns the numbers of the search words of which the word from `start` to `end` is a form. */
function formsIn(
  search: SearchWords,
  inflection: Inflection,
  units: Units,
  start: number,
  end: number,
): number[] {
  if (end - start > maxWordLetters) return [];
  const found: number[] = [];
  addForms(found, search, units, { start, from: start, end, inCompound: false });
  if (inflection.before)
    for (let from = start + 1; from <= start + 5 && from < end; from++)
      if (inflection.before.test(unitsToString(units.letters.subarray(start, from))))
        addForms(found, search, units, { start, from, end, inCompound: false });
  if (search.stems.inCompounds)
    for (let from = start + 3; from <= end - 4; from++)
      addForms(found, search, units, { start, from, end, inCompound: true });
  return found.length > 1 ? [...new Set(found)] : found;
}

/** Adds the numbers of the search words whose stem starts at `from`. */
function addForms(
  found: number[],
  { words, stems: { trie, stems } }: SearchWords,
  units: Units,
  { start, from, end, inCompound }: { start: number; from: number; end: number; inCompound: boolean },
): void {
  const { letters } = units;
  let node = 0;
  for (let at = from; at < end; at++) {
    node = trie.child(node, letters[at]!);
    if (node === 0) return;
    const pattern = trie.terminal[node]!;
    if (pattern === 0) continue;
    const ending = unitsToString(letters.subarray(at + 1, end));
    for (const { word, endings, after } of stems[pattern - 1]!) {
      if (inCompound && !after?.(unitsToString(letters.subarray(start, from)))) continue;
      if (endings.has(ending) && hasCaseOf(words[word]!, units, { start, from, to: at + 1 }))
        found.push(word);
    }
  }
}

/**
 * Whether the stem has the required letter case: that of the term if the term is case-sensitive, and a capital letter
 * if it is a noun.
 */
function hasCaseOf(
  { capitals, isNoun }: SearchWord,
  { cased, folded }: Units,
  { start, from, to }: { start: number; from: number; to: number },
): boolean {
  if (isNoun && cased[start] === folded[start]) return false;
  if (capitals === undefined) return true;
  for (let at = from; at < to && at - from < capitals.length; at++)
    if ((cased[at] !== folded[at]) !== capitals[at - from]) return false;
  return true;
}
