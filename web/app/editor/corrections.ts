import type { QualityIssue } from '#sdk/types.ts';
import { isLostNumber, numberCorrections } from './changed-numbers.ts';
import type { Languages } from './marks.ts';

/** A text that replaces a part of a translation, in UTF-16 units. */
export interface Correction {
  start: number;
  end: number;
  text: string;
}

/**
 * The corrections that the issues of a segment allow: a suggestion in place of its span, and a number of the source in
 * place of the number that stands for it. Other suggestions are instructions for the reviewer: they are about parts that
 * the translation lacks, or they name the span.
 */
export function correctionsOf(
  issues: readonly QualityIssue[],
  texts: { source: string; target: string; languages: Languages },
): Map<QualityIssue, Correction> {
  const { source, target } = texts;
  const lost = issues.filter((issue) => issue.category === 'accuracy' && isLostNumber(issue, source, target));
  const numbers = numberCorrections(
    lost.map(({ span }) => span as string),
    texts,
  );
  const corrections = new Map<QualityIssue, Correction>();
  for (const issue of issues) {
    const { span, suggestion } = issue;
    const start = span ? target.indexOf(span) : -1;
    const number = lost.includes(issue) ? numbers.get(span as string) : undefined;
    if (number) corrections.set(issue, number);
    else if (span && start >= 0 && suggestion !== null && !suggestion.includes(span))
      corrections.set(issue, { start, end: start + span.length, text: suggestion });
  }
  return corrections;
}
