import type { LanguageCode } from '#server/languages.ts';
import { type Observed, SpanAssignment } from './assignment.ts';
import type { GlossaryEntry } from './cased-terms.ts';
import { foldTerms, unitsToString } from './fold.ts';
import type { TermMatch } from './matcher.ts';
import { OccupiedSpans } from './patterns.ts';
import type { SearchTerm } from './search-terms.ts';
import { findTargetSpans } from './target-matches.ts';

/**
 * A source term that occurs in a text, and the target terms of which the translation should contain as many
 * occurrences.
 */
export interface ExpectedTerm {
  sourceTerm: string;
  /**
   * The target term of the best entry, and then alternatives. An alternative counts as much as the first term. Empty if
   * the glossary only forbids translations of the term.
   */
  targetTerms: readonly string[];
  /** Target terms that the translation must not contain. */
  forbiddenTerms?: readonly string[];
  caseSensitive: boolean;
  count: number;
}

/** A forbidden target term that a translation contains. */
export interface ForbiddenTerm {
  /** The forbidden term, as in the glossary. */
  term: string;
  /** The source term for which it is forbidden, and the target term to use; null if the glossary has none. */
  source_term: string;
  use: string | null;
  /** An occurrence, as the translation has it. */
  found: string;
}

/** The result of checking a translation against a glossary (`terminology_gate`). */
export interface TermCompliance {
  passed: boolean;
  /**
   * The target terms that occur less often in the translation than their source terms occur in the source. Only the
   * first target term of each source term is listed.
   */
  missing_terms: string[];
  /**
   * How often each target term is expected, by the first target term of the source term. Alternatives count for the
   * first target term.
   */
  expected_target_counts: Record<string, number>;
  observed_target_counts: Record<string, number>;
  matched_source_terms: string[];
  /** The target terms that occur only in inflected forms. */
  inflected_terms: string[];
  /** The forbidden target terms in the translation; missing without any. */
  forbidden_terms?: ForbiddenTerm[];
}

/**
 * Converts the matches in a source into expectations. Matches with the same source term, target terms and case rule
 * become one expectation.
 */
export function expectTerms(matches: readonly TermMatch<GlossaryEntry>[]): ExpectedTerm[] {
  // A term may have thousands of alternatives, so its key is built once and not for each match.
  const counts = new Map<TermMatch<GlossaryEntry>['entries'], number>();
  for (const { entries } of matches) counts.set(entries, (counts.get(entries) ?? 0) + 1);
  const expected = new Map<string, ExpectedTerm>();
  for (const [entries, count] of counts) {
    const [winner] = entries;
    const targetsOf = (isForbidden: boolean) =>
      entries.flatMap(({ status, targetTerm }) =>
        (status === 'forbidden') === isForbidden ? [targetTerm] : [],
      );
    const forbiddenTerms = targetsOf(true);
    const term: Omit<ExpectedTerm, 'count'> = {
      sourceTerm: winner.sourceTerm,
      targetTerms: targetsOf(false),
      caseSensitive: winner.caseSensitive,
      ...(forbiddenTerms.length > 0 && { forbiddenTerms }),
    };
    const key = JSON.stringify(term);
    expected.set(key, { ...term, count: count + (expected.get(key)?.count ?? 0) });
  }
  return [...expected.values()];
}

/**
 * Checks whether a translation contains each target term as often as the source contains its source term. A word also
 * counts in its inflected forms, by the rules of docs/terminology.md. Each span of the translation counts for only one
 * term. In the same pass, finds forbidden target terms. Takes time linear in the length of the translation.
 */
