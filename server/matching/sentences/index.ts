/** Divides texts into sentences. */
import { divide } from './boundaries.ts';

/** Segmentation rules of a workspace. */
export interface SentenceRules {
  /**
   * Calls `push` with each break in a text, in order. Returns the position up to which the rules were applied: the end of the
   * text, unless they took too long; undefined without rules for the language.
   */
  breaksIn(text: string, language: string, push: (position: number) => void): number | undefined;
}

/** A sentence in a text: UTF-16 offsets, without white space at both ends. */
export interface Span {
  start: number;
  end: number;
}

/**
 * Returns the sentences of a text in order. Between two of them there is only white space or nothing; together they hold
 * every character that is not white space.
 *
 * @param rules apply instead of the built-in rules if they have rules for the language
 */
export function sentencesIn(text: string, language: string, rules?: SentenceRules): Span[] {
  const spans: Span[] = [];
  const push = (start: number, end: number) => spans.push({ start, end });
  let from = 0;
  const pushTrimmed = (to: number) => {
    const part = text.slice(from, to);
    const start = from + part.length - part.trimStart().length;
    if (start < to) push(start, from + part.trimEnd().length);
    from = to;
  };
  const applied = rules?.breaksIn(text, language, pushTrimmed);
  if (applied === text.length) pushTrimmed(applied);
  else {
    const rest = from;
    divide(text.slice(rest), language.split('-', 1)[0] as string, (start, end) =>
      push(rest + start, rest + end),
    );
  }
  return spans;
}
