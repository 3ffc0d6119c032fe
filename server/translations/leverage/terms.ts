import type { QualityIssue, Translations } from '#server/engines/engine.ts';
import type { LanguageCode } from '#server/languages.ts';
import {
  checkTerms,
  type ExpectedTerm,
  expectTerms,
  type TermCompliance,
  type TermMatch,
} from '#server/matching/terms/index.ts';
import type { Glossary, TermRow } from '#server/terminology/service.ts';
import type { SourceText } from '../steps/source-text.ts';

/** The glossary terms of a text, and what they ask of its translation. */
export interface TermsInText {
  matches: readonly TermMatch<TermRow>[];
  expected: readonly ExpectedTerm[];
  check(translation: Translations): TermCompliance;
}

/** Finds a text's terms; null without a glossary for its pair. */
export function findTerms(
  { task, blocks }: Pick<SourceText, 'task' | 'blocks'>,
  glossary: Glossary | null,
): TermsInText | null {
  if (!glossary) return null;
  const matches = glossary.matcher.find(readable(task.segments, blocks));
  const expected = expectTerms(matches);
  return {
    matches,
    expected,
    check: (translation) =>
      checkTerms(expected, readable(translation, blocks), task.targetLang as LanguageCode),
  };
}

/** A text as it is read: the pieces of one block on a line. Any run of spaces is as good as one inside of a term. */
function readable(segments: readonly string[], blocks: readonly (readonly number[])[]): string {
  if (segments.length === 1) return segments[0] as string;
  return blocks.map((block) => block.map((index) => segments[index] ?? '').join(' ')).join('\n');
}

/** What a translation that misses terms has to mend. No issue is critical: the gate has a trigger of its own for it. */
export function termIssues(compliance: TermCompliance): QualityIssue[] {
  const { missing_terms, expected_target_counts, observed_target_counts } = compliance;
  return missing_terms.map((term) => ({
    severity: 'major',
    category: 'terminology',
    span: null,
    explanation: `the glossary's term “${term}” is expected ${expected_target_counts[term]} times and found ${observed_target_counts[term] ?? 0} times`,
    suggestion: `use “${term}”`,
  }));
}
