import type { ExpectedTerm, TermCompliance } from '#server/matching/terms/index.ts';
import type { TermRow } from '#server/terminology/service.ts';
import type { FastPath } from '../steps/fast-path.ts';
import { type TermsInText, termGate } from './terms.ts';

/** More would be stored and listed with each job. `units` are UTF-16 units of all terms of a list; targets are of one term. */
const most = { listed: 200, units: 40_000, targets: 20 };

/**
 * What the pipeline writes into request.metadata (B 2.6): the terms that it found and used, how the translation keeps them,
 * and where a text was served from. Null where it has nothing to say.
 */
export function writtenMetadata(
  terms: TermsInText | null,
  compliance: TermCompliance | null,
  fastPath: FastPath | null,
): Record<string, unknown> | null {
  const hasTerms = terms !== null && terms.matches.length > 0;
  const entries = entriesOf(terms, fastPath);
  const written = {
    ...(hasTerms && { terminology_matches: matchesOf(terms) }),
    ...(entries.length > 0 && { terminology_entries: entries }),
    ...(compliance && hasTerms && { terminology_gate: termGate(compliance) }),
    ...(fastPath && { provenance: { fast_path: fastPath.name, ...fastPath.provenance } }),
  };
  return Object.keys(written).length === 0 ? null : written;
}

function matchesOf({ expected }: TermsInText) {
  return fitting(expected.map(matchView), (match) => [match.source_term, ...match.target_terms]);
}

/** The entry that was served first: it may be an alternative, or hold a shorter term of higher priority. */
function entriesOf(terms: TermsInText | null, fastPath: FastPath | null) {
  const winners = (terms?.matches ?? []).map(({ entries: [winner] }) => winner);
  const entries = new Set([...(fastPath?.entry ? [fastPath.entry] : []), ...winners]);
  return fitting([...entries].map(entryView), (entry) => [
    entry.source_term,
    entry.target_term,
    entry.set_name,
  ]);
}

/** The first of a list that fit. A term is left out rather than clipped: a reviewer's text is checked against it. */
function fitting<T>(all: readonly T[], textsOf: (one: T) => readonly string[]): T[] {
  const first = all.slice(0, most.listed);
  let units = 0;
  const end = first.findIndex((one) => {
    for (const text of textsOf(one)) units += text.length;
    return units > most.units;
  });
  return end < 0 ? first : first.slice(0, end);
}

function matchView(term: ExpectedTerm) {
  return {
    source_term: term.sourceTerm,
    target_terms: term.targetTerms.slice(0, most.targets),
    case_sensitive: term.caseSensitive,
    count: term.count,
  };
}

function entryView(entry: TermRow) {
  return {
    source_term: entry.sourceTerm,
    target_term: entry.targetTerm,
    case_sensitive: entry.caseSensitive,
    priority: entry.priority,
    set_id: entry.setId,
    set_name: entry.setName,
  };
}
