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
 * The corrections that the issues of a segment allow: a replacement in place of its span, and a number of the source in
 * place of the number that stands for it. A suggestion is an instruction for the reviewer, and is never inserted.
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
    const { span, replacement } = issue;
    const start = span ? startOf(span, target) : -1;
    const number = lost.includes(issue) ? numbers.get(span as string) : undefined;
    if (number) corrections.set(issue, number);
    else if (span && start >= 0 && replacement != null && replacement !== span)
      corrections.set(issue, { start, end: start + span.length, text: replacement });
  }
  return corrections;
}

/** The start of a span in a text: best of whole words, then at the beginning of a word; -1 if it is missing. */
function startOf(span: string, text: string): number {
  const isInside = (at: number) =>
    /[\p{L}\p{M}\p{N}_]$/u.test(text.slice(Math.max(0, at - 2), at)) &&
    /^[\p{L}\p{M}\p{N}_]/u.test(text.slice(at, at + 2));
  let best = -1;
  for (let start = text.indexOf(span); start >= 0; start = text.indexOf(span, start + 1)) {
    if (isInside(start)) continue;
    if (!isInside(start + span.length)) return start;
    if (best < 0) best = start;
  }
  return best < 0 ? text.indexOf(span) : best;
}
