import type { QualityIssue } from '#sdk/types.ts';
import { findNumbers, type NumberMatch } from '#server/translation/integrity/numbers.ts';
import { isLostNumber, numbersInstead } from './changed-numbers.ts';
import { type Languages, type Mark, type MarkedTerm, marksOf } from './marks.ts';
import type { EditedSegment } from './segment.ts';
import { shiftRanges, tagMarks } from './tagged-text.ts';

/** A segment as plain texts, with what is marked in it. */
export interface MarkedSegment {
  source: string;
  target: string;
  languages: Languages;
  isHtml: boolean;
  issues: readonly QualityIssue[];
  /** The glossary terms in the source, with their translations. */
  terms?: readonly { source_term: string; target_terms: readonly string[] }[];
  /** Further marks of the translation. */
  added?: readonly Mark[];
  /** The text that the reviewer searches for. */
  sought: string | undefined;
}

/** Determines the marks of a segment: in the source and in the translation. */
export function marksOfSegment({
  source,
  target,
  languages,
  isHtml,
  issues,
  terms = [],
  added = [],
  sought,
}: MarkedSegment): { source: Mark[]; target: Mark[] } {
  const numbers = issues.filter((issue) => isLostNumber(issue, source, target));
  const others = issues.filter((issue) => !numbers.includes(issue));
  const inSource: MarkedTerm[] = terms.map(({ source_term, target_terms }) => ({
    text: source_term,
    note: target_terms.join(', '),
  }));
  const inTarget: MarkedTerm[] = terms.flatMap(({ target_terms }) => target_terms.map((text) => ({ text })));
  const shared = { isHtml, issues: others, sought };
  return {
    source: [
      ...marksOf(source, { language: languages.source, terms: inSource, ...shared }),
      ...numbers.flatMap(({ span }) => changedIn(source, span ?? '')),
    ],
    target: [
      ...marksOf(target, { language: languages.target, terms: inTarget, ...shared }),
      ...added,
      ...(numbers[0] ? instead(numbersInstead(source, target), numbers[0]) : []),
    ],
  };
}

/** Determines the marks of a segment in its texts with tags. The tags themselves are marked, too. */
export function taggedMarks(
  { source_content: content }: EditedSegment,
  texts: { source: string; target: string },
  segment: MarkedSegment,
): { source: readonly Mark[]; target: readonly Mark[] } {
  const { source, target } = marksOfSegment(segment);
  if (!content) return { source, target };
  const inText = (marks: readonly Mark[], text: string) => [
    ...shiftRanges(marks, text, content),
    ...tagMarks(text, content),
  ];
  return { source: inText(source, texts.source), target: inText(target, texts.target) };
}

function changedIn(source: string, span: string): Mark[] {
  return findNumbers(source)
    .filter((number) => number.span === span)
    .map(({ start, end }) => ({ start, end, kind: 'changed' }));
}

/** The marks of the numbers that stand for lost ones. They are as severe as the loss. */
function instead(numbers: readonly NumberMatch[], { severity }: QualityIssue): Mark[] {
  return numbers.map(({ start, end }) => ({
    start,
    end,
    kind: severity === 'critical' ? 'critical' : 'warning',
  }));
}
