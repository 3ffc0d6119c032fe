import { Automaton, type AutomatonTables, buildAutomaton } from './automaton.ts';
import type { Boundaries } from './boundaries.ts';
import type { FoldedText } from './fold.ts';

/** A string that is searched in a folded text. */
export interface Pattern {
  units: Uint16Array;
  /** Whether letter case matters. */
  cased: boolean;
  /** Whether the pattern matches only text without lower-case letters. */
  capitalsOnly: boolean;
}

/**
 * The matches of patterns in a text, ordered by their ends. Of matches with the same end, those of case-sensitive
 * patterns come first, and then longer ones.
 */
interface Candidates {
  count: number;
  starts: Int32Array;
  ends: Int32Array;
  /** The number of the pattern of each match. */
  patterns: Int32Array;
}

/**
 * The maximum number of terms that are considered at one end position, longest first. In real glossaries, at most two
 * or three terms end at one position, because few terms are suffixes of others. The limit bounds the work for a
 * glossary such as a, aa, aaa, …, for which it would otherwise grow with the text and with the glossary.
 */
const maxPatternsAtPosition = 16;

type FindCandidates = (text: FoldedText, boundaries: Boundaries) => Candidates;

/** Compiled patterns as plain data, which can be passed to another thread. */
export interface PatternTables {
  /** The case-sensitive patterns and all others, each group with the numbers of its patterns and an automaton. */
  groups: { cased: boolean; numbers: Int32Array; automaton: AutomatonTables }[];
  /** For each pattern, the number of its units, and (`capitalsOnly`) 1 if it matches only in capitals. */
  lengths: Int32Array;
  capitalsOnly: Uint8Array;
}

/** @param patterns the patterns; none may be empty, and none may occur twice with the same case rule */
export function tabulatePatterns(patterns: readonly Pattern[]): PatternTables {
  return {
    groups: [true, false].flatMap((cased) => {
      const numbers = [...patterns.keys()].filter((number) => patterns[number]!.cased === cased);
      if (numbers.length === 0) return [];
      const automaton = buildAutomaton(numbers.map((number) => patterns[number]!.units));
      return [{ cased, numbers: Int32Array.from(numbers), automaton }];
    }),
    lengths: Int32Array.from(patterns, ({ units }) => units.length),
    capitalsOnly: Uint8Array.from(patterns, ({ capitalsOnly }) => Number(capitalsOnly)),
  };
}

/** Returns a function that finds the patterns in a text. */
export function openPatterns({ groups, lengths, capitalsOnly }: PatternTables): FindCandidates {
  const opened = groups.map((group) => ({ ...group, automaton: new Automaton(group.automaton) }));
  return (text, boundaries) => {
    const found = new Found();
    const readers = opened.map(({ cased, numbers, automaton }) => {
      const units = cased ? text.cased : text.folded;
      return { units, automaton, numbers, node: 0 };
    });
    for (let index = 0; index < text.length; index++) {
      for (const reader of readers) {
        reader.node = reader.automaton.next(reader.node, reader.units[index]!);
        let at = reader.automaton.longest(reader.node);
        if (at === 0 || !boundaries.mayEnd(index + 1)) continue;
        for (let looked = 0; at !== 0 && looked < maxPatternsAtPosition; looked++) {
          const number = reader.numbers[reader.automaton.pattern(at)]!;
          const start = index + 1 - lengths[number]!;
          const stands =
            boundaries.allows(start, index + 1) &&
            !(capitalsOnly[number] === 1 && hasSmallLetter(text, start, index + 1));
          if (stands) found.add(start, index + 1, number);
          at = reader.automaton.shorter(at);
        }
      }
    }
    return found;
  };
}

function hasSmallLetter({ cased, folded }: FoldedText, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    if (cased[index] !== folded[index]) continue;
    if (/\p{Ll}/u.test(String.fromCharCode(cased[index]!))) return true;
  }
  return false;
}

class Found implements Candidates {
  count = 0;
  starts = new Int32Array(64);
  ends = new Int32Array(64);
  patterns = new Int32Array(64);

  add(start: number, end: number, pattern: number): void {
    if (this.count === this.starts.length) {
      this.starts = doubled(this.starts);
      this.ends = doubled(this.ends);
      this.patterns = doubled(this.patterns);
    }
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.patterns[this.count] = pattern;
    this.count++;
  }
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}

/**
 * Selects candidates that do not overlap. Of overlapping candidates, the one with the best rank is selected. Takes time
 * linear in the number and the lengths of the candidates.
 *
 * @param ranks the rank of each pattern; 0 is the best. Patterns of equal rank must have the same length, and of their
 *   matches the earlier one is selected
 * @param length the length of the text
 * @returns the numbers of the selected candidates, in reading order
 */
export function selectNonOverlapping(candidates: Candidates, ranks: Int32Array, length: number): number[] {
  const { count, starts, ends, patterns } = candidates;
  const last = ranks.reduce((maxKey, rank) => Math.max(maxKey, rank), 0);
  const taken = new OccupiedSpans(length);
  const selected: number[] = [];
  // Candidates are ordered by their ends. For candidates of equal length, this is also the order of their starts.
  for (const candidate of countingSort(inOrder(count), (at) => ranks[patterns[at]!]!, last)) {
    if (!taken.isFree(starts[candidate]!, ends[candidate]!)) continue;
    taken.take(starts[candidate]!, ends[candidate]!);
    selected.push(candidate);
  }
  return selected.sort((one, other) => starts[one]! - starts[other]!);
}

/** The units of a text that are part of a selected match, with one bit for each unit. */
export class OccupiedSpans {
  readonly #taken: Uint32Array;

  /** @param length the length of the text */
  constructor(length: number) {
    this.#taken = new Uint32Array((length >>> 5) + 1);
  }

  isFree(start: number, end: number): boolean {
    for (let group = start >>> 5; 32 * group < end; group++)
      if ((this.#taken[group]! & bits(group, start, end)) !== 0) return false;
    return true;
  }

  /** Whether all units from `start` up to `end` are taken. */
  isFull(start: number, end: number): boolean {
    for (let group = start >>> 5; 32 * group < end; group++) {
      const wanted = bits(group, start, end);
      if ((this.#taken[group]! & wanted) !== wanted) return false;
    }
    return true;
  }

  take(start: number, end: number): void {
    for (let group = start >>> 5; 32 * group < end; group++) this.#taken[group]! |= bits(group, start, end);
  }
}

/** Returns a mask for the group of 32 units with this number. The bits from `start` up to `end` are set. */
function bits(group: number, start: number, end: number): number {
  const from = Math.max(start - 32 * group, 0);
  const to = Math.min(end - 32 * group, 32);
  return (0xffffffff << from) & (0xffffffff >>> (32 - to));
}

/** Sorts the numbers in `order` by their keys, which are from 0 to `most`. The sort is stable and takes linear time. */
export function countingSort(order: Int32Array, keyOf: (number: number) => number, most: number): Int32Array {
  const next = new Int32Array(most + 2);
  for (const number of order) next[keyOf(number) + 1]!++;
  for (let key = 1; key < next.length; key++) next[key]! += next[key - 1]!;
  const sorted = new Int32Array(order.length);
  for (const number of order) {
    const key = keyOf(number);
    sorted[next[key]!] = number;
    next[key]!++;
  }
  return sorted;
}

/** Returns the numbers 0, 1, 2, … up to `count` - 1. */
export function inOrder(count: number): Int32Array {
  const numbers = new Int32Array(count);
  for (let number = 0; number < count; number++) numbers[number] = number;
  return numbers;
}
