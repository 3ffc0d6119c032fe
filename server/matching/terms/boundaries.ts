import type { LanguageCode } from '#server/languages.ts';
import { attachmentChecker } from './attachments.ts';
import { closed, type Edges, edgesOf, inWord, open, uncut } from './edges.ts';
import type { FoldedText } from './fold.ts';
import { verbatimSpans } from './verbatim.ts';
import { findWordCuts, fitsAcrossCuts } from './word-cuts.ts';

/** Where terms may begin and end in a text. A position stands before the unit of its number; the last is the end. */
export interface Boundaries {
  /** Whether some term could end here: where not, `allows` need not be asked. */
  mayEnd(position: number): boolean;
  allows(start: number, end: number): boolean;
}

/** Terms are found in a source and looked for in a target; there doubt about where a word ends speaks for the term. */
export type Side = 'source' | 'target';

export function boundariesOf(
  text: FoldedText,
  given: string,
  language: LanguageCode,
  side: Side,
): Boundaries {
  const cuts = findWordCuts(text, language);
  const edges = edgesOf(text, language, cuts);
  closeVerbatim(text, given, edges);
  const { opens, closes } = edges;
  const attached = attachmentChecker(text, language);
  const fits = (start: number, end: number): boolean =>
    side === 'target' && cuts !== undefined && fitsAcrossCuts(text, cuts, start, end);
  return {
    mayEnd: (position) => {
      const edge = closes[position];
      return (
        edge === open || (edge === inWord && attached !== undefined) || (edge === uncut && side === 'target')
      );
    },
    allows: (start, end) => {
      const [opening, closing] = [opens[start]!, closes[end]!];
      if (opening === closed || closing === closed) return false;
      if (opening === inWord && !attached?.opens(start, end)) return false;
      if (closing === inWord && !attached?.closes(start, end)) return false;
      return (opening !== uncut && closing !== uncut) || fits(start, end);
    },
  };
}

/** A term may hold an address or a placeholder whole, not begin or end inside one. */
function closeVerbatim({ starts, length }: FoldedText, given: string, { opens, closes }: Edges): void {
  for (const [start, end] of verbatimSpans(given)) {
    let position = firstAfter(starts, start);
    for (; position < length && starts[position]! < end; position++) {
      opens[position] = closed;
      closes[position] = closed;
    }
  }
}

/** The first position whose offset is past `offset`. */
function firstAfter(starts: Int32Array, offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
