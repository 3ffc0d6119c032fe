import { clip } from '#server/formats/text.ts';
import type { LanguageCode } from '#server/languages.ts';
import type { Glossary, TermRow } from '#server/matching/terms/glossary.ts';
import {
  type ExpectedTerm,
  expectTerms,
  type ForbiddenTerm,
  type TermCompliance,
  type TermMatch,
} from '#server/matching/terms/index.ts';
import type { QualityIssue, Translations } from '#server/platform/engines/engine.ts';
import type { SourceText } from '../pipeline/source-text.ts';
import { replacementOf } from '../replacement.ts';

/** The glossary terms that a text contains, and the target terms that they require. */
export interface TermsInText {
  matches: readonly TermMatch<TermRow>[];
  expected: readonly ExpectedTerm[];
  /** Terms whose source term is the whole text, best first. */
  whole: readonly TermRow[];
  check(translation: Translations): Promise<TermCompliance>;
}

/**
 * Finds the terms of a text. Returns null without a glossary for its language pair.
 * @param plain the submitted text, if it has no markup: then the whole text may be a term
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

/** Returns the text as a reader sees it: one line per block. Inside a term, a run of spaces counts as one space. */
function readable(segments: readonly string[], blocks: readonly (readonly number[])[]): string {
  if (segments.length === 1) return segments[0] as string;
  return blocks.map((block) => block.map((index) => segments[index] ?? '').join(' ')).join('\n');
}

/**
 * Maximum numbers of issues, and of terms by name. A hostile glossary may match thousands of terms of 500 characters in
 * a short text.
 */
const most = { issues: 100, named: 200 };

/** Maximum UTF-16 units of an issue's texts, and of a stored term. */
const longest = { sentence: 600, name: 200 };

/**
 * Returns an issue for each forbidden term in the translation and for each term that it misses, at most 100 of each kind.
 * No such issue is critical: the quality gate has a separate trigger for terms.
 * @param language the language of the translation
 */
export function termIssues(compliance: TermCompliance, language: string): QualityIssue[] {
  const { missing_terms, expected_target_counts, observed_target_counts } = compliance;
  const forbidden = forbiddenTerms(compliance)
    .slice(0, most.issues)
    .map(({ term, source_term, use, found }) => {
      const isWhole = use !== null && use.length < longest.name;
      const replacement = isWhole ? replacementOf(found, { term, use, language }) : undefined;
      return {
        ...issueOf(`The glossary forbids “${term}” for “${source_term}”.`, use && `Use “${use}”.`),
        span: found,
        ...(replacement !== undefined && { replacement }),
      };
    });
  const named = missing_terms.slice(0, missing_terms.length > most.issues ? most.issues - 1 : most.issues);
  const issues = named.map((term) => {
    const [expected, observed] = [expected_target_counts[term], observed_target_counts[term] ?? 0];
    const explanation =
      observed === 0
        ? `The glossary term “${term}” is missing.`
        : `The glossary term “${term}” occurs ${observed} times, but should occur ${expected} times.`;
    return issueOf(explanation, `Use “${term}”.`);
  });
  const others = missing_terms.length - named.length;
  const found = [...forbidden, ...issues];
  return others > 0 ? [...found, issueOf(`${others} more glossary terms are missing`, null)] : found;
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

/** `terminology_gate`, as it is stored and returned. */
interface TermGate extends TermCompliance {
  /** The number of expected target terms, including those that are not listed. */
  terms_total: number;
  /** The number of missing target terms, including those that are not listed. */
  missing_total: number;
}

/**
 * Returns the compliance of a translation in its stored form: lists at most 200 clipped terms, missing ones first.
 * `passed` and the totals include the terms that are not listed.
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
    ...(compliance.forbidden_terms && { forbidden_terms: forbiddenTerms(compliance) }),
    terms_total: targets.length,
    missing_total: missing_terms.length,
  };
}

/** Returns the forbidden terms of a translation in their stored form. */
export function forbiddenTerms({
  forbidden_terms = [],
}: Pick<TermCompliance, 'forbidden_terms'>): ForbiddenTerm[] {
  const short = (term: string) => clip(term, longest.name);
  return forbidden_terms.slice(0, most.named).map(({ term, source_term, use, found }) => ({
    ...{ term: short(term), source_term: short(source_term), use: use && short(use), found: short(found) },
  }));
}

function namesOf(terms: readonly string[]): string[] {
  return [...new Set(terms.slice(0, most.named).map((term) => clip(term, longest.name)))];
}

/** Returns the counts of the clipped terms. If two terms are equal after clipping, their counts are added up. */
function countsOf(terms: readonly string[], counts: Record<string, number>): Record<string, number> {
  const clipped = new Map<string, number>();
  for (const term of terms) {
    const name = clip(term, longest.name);
    clipped.set(name, (clipped.get(name) ?? 0) + (counts[term] ?? 0));
  }
  return Object.fromEntries(clipped);
}
