import type { TermCompliance } from '#server/matching/terms/index.ts';
import type { TermRow } from '#server/terminology/service.ts';
import type { FastPath } from '../steps/fast-path.ts';
import type { TermsInText } from './terms.ts';

/** More would be stored and listed with each job. */
const mostListed = 200;

/**
 * What the pipeline writes into request.metadata (B 2.6): the terms that it found and used, how the translation keeps them,
 * and where a text was served from. Null where it has nothing to say.
 */
export function writtenMetadata(
  terms: TermsInText | null,
  compliance: TermCompliance | null,
  fastPath: FastPath | null,
): Record<string, unknown> | null {
  const written = {
    ...(terms && terms.matches.length > 0 && termMetadata(terms)),
    ...(compliance && terms && terms.matches.length > 0 && { terminology_gate: compliance }),
    ...(fastPath && { provenance: { fast_path: fastPath.name, ...fastPath.provenance } }),
  };
  return Object.keys(written).length === 0 ? null : written;
}

function termMetadata({ matches, expected }: TermsInText) {
  const entries = new Set(matches.map(({ entries: [winner] }) => winner));
  return {
    terminology_matches: expected.slice(0, mostListed).map((term) => ({
      source_term: term.sourceTerm,
      target_terms: term.targetTerms,
      case_sensitive: term.caseSensitive,
      count: term.count,
    })),
    terminology_entries: [...entries].slice(0, mostListed).map(entryView),
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
