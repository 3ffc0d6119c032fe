import type { LanguageCode } from '#server/languages.ts';
import { Allotment, type Observed } from './allotment.ts';
import type { ExpectedTerm } from './compliance.ts';
import { foldTerms, unitsToString } from './fold.ts';
import { sightTargets } from './sight.ts';
import type { SoughtTerm } from './sought-words.ts';
import { Stretches } from './stretches.ts';

/** By expectation. Longer stretches are counted first, and none twice: "net total" is no "total". */
export function countTargets(
  expected: readonly ExpectedTerm[],
  given: string,
  language: LanguageCode,
): Observed[] {
  const targets = gatherTargets(expected, language);
  const { length, stretches } = sightTargets(targets, given, language);
  const allotment = new Allotment(expected, targets);
  const taken = new Stretches(length);
  for (const { start, end, sightings } of stretches) {
    if (!taken.isFree(start, end)) continue;
    taken.take(start, end);
    allotment.allot(sightings);
  }
  return allotment.settle();
}

/** A target term and the expectations that it meets, by number: those first of which it is the winner. */
interface Target extends SoughtTerm {
  meets: number[];
}

function gatherTargets(expected: readonly ExpectedTerm[], language: LanguageCode): Target[] {
  const terms = expected.flatMap(({ targetTerms, caseSensitive }, number) =>
    targetTerms.map((term, rank) => ({
      term,
      caseSensitive,
      number,
      rank,
      alternatives: targetTerms.length,
    })),
  );
  // Whoever can be met by fewest terms goes first among those that a term is an alternative for.
  terms.sort((one, other) => one.rank - other.rank || one.alternatives - other.alternatives);
  const folded = foldTerms(
    terms.map(({ term }) => term),
    language,
  );
  const targets = new Map<string, Target>();
  for (const [at, { caseSensitive, number }] of terms.entries()) {
    const spelled = folded[at]!;
    if (spelled.folded.length === 0) continue;
    const key = `${caseSensitive} ${unitsToString(caseSensitive ? spelled.cased : spelled.folded)}`;
    const known = targets.get(key);
    if (known === undefined) targets.set(key, { ...spelled, caseSensitive, meets: [number] });
    else known.meets.push(number);
  }
  return [...targets.values()];
}
