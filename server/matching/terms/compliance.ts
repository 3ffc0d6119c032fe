import type { LanguageCode } from '#server/languages.ts';
import type { GlossaryEntry } from './gather.ts';
import type { TermMatch } from './matcher.ts';
import { countTargets } from './observed.ts';

/** A source term that a text has, and what its translation should have as often. */
export interface ExpectedTerm {
  sourceTerm: string;
  /** The winner's first, then alternatives, which are as good. */
  targetTerms: readonly [string, ...string[]];
  caseSensitive: boolean;
  count: number;
}

/** How a translation keeps to a glossary (B 2.6 `terminology_gate`). */
export interface TermCompliance {
  passed: boolean;
  /** Target terms of winners that the translation has less often than the source has the source term. */
  missing_terms: string[];
  /** By the winner's target term. An alternative counts as the winner. */
  expected_target_counts: Record<string, number>;
  observed_target_counts: Record<string, number>;
  matched_source_terms: string[];
  /** Target terms that were seen, but in no place as the glossary spells them. */
  inflected_terms: string[];
}

/** What the matches in a source ask of its translation: one expectation for each pair of terms. */
export function expectTerms(matches: readonly TermMatch<GlossaryEntry>[]): ExpectedTerm[] {
  const expected = new Map<string, ExpectedTerm>();
  for (const { entries } of matches) {
    const [winner, ...others] = entries;
    const key = JSON.stringify([winner.sourceTerm, winner.targetTerm]);
    const known = expected.get(key);
    if (known) known.count++;
    else
      expected.set(key, {
        sourceTerm: winner.sourceTerm,
        targetTerms: [winner.targetTerm, ...others.map(({ targetTerm }) => targetTerm)],
        caseSensitive: winner.caseSensitive,
        count: 1,
      });
  }
  return [...expected.values()];
}

/**
 * Whether a translation has the target terms as often as the source has theirs. A word counts in its inflected forms, by
 * the rules of docs/terminology.md; each stretch of the translation counts for one term. Time is linear in the
 * translation.
 */
export function checkTerms(
  expected: readonly ExpectedTerm[],
  target: string,
  targetLang: LanguageCode,
): TermCompliance {
  const observed = countTargets(expected, target, targetLang);
  const expectedCounts = new Map<string, number>();
  const observedCounts = new Map<string, number>();
  const missing = new Set<string>();
  const asSpelled = new Map<string, boolean>();
  for (const [number, { targetTerms, count }] of expected.entries()) {
    const [term] = targetTerms;
    const { count: seen, asSpelled: spelled } = observed[number]!;
    expectedCounts.set(term, (expectedCounts.get(term) ?? 0) + count);
    observedCounts.set(term, (observedCounts.get(term) ?? 0) + seen);
    if (seen < count) missing.add(term);
    if (seen > 0) asSpelled.set(term, spelled || asSpelled.get(term) === true);
  }
  return {
    passed: missing.size === 0,
    missing_terms: [...missing],
    expected_target_counts: Object.fromEntries(expectedCounts),
    observed_target_counts: Object.fromEntries(observedCounts),
    matched_source_terms: [...new Set(expected.map(({ sourceTerm }) => sourceTerm))],
    inflected_terms: [...asSpelled].filter(([, spelled]) => !spelled).map(([term]) => term),
  };
}
