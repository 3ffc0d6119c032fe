/** A sentence in a text: UTF-16 offsets, without white space at both ends. */
export interface Span {
  start: number;
  end: number;
}

const segmenters = new Map<string, Intl.Segmenter>();

/**
 * Returns the sentences of a text in order. Between two of them there is only white space or nothing; together they hold
 * every character that is not white space.
 */
export function sentencesIn(text: string, language: string): Span[] {
  let segmenter = segmenters.get(language);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
    segmenters.set(language, segmenter);
  }
  return [...segmenter.segment(text)].flatMap(({ segment, index }) => {
    const trimmed = segment.trim();
    const start = index + segment.indexOf(trimmed);
    return trimmed === '' ? [] : [{ start, end: start + trimmed.length }];
  });
}
