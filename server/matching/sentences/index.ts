/** Divides texts into sentences. Does not use a database, the network or the clock. */
import { divide } from './boundaries.ts';

/** A sentence in a text: UTF-16 offsets, without white space at both ends. */
export interface Span {
  start: number;
  end: number;
}

/**
 * Returns the sentences of a text in order. Between two of them there is only white space or nothing; together they hold
 * every character that is not white space.
 */
export function sentencesIn(text: string, language: string): Span[] {
  const spans: Span[] = [];
  divide(text, language.split('-', 1)[0] as string, (start, end) => spans.push({ start, end }));
  return spans;
}
