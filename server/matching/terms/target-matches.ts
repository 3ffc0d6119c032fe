import type { LanguageCode } from '#server/languages.ts';
import { boundariesOf } from './boundaries.ts';
import { foldText, stringToUnits, unitsToString } from './fold.ts';
import { findInflected } from './inflected-matches.ts';
import { countingSort, inOrder } from './overlaps.ts';
import { openPatterns, type Pattern, tabulatePatterns } from './patterns.ts';
import type { SoughtTerm } from './search-terms.ts';

/** Target terms that stand at one place, those first that stand there as they are spelled. */
export interface Stretch {
  start: number;
  end: number;
  sightings: { target: number; asSpelled: boolean }[];
}

/** Where target terms stand in a translation, as they are spelled and inflected; longer stretches first. */
export function sightTargets(
  targets: readonly SoughtTerm[],
  given: string,
  language: LanguageCode,
): { length: number; stretches: Iterable<Stretch> } {
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
  const sightingOf = (at: number) =>
    at < count
      ? { target: targetOf[spelled[at]!]!, asSpelled: true }
      : { target: inflected[at - count]!.term, asSpelled: false };
  const byStart = countingSort(inOrder(count + inflected.length), startOf, text.length);
  const byLength = countingSort(byStart, (at) => text.length - (endOf(at) - startOf(at)), text.length);

  function* stretches(): Generator<Stretch> {
    let from = 0;
    while (from < byLength.length) {
      const [start, end] = [startOf(byLength[from]!), endOf(byLength[from]!)];
      let to = from;
      while (to < byLength.length && startOf(byLength[to]!) === start && endOf(byLength[to]!) === end) to++;
      yield { start, end, sightings: Array.from(byLength.subarray(from, to), sightingOf) };
      from = to;
    }
  }
  return { length: text.length, stretches: stretches() };
}

/** The units that a target term is spelled with: in Korean without its spaces, too, which writers leave out. */
function spellings(
  targets: readonly SoughtTerm[],
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
  const unitsOf = ({ caseSensitive, cased, folded }: SoughtTerm) => (caseSensitive ? cased : folded);
  for (const [target, term] of targets.entries()) add(target, unitsOf(term));
  if (language === 'ko')
    for (const [target, term] of targets.entries())
      add(target, stringToUnits(unitsToString(unitsOf(term)).replaceAll(' ', '')));
  return { patterns, targetOf };
}
