import { type FoldedText, unitsToString } from './fold.ts';
import type { Inflection } from './forms/index.ts';
import { longestWord, type SoughtWord, type SoughtWords } from './sought-words.ts';
import { hyphenated, type Words } from './words.ts';

/** A form of a sought word that begins at one word of a text and ends before another. */
export interface Form {
  word: number;
  to: number;
}

/** All forms of sought words in a text, by the word of the text where they begin. */
export function findForms(
  sought: SoughtWords,
  inflection: Inflection,
  { cased, folded }: FoldedText,
  words: Words,
): Map<number, Form[]> {
  const forms = new Map<number, Form[]>();
  const units: Units = { letters: alikeUnits(folded, inflection), cased, folded };
  for (let at = 0; at < words.count; at++) {
    let found = formsIn(sought, inflection, units, words.starts[at]!, words.ends[at]!).map((word) => ({
      word,
      to: at + 1,
    }));
    // "Kauf-Vertrag" for "Kaufvertrag", "E-Mail" for "Email": up to three parts in one.
    for (let last = at + 1; last < at + 3 && words.gaps[last - 1] === hyphenated; last++) {
      const joined = join(units, words, at, last);
      const inJoined = formsIn(sought, inflection, joined, 0, joined.letters.length);
      found = [...found, ...inJoined.map((word) => ({ word, to: last + 1 }))];
    }
    if (found.length > 0) forms.set(at, found);
  }
  return forms;
}

/** Units as words are compared: with letters alike in place of their own, with the case as given, and without case. */
interface Units {
  letters: Uint16Array;
  cased: Uint16Array;
  folded: Uint16Array;
}

function alikeUnits(units: Uint16Array, inflection: Inflection): Uint16Array {
  if (inflection.alike === undefined) return units;
  const alike = new Map(
    Object.entries(inflection.alike).map(([from, to]) => [from.charCodeAt(0), to.charCodeAt(0)]),
  );
  return units.map((unit) => alike.get(unit) ?? unit);
}

/** The words `first` to `last`, without what stands between them. */
function join({ letters, cased, folded }: Units, words: Words, first: number, last: number): Units {
  const joined = (units: Uint16Array): Uint16Array => {
    const parts: number[] = [];
    for (let at = first; at <= last; at++) parts.push(...units.subarray(words.starts[at], words.ends[at]));
    return Uint16Array.from(parts);
  };
  return { letters: joined(letters), cased: joined(cased), folded: joined(folded) };
}

/** The sought words that the word from `start` to `end` is a form of. */
function formsIn(
  sought: SoughtWords,
  inflection: Inflection,
  units: Units,
  start: number,
  end: number,
): number[] {
  if (end - start > longestWord) return [];
  const found: number[] = [];
  addForms(found, sought, units, { start, from: start, end, inCompound: false });
  if (inflection.before)
    for (let from = start + 1; from <= start + 5 && from < end; from++)
      if (inflection.before.test(unitsToString(units.letters.subarray(start, from))))
        addForms(found, sought, units, { start, from, end, inCompound: false });
  if (sought.stems.inCompounds)
    for (let from = start + 3; from <= end - 5; from++)
      addForms(found, sought, units, { start, from, end, inCompound: true });
  return found.length > 1 ? [...new Set(found)] : found;
}

/** Those whose stem begins at `from` of the word. */
function addForms(
  found: number[],
  { words, stems: { trie, stems } }: SoughtWords,
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

/** Letters of the stem in the case of the term's, where it is sensitive to case; and the capital letter of a noun. */
function hasCaseOf(
  { capitals, isNoun }: SoughtWord,
  { cased, folded }: Units,
  { start, from, to }: { start: number; from: number; to: number },
): boolean {
  if (isNoun && cased[start] === folded[start]) return false;
  if (capitals === undefined) return true;
  for (let at = from; at < to && at - from < capitals.length; at++)
    if ((cased[at] !== folded[at]) !== capitals[at - from]) return false;
  return true;
}
