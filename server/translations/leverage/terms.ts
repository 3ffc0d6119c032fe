import type { QualityIssue, Translations } from '#server/engines/engine.ts';
import type { LanguageCode } from '#server/languages.ts';
import {
  type ExpectedTerm,
  expectTerms,
  type TermCompliance,
  type TermMatch,
} from '#server/matching/terms/index.ts';
import type { Glossary, TermRow } from '#server/terminology/service.ts';
import { clip } from '../intake/check-request.ts';
import type { SourceText } from '../pipeline/source-text.ts';

/** The glossary terms of a text, and what they ask of its translation. */
export interface TermsInText {
  matches: readonly TermMatch<TermRow>[];
  expected: readonly ExpectedTerm[];
  /** Entries that are the text as a whole, best first. */
  whole: readonly TermRow[];
  check(translation: Translations): Promise<TermCompliance>;
}

/**
 * Finds a text's terms; null without a glossary for its pair.
 * @param plain the text as it was given, where it has no markup: it may be a term as a whole
 */
export async function findTerms(
  { task, blocks }: Pick<SourceText, 'task' | 'blocks'>,
  glossary: Glossary | null,
  plain: string | null = null,
  signal?: AbortSignal,
): Promise<TermsInText | null> {
  const found = await glossary?.find(readable(task.segments, blocks), plain, signal);
  if (!glossary || !found) return null;
  const expected = expectTerms(found.matches);
  return {
    ...found,
    expected,
    check: (translation) => {
      const language = task.targetLang as LanguageCode;
      return glossary.check({ expected, translation: readable(translation, blocks), language }, signal);
    },
  };
}

/** A text as it is read: the pieces of one block on a line. Any run of spaces is as good as one inside of a term. */
function readable(segments: readonly string[], blocks: readonly (readonly number[])[]): string {
  if (segments.length === 1) return segments[0] as string;
  return blocks.map((block) => block.map((index) => segments[index] ?? '').join(' ')).join('\n');
}

/** A hostile glossary may have thousands of terms of 500 characters in a short text; a repair needs no more than these. */
const most = { issues: 100, named: 200 };

/** UTF-16 units: of an issue's sentences, and of a term where it is stored as a name. */
const longest = { sentence: 600, name: 200 };

/**
 * What a translation that misses terms has to mend, 100 issues at most. No issue is critical: the gate has a trigger of its
 * own for it.
 */
export function termIssues(compliance: TermCompliance): QualityIssue[] {
  const { missing_terms, expected_target_counts, observed_target_counts } = compliance;
  const told = missing_terms.slice(0, missing_terms.length > most.issues ? most.issues - 1 : most.issues);
  const issues = told.map((term) =>
    issueOf(
      `the glossary's term “${term}” is expected ${expected_target_counts[term]} times and found ${observed_target_counts[term] ?? 0} times`,
      `use “${term}”`,
    ),
  );
  const others = missing_terms.length - told.length;
  return others > 0
    ? [...issues, issueOf(`${others} more of the glossary's terms are missing`, null)]
    : issues;
}

function issueOf(explanation: string, suggestion: string | null): QualityIssue {
  return {
    severity: 'major',
    category: 'terminology',
    span: null,
    explanation: clip(explanation, longest.sentence),
    suggestion: suggestion && clip(suggestion, longest.sentence),
  };
}

/** B 2.6 `terminology_gate` as it is stored and answered. */
export interface TermGate extends TermCompliance {
  /** Target terms that are expected, named or not. */
  terms_total: number;
  /** Those of them that are missing, named or not. */
  missing_total: number;
}

/**
 * A translation's compliance as it is stored: 200 terms are named at most, missing ones first, each by how it begins. `passed`
 * and the totals are of all.
 */
export function termGate(compliance: TermCompliance): TermGate {
  const { passed, missing_terms, expected_target_counts, observed_target_counts } = compliance;
  const targets = Object.keys(expected_target_counts);
  const named = [...new Set([...missing_terms, ...targets])].slice(0, most.named);
  return {
    passed,
    missing_terms: namesOf(missing_terms),
    expected_target_counts: countsOf(named, expected_target_counts),
    observed_target_counts: countsOf(named, observed_target_counts),
    matched_source_terms: namesOf(compliance.matched_source_terms),
    inflected_terms: namesOf(compliance.inflected_terms),
    terms_total: targets.length,
    missing_total: missing_terms.length,
  };
}

function namesOf(terms: readonly string[]): string[] {
  return [...new Set(terms.slice(0, most.named).map((term) => clip(term, longest.name)))];
}

/** Long terms that begin alike are counted together. */
function countsOf(terms: readonly string[], counts: Record<string, number>): Record<string, number> {
  const clipped = new Map<string, number>();
  for (const term of terms) {
    const name = clip(term, longest.name);
    clipped.set(name, (clipped.get(name) ?? 0) + (counts[term] ?? 0));
  }
  return Object.fromEntries(clipped);
}
