/** A blank line, with all the whitespace that follows it. */
export const paragraphEnd = /\n[^\S\n]*\n\s*/g;

/** Enough to complete a surrogate pair: whether a grapheme goes on shows in its next character. */
const lookahead = 2;

/**
 * A text in pieces of at most `most` UTF-16 units, which joined are the text again to the letter. Cut behind a
 * paragraph, else between sentences, else between words, as long as a piece comes out at least half full; else
 * between graphemes, and never inside one: a grapheme of more than `most` units makes a longer piece.
 *
 * Time and memory are linear in the text's length, for a `most` that a grapheme seldom reaches.
 * @param language a code of B 2.4, for its sentence and word boundaries
 */
export function cutText(text: string, most: number, language: string): string[] {
  if (text.length <= most) return [text];
  const graphemes = new Intl.Segmenter(language, { granularity: 'grapheme' });
  const sentences = new Intl.Segmenter(language, { granularity: 'sentence' });
  const words = new Intl.Segmenter(language, { granularity: 'word' });

  const pieces: string[] = [];
  let rest = text;
  while (rest.length > most) {
    const length = bestBreak(rest.slice(0, most + lookahead)) || firstGrapheme(rest);
    pieces.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return rest === '' ? pieces : [...pieces, rest];

  /** Units before the best boundary in the window; 0 where a single grapheme fills it. */
  function bestBreak(window: string): number {
    const clusters = graphemes.segment(window);
    const candidates = [
      lastParagraphEnd(window, most),
      lastStart(sentences.segment(window), most),
      lastStart(words.segment(window), most),
    ];
    for (const candidate of candidates) {
      // Not every such boundary is one of graphemes: a blank may carry a combining mark.
      const settled = lastStart(clusters, candidate);
      if (settled >= most / 2) return settled;
    }
    return lastStart(clusters, most);
  }

  function firstGrapheme(rest: string): number {
    return graphemes.segment(rest).containing(0)!.segment.length;
  }
}

function lastParagraphEnd(window: string, most: number): number {
  let last = 0;
  for (const { index, 0: gap } of window.matchAll(paragraphEnd)) last = Math.min(most, index + gap.length);
  return last;
}

/** The last boundary at or before the unit at `most`. */
function lastStart(segments: Intl.Segments, most: number): number {
  return segments.containing(most)!.index;
}
