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
export interface Candidates {
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
