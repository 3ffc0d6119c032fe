// INTERIM (by the lead), so that the service starts: whoever builds compliance deletes this file and its line in index.ts.
import type { GlossaryEntry } from "./gather.ts";
import type { TermMatch } from "./matcher.ts";
export interface ExpectedTerm { sourceTerm: string; targetTerms: readonly [string, ...string[]]; caseSensitive: boolean; count: number }
export interface TermCompliance { passed: boolean; missing_terms: string[]; expected_target_counts: Record<string, number>; observed_target_counts: Record<string, number>; matched_source_terms: string[]; inflected_terms: string[] }
export function expectTerms(matches: readonly TermMatch<GlossaryEntry>[]): ExpectedTerm[] {
  const by = new Map<string, ExpectedTerm>();
  for (const { entries } of matches) {
    const [w] = entries;
    const key = `${w.sourceTerm}\u0000${w.targetTerm}`;
    const known = by.get(key);
    if (known) known.count += 1;
    else by.set(key, { sourceTerm: w.sourceTerm, targetTerms: entries.map((e) => e.targetTerm) as unknown as [string, ...string[]], caseSensitive: w.caseSensitive, count: 1 });
  }
  return [...by.values()];
}
export function checkTerms(expected: readonly ExpectedTerm[], target: string, _lang: string): TermCompliance {
  const text = target.toLowerCase();
  const e: Record<string, number> = {};
  const o: Record<string, number> = {};
  for (const t of expected) {
    e[t.targetTerms[0]] = (e[t.targetTerms[0]] ?? 0) + t.count;
    o[t.targetTerms[0]] = t.targetTerms.reduce((n, term) => n + text.split(term.toLowerCase()).length - 1, 0);
  }
  const missing = Object.keys(e).filter((t) => (o[t] ?? 0) < (e[t] ?? 0));
  return { passed: missing.length === 0, missing_terms: missing, expected_target_counts: e, observed_target_counts: o, matched_source_terms: expected.map((t) => t.sourceTerm), inflected_terms: [] };
}
