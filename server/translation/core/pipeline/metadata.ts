import type { MemoryHit } from '#server/language/translation-memory/lookup/exact-match.ts';
import type { TermRow } from '#server/matching/terms/glossary.ts';
import type { ExpectedTerm, TermCompliance } from '#server/matching/terms/index.ts';
import { sentenceProvenance } from '../leverage/leverage.ts';
import { type TermsInText, termGate } from '../leverage/terms.ts';
import type { FastPath } from './fast-path.ts';

/**
 * Limits of the metadata that is stored with each job: entries in a list, UTF-16 units of a list, targets of a term.
 */
const most = { listed: 200, units: 40_000, targets: 20 };

/**
 * The metadata that the pipeline adds to the request: the terms found, whether the translation complies with them, and
 * the provenance of a translation that was served or is made of sentences of the TM. Null if there is nothing to add.
 */
export function writtenMetadata(
  terms: TermsInText | null,
  compliance: TermCompliance | null,
  fastPath: FastPath | null,
  assembledFrom?: readonly MemoryHit[],
): Record<string, unknown> | null {
  const hasTerms = terms !== null && terms.matches.length > 0;
  const entries = entriesOf(terms, fastPath);
  const written = {
    ...(hasTerms && { terminology_matches: matchesOf(terms) }),
    ...(entries.length > 0 && { terminology_entries: entries }),
    ...(compliance && hasTerms && { terminology_gate: termGate(compliance) }),
    ...(fastPath && { provenance: { fast_path: fastPath.name, ...fastPath.provenance } }),
    ...(assembledFrom && { provenance: sentenceProvenance(assembledFrom) }),
  };
  return Object.keys(written).length === 0 ? null : written;
}

function matchesOf({ expected }: TermsInText) {
  return fitting(expected.map(matchView), (match) => [
    match.source_term,
    ...match.target_terms,
    ...(match.forbidden_terms ?? []),
  ]);
}

/** Returns the served term first, even if another term has precedence over it, then the winning term of each match. */
function entriesOf(terms: TermsInText | null, fastPath: FastPath | null) {
  const winners = (terms?.matches ?? []).flatMap(({ entries: [winner] }) =>
    winner.status === 'forbidden' ? [] : winner,
  );
  const entries = new Set([...(fastPath?.entry ? [fastPath.entry] : []), ...winners]);
  return fitting([...entries].map(entryView), (entry) => [
    entry.source_term,
    entry.target_term,
    entry.set_name,
  ]);
}

/**
 * Returns the first entries that fit the limits. A term that does not fit is omitted, not clipped, because a reviewer's
 * text is checked against the term.
 */
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
    ...(term.forbiddenTerms && { forbidden_terms: term.forbiddenTerms.slice(0, most.targets) }),
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