export function checkTerms(
  expected: readonly ExpectedTerm[],
  target: string,
  targetLang: LanguageCode,
): TermCompliance {
  const { observed, forbidden } = countTargets(expected, target, targetLang);
  const expectedCounts = new Map<string, number>();
  const observedCounts = new Map<string, number>();
  const missing = new Set<string>();
  const asSpelled = new Map<string, boolean>();
  for (const [number, { targetTerms, count }] of expected.entries()) {
    const [term] = targetTerms;
    if (term === undefined) continue;
    const { count: seen, asSpelled: spelled } = observed[number]!;
    expectedCounts.set(term, (expectedCounts.get(term) ?? 0) + count);
    observedCounts.set(term, (observedCounts.get(term) ?? 0) + seen);
    if (seen < count) missing.add(term);
    if (seen > 0) asSpelled.set(term, spelled || asSpelled.get(term) === true);
  }
  return {
    passed: missing.size === 0 && forbidden.length === 0,
    missing_terms: [...missing],
    expected_target_counts: Object.fromEntries(expectedCounts),
    observed_target_counts: Object.fromEntries(observedCounts),
    matched_source_terms: [...new Set(expected.map(({ sourceTerm }) => sourceTerm))],
    inflected_terms: [...asSpelled].filter(([, spelled]) => !spelled).map(([term]) => term),
    ...(forbidden.length > 0 && { forbidden_terms: forbidden }),
  };
}

/**
 * Counts the target terms for each expectation. Longer spans are counted first, and spans never overlap: the words "net
 * total" are not also a "total". A forbidden term takes no span, and counts unless it is part of a longer target term or
 * equal to one that is spelled at least as exactly.
 */
function countTargets(
  expected: readonly ExpectedTerm[],
  given: string,
  language: LanguageCode,
): { observed: Observed[]; forbidden: ForbiddenTerm[] } {
  const targets = gatherTargets(expected, language);
  const { length, spans, written } = findTargetSpans(targets, given, language);
  const needed = expected.map(({ targetTerms, count }) => ({ count: targetTerms.length === 0 ? 0 : count }));
  const assignment = new SpanAssignment(needed, targets);
  const taken = new OccupiedSpans(length);
  const forbids = targets.some(({ forbids }) => forbids);
  const found = new Map<Target, string>();
  for (const span of spans) {
    const { start, end, matches } = span;
    const permitted = forbids ? matches.filter(({ target }) => targets[target]!.meets.length > 0) : matches;
    if (forbids && !taken.isFull(start, end)) {
      const isSpelled = permitted.some(({ asSpelled }) => asSpelled);
      for (const { target, asSpelled } of matches)
        if (targets[target]!.forbids && !isSpelled && (asSpelled || permitted.length === 0))
          found.set(targets[target]!, found.get(targets[target]!) ?? written(span));
    }
    if (permitted.length === 0 || !taken.isFree(start, end)) continue;
    taken.take(start, end);
    assignment.assign(permitted);
  }
  return {
    observed: assignment.settle(),
    forbidden: [...found].map(([{ forbids }, words]): ForbiddenTerm => {
      const { number, term } = forbids!;
      const { sourceTerm, targetTerms } = expected[number]!;
      return { term, source_term: sourceTerm, use: targetTerms[0] ?? null, found: words };
    }),
  };
}

/**
 * A target term, and the numbers of the expectations that it meets. The expectations for which it is the first target
 * term come first.
 */
interface Target extends SearchTerm {
  meets: number[];
  /** The first expectation for which the term is forbidden. */
  forbids?: { number: number; term: string };
}

function gatherTargets(expected: readonly ExpectedTerm[], language: LanguageCode): Target[] {
  const terms = expected.flatMap(({ targetTerms, forbiddenTerms = [], caseSensitive }, number) =>
    [...targetTerms, ...forbiddenTerms].map((term, rank) => ({
      term,
      caseSensitive,
      number,
      rank,
      alternatives: targetTerms.length,
      isForbidden: rank >= targetTerms.length,
    })),
  );
  // If a term is an alternative for several expectations, the expectations with the fewest alternatives come first.
  terms.sort((one, other) => one.rank - other.rank || one.alternatives - other.alternatives);
  const folded = foldTerms(
    terms.map(({ term }) => term),
    language,
  );
  const targets = new Map<string, Target>();
  for (const [at, { term, caseSensitive, number, isForbidden }] of terms.entries()) {
    const spelled = folded[at]!;
    if (spelled.folded.length === 0) continue;
    const key = `${caseSensitive} ${unitsToString(caseSensitive ? spelled.cased : spelled.folded)}`;
    const target: Target = targets.get(key) ?? { ...spelled, caseSensitive, meets: [] };
    targets.set(key, target);
    if (isForbidden) target.forbids ??= { number, term };
    else target.meets.push(number);
  }
  for (const target of targets.values()) target.isForbidden = target.meets.length === 0;
  return [...targets.values()];
}
