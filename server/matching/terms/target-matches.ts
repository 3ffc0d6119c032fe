import type { LanguageCode } from '#server/languages.ts';
import { boundariesOf } from './boundaries.ts';
import { foldText, stringToUnits, unitsToString } from './fold.ts';
import { findInflected } from './inflected-matches.ts';
import { countingSort, inOrder, openPatterns, type Pattern, tabulatePatterns } from './patterns.ts';
import type { SearchTerm } from './search-terms.ts';

/**
 * A span of a translation at which target terms match. Matches that are spelled as in the glossary come before
 * inflected ones.
 */
export interface TargetSpan {
  start: number;
  end: number;
  matches: { target: number; asSpelled: boolean }[];
}

/**
 * Finds target terms in a translation, both as they are spelled in the glossary and inflected. Longer spans come first.
 * `written` returns the text of a span as the translation has it.
 */
export function findTargetSpans(
  targets: readonly SearchTerm[],
  given: string,
  language: LanguageCode,
): { length: number; spans: Iterable<TargetSpan>; written: (span: TargetSpan) => string } {
  const text = foldText(given, language);
  const boundaries = boundariesOf(text, given, language, 'target');
  const { patterns, targetOf } = spellings(targets, language);
  const {
    count,
    starts,
    ends,
    patterns: spelled,
  } = openPatterns(tabulatePatterns(patterns))(text, boundaries);
  const inflected = findInflected(targets, text, boundaries, language);

  const startOf = (at: number): number => (at < count ? starts[at]! : inflected[at - count]!.start);
  const endOf = (at: number): number => (at < count ? ends[at]! : inflected[at - count]!.end);
  const matchOf = (at: number) =>
    at < count
      ? { target: targetOf[spelled[at]!]!, asSpelled: true }
      : { target: inflected[at - count]!.term, asSpelled: false };
  const byStart = countingSort(inOrder(count + inflected.length), startOf, text.length);
  const byLength = countingSort(byStart, (at) => text.length - (endOf(at) - startOf(at)), text.length);

  function* spans(): Generator<TargetSpan> {
    let from = 0;
    while (from < byLength.length) {
      const [start, end] = [startOf(byLength[from]!), endOf(byLength[from]!)];
      let to = from;
      while (to < byLength.length && startOf(byLength[to]!) === start && endOf(byLength[to]!) === end) to++;
      yield { start, end, matches: Array.from(byLength.subarray(from, to), matchOf) };
      from = to;
    }
  }
  return {
    length: text.length,
    spans: spans(),
    written: ({ start, end }) => given.slice(text.starts[start], text.ends[end - 1]),
  };
}

/**
 * Returns the spellings to search for. Korean terms are also searched without their spaces, because writers often omit
 * these.
 */
function spellings(
  targets: readonly SearchTerm[],
  language: LanguageCode,
): { patterns: Pattern[]; targetOf: number[] } {
  const patterns: Pattern[] = [];
  const targetOf: number[] = [];
  const taken = new Set<string>();
  const add = (target: number, units: Uint16Array): void => {
    const cased = targets[target]!.caseSensitive;
    const key = `${cased} ${unitsToString(units)}`;
    if (taken.has(key)) return;
    taken.add(key);
    patterns.push({ units, cased, capitalsOnly: false });
    targetOf.push(target);
  };
  const unitsOf = ({ caseSensitive, cased, folded }: SearchTerm) => (caseSensitive ? cased : folded);
  for (const [target, term] of targets.entries()) add(target, unitsOf(term));
  if (language === 'ko')
    for (const [target, term] of targets.entries())
      add(target, stringToUnits(unitsToString(unitsOf(term)).replaceAll(' ', '')));
  return { patterns, targetOf };
}
